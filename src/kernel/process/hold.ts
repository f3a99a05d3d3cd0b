import { errorCode } from "../call/errors.ts";
import type { HeldProcess, ProcessTable, SignalName } from "./facts.ts";

/**
 * Take hold of a process. On Linux through a pidfd, its identity compared after opening; elsewhere, and on a kernel
 * without pidfds, the identity is compared again right before each signal, which leaves a race of microseconds.
 * Without an identity existence decides. Undefined when it is gone, or another process has its pid. Throws
 * `ForeignCallsRefused` where a pidfd was to be had and the runtime stands in the way.
 */
export async function holdProcess(
  table: ProcessTable,
  pid: number,
  identity: string | undefined,
): Promise<HeldProcess | undefined> {
  if (process.platform === "win32") {
    const { holdOnWindows } = await import("./windows/processes.ts");
    return holdOnWindows(pid, identity);
  }
  const handle =
    process.platform === "linux"
      ? await (await import("./linux-pidfd.ts")).openProcessHandle(pid)
      : undefined;
  const isTheOne = async () => {
    if (identity === undefined) return exists(pid);
    return (await table.read(pid))?.identity === identity;
  };
  if (!(await isTheOne())) {
    handle?.close();
    return undefined;
  }
  if (handle !== undefined) {
    const { constants } = await import("node:os");
    return {
      pid,
      identity,
      signal: async (name) => handle.send(constants.signals[name]),
      close: () => handle.close(),
    };
  }
  return { pid, identity, signal: async (name) => (await isTheOne()) && send(pid, name), close: () => {} };
}

/** Whether any process, also a zombie or another user's, has this pid. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** A signal to a pid, or to a group when negative. False when nobody got it. */
export function send(target: number, name: SignalName): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch {
    return false;
  }
}
