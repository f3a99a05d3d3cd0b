import { LockTimeout, withKernelLock } from "../../kernel/files/lock.ts";
import { type RunDirectory, runLock } from "./directory.ts";
import { ledgerFailure } from "./fail.ts";

/** How long a change of the runs waits for another, in milliseconds (docs/spec/craft-run.md 2.3). */
const WAIT_MS = 10_000;

/** How long one append waits before it writes without the lock. */
const APPEND_WAIT_MS = 2_000;

/** Do something under the run directory's lock, which dies with its holder. Throws (exit 1) when it stays taken. */
export async function withRunLock<T>({ path }: RunDirectory, action: () => T | Promise<T>): Promise<T> {
  const lock = runLock(path);
  try {
    return await withKernelLock(lock, action, { timeoutMs: WAIT_MS });
  } catch (error) {
    if (error instanceof LockTimeout && error.path === lock) throw ledgerFailure("run directory is busy");
    throw error;
  }
}

/** As `withRunLock`, but an append that cannot get it goes on without: `locked` tells which. */
export async function withRunLockOrNot<T>(
  { path }: RunDirectory,
  action: (locked: boolean) => T,
): Promise<T> {
  const lock = runLock(path);
  try {
    return await withKernelLock(lock, () => action(true), { timeoutMs: APPEND_WAIT_MS });
  } catch (error) {
    if (error instanceof LockTimeout && error.path === lock) return action(false);
    throw error;
  }
}
