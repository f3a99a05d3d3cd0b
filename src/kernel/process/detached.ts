import { spawn } from "../../runtime/spawn.ts";
import type { CreateOptions } from "./windows/create.ts";

export interface DetachedProcess {
  readonly pid: number;
  /** Whether it has ended by now. */
  hasEnded(): boolean;
}

/**
 * Start a process that outlives this one and keeps nothing of it but the streams it is given: in a session of its own; on
 * Windows away from the caller's job object where that allows it. Throws the system's error when it cannot be executed.
 */
export async function spawnDetached(
  words: readonly string[],
  options: Omit<CreateOptions, "verbatim">,
): Promise<DetachedProcess> {
  if (process.platform === "win32") {
    const { createDetached } = await import("./windows/create.ts");
    const created = await createDetached(words, options);
    return { pid: created.pid, hasEnded: () => created.exitCode() !== undefined };
  }
  const child = await spawn(words, { ...options, detached: true });
  child.unref();
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  return { pid: child.pid, hasEnded: () => ended };
}
