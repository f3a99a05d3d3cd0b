import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode, JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { withKernelLock } from "../../kernel/files/lock.ts";
import { stateDirectory } from "./state-directory.ts";

const PATIENCE_MS = 10_000;
/** The locks are jig's own state, so a home that cannot be written need not hold them. */
const ELSEWHERE = "XDG_STATE_HOME may name another place";

/** One writer per destination, whichever name it is reached by: a kernel lock keyed by the real path. */
export async function lockDestination<T>(
  directory: string,
  host: Pick<Host, "env" | "home" | "platform">,
  action: () => T | Promise<T>,
): Promise<T> {
  const locks = join(stateDirectory(host), "skill-locks");
  try {
    mkdirSync(locks, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new JigError(`cannot create ${locks}: ${osReason(error)}`, { hint: ELSEWHERE, cause: error });
  }
  const key = createHash("sha256").update(directory).digest("hex").slice(0, 32);
  return withKernelLock(join(locks, `${key}.lock`), action, { timeoutMs: PATIENCE_MS });
}

/**
 * What a lock that could not be had says, without the skill's name: the reason is one for all of them, and often for
 * all destinations, and the report says equal notes once. Anything but a known failure or the system's is thrown on.
 */
export function lockNotes(error: unknown): string[] {
  if (!(error instanceof JigError)) {
    if (errorCode(error) === undefined) throw error;
    return [osReason(error)];
  }
  return [error.hint === undefined ? error.message : `${error.message}; ${error.hint}`];
}
