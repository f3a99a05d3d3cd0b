/**
 * Private directories on Windows (docs/spec/jobs.md 12.1): inheritance broken, full control for the caller, the system and
 * the administrators only. Wine has no such lists, so the tools' command lines are tested, not what Windows makes of them.
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
 * Break inheritance on a directory, which cannot be undone: only for one jig made or manages, and once in a process. The
 * default-owner SID of an elevated caller is the administrators' group, which the list always holds. False when a tool
 * failed.
 */
export function hardenDirectory(path: string): Promise<boolean> {
  const earlier = hardened.get(path);
  if (earlier !== undefined) return earlier;
  const now = harden(path);
  hardened.set(path, now);
  return now;
}

const hardened = new Map<string, Promise<boolean>>();
let account: Promise<string | undefined> | undefined;

async function harden(path: string): Promise<boolean> {
  account ??= output("whoami.exe", WHOAMI_ARGUMENTS);
  const user = parseWhoami((await account) ?? "");
  return user !== undefined && (await output("icacls.exe", icaclsArguments(path, [user]))) !== undefined;
}

function output(program: string, words: readonly string[]): Promise<string | undefined> {
  const { env } = process;
  const options = { env, timeoutMs: 15_000, maxBytes: 64 << 10 };
  return outputOf([system32(program, env["SystemRoot"]), ...words], options);
}
