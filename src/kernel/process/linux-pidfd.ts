import { cLibrary, type ForeignCall, openLibrary } from "../../runtime/ffi.ts";

/** A kernel handle on one process: a signal through it can never reach another that got the same pid later. */
export interface ProcessHandle {
  /** False when the process is gone or may not be signalled. */
  send(signal: number): boolean;
  close(): void;
}

// The numbers are the same on every architecture: both calls came after the tables were unified.
const PIDFD_SEND_SIGNAL = 424;
const PIDFD_OPEN = 434;

interface Calls {
  syscall: ForeignCall;
  close: ForeignCall;
}

let library: Promise<Calls | undefined> | undefined;

function calls(): Promise<Calls | undefined> {
  library ??= openLibrary(cLibrary(), {
    syscall: { args: ["i64", "i64", "i64", "buffer", "i64"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
  });
  return library;
}

/**
 * Undefined when there is no such process, on a kernel or in a sandbox without pidfds, and under plain Node. Throws
 * `ForeignCallsRefused`.
 */
export async function openProcessHandle(pid: number): Promise<ProcessHandle | undefined> {
  const libc = await calls();
  const descriptor = libc?.syscall(PIDFD_OPEN, pid, 0, null, 0) ?? -1;
  if (libc === undefined || descriptor < 0) return undefined;
  return {
    send: (signal) => libc.syscall(PIDFD_SEND_SIGNAL, descriptor, signal, null, 0) === 0,
    close: () => libc.close(descriptor),
  };
}
