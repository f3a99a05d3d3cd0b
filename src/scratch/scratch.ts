import { lstatSync } from "node:fs";
import { JigError, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { ensurePrivateDirectory, PrivateDirectoryError } from "../kernel/files/private-dir.ts";
import { chooseTempRoot, type TempRoot } from "../kernel/shared/choose-temp-root.ts";
import { fallbackTempRoot } from "../kernel/shared/temp-root.ts";
import { printable } from "../kernel/text/printable.ts";
import { isToken } from "../kernel/text/token.ts";
import type { Scratch } from "./schema.ts";

/** Most characters of a skill's name or a run id here. */
const LONGEST_COMPONENT = 128;

/**
 * Make, or open again, the private directory of one run of a skill (docs/spec/config.md section 7). Throws `UsageError` for
 * a name that is no safe path component, `JigError` (exit 1) for a root or directory that cannot be trusted.
 */
export async function scratch(host: Host, skill: string, runId: string): Promise<Outcome<Scratch>> {
  checkComponent("SKILL", skill);
  checkComponent("RUN_ID", runId);
  const root = await chooseRoot(host);
  const options = { uid: host.uid, platform: host.platform, repairAll: true, managed: true };
  const dir = await ensurePrivateDirectory(root.path, [skill, runId], options);
  return {
    data: { dir, root: root.path, fallback: root.fallback },
    text: `${dir}\n`,
    notes: root.notes,
    undelivered: `${dir} was made`,
  };
}

function checkComponent(what: string, value: string): void {
  if (isToken(value) && value.length <= LONGEST_COMPONENT) return;
  throw new UsageError(
    `${what} must be 1 to 128 of the characters A-Z a-z 0-9 . _ - and not only dots, got '${printable(value)}'`,
  );
}

/** The shared choice of root; its two refusals are worded as the shell preamble of upstream's skills words them. */
async function chooseRoot(host: Host): Promise<TempRoot> {
  try {
    return await chooseTempRoot(host, "scratch");
  } catch (error) {
    if (!(error instanceof PrivateDirectoryError) || host.platform === "win32") throw error;
    if (error.path !== fallbackTempRoot(host, "scratch")) throw error;
    if (error.problem === "not-directory" && isSymlink(error.path)) {
      throw new JigError(`unsafe scratch root symlink: ${error.path}`, { cause: error });
    }
    if (error.problem === "foreign-owner") {
      throw new JigError(`scratch root is not owned by the current user: ${error.path}`, { cause: error });
    }
    throw error;
  }
}

function isSymlink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
