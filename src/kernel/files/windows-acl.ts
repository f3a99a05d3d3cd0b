/**
 * Private directories on Windows (docs/spec/jobs.md 12.1): inheritance broken, full control for the caller, the system and
 * the administrators only. The command lines are tested; running them needs Windows and was not tried.
 */
import { outputOf } from "../process/capture.ts";
import { system32 } from "../process/system32.ts";

const SYSTEM = "S-1-5-18";
const ADMINISTRATORS = "S-1-5-32-544";

/** `icacls` words that leave full control, for this directory and all below, to these SIDs and nobody else. */
export function icaclsArguments(path: string, identities: readonly string[]): string[] {
  const sids = [...new Set([...identities, SYSTEM, ADMINISTRATORS])];
  return [path, "/inheritance:r", "/grant:r", ...sids.map((sid) => `*${sid}:(OI)(CI)F`)];
}

/** `whoami` words that print the caller's account and SID as one CSV line. */
export const WHOAMI_ARGUMENTS: readonly string[] = ["/user", "/fo", "csv", "/nh"];

/** The SID in a line of `whoami /user /fo csv /nh`: `"host\name","S-1-5-21-…"`. */
export function parseWhoami(output: string): string | undefined {
  return /"(S-1-\d+(?:-\d+)+)"\s*$/.exec(output.trim())?.[1];
}

/**
 * Break inheritance on a directory, which cannot be undone: only for one jig made or manages. The default-owner SID of
 * an elevated caller is the administrators' group, which the list always holds. False when a tool failed.
 */
export async function hardenDirectory(path: string): Promise<boolean> {
  const { env } = process;
  const root = env["SystemRoot"];
  const options = { env, timeoutMs: 15_000, maxBytes: 64 << 10 };
  const account = await outputOf([system32("whoami.exe", root), ...WHOAMI_ARGUMENTS], options);
  const user = account === undefined ? undefined : parseWhoami(account);
  if (user === undefined) return false;
  return (
    (await outputOf([system32("icacls.exe", root), ...icaclsArguments(path, [user])], options)) !== undefined
  );
}
