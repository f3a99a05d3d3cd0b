/** The locks of workflow state: kernel locks, which end with their holder (docs/spec/flow.md 1.7). */
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { LockTimeout, withKernelLock } from "../../kernel/files/lock.ts";
import { parseObject } from "../../kernel/text/json.ts";
import { wholeNumber } from "../../kernel/text/number.ts";
import { printable } from "../../kernel/text/printable.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import type { Layout } from "./layout.ts";
import { memoryLockOf } from "./layout.ts";

const DEFAULT_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 3_600_000;

type LockHost = Pick<Host, "env" | "pid" | "now">;

/** Do something as the only writer of a workflow's artifact. Throws `JigError` (exit 1) naming the holder, nothing done. */
export function withArtifactLock<T>(
  host: LockHost,
  layout: Layout,
  wf: string,
  action: () => T | Promise<T>,
): Promise<T> {
  return withStateLock(host, layout.lock(wf), action);
}

/** Do something as the only writer of all memory files below a state directory, which has to exist. */
export function withMemoryLock<T>(
  host: LockHost,
  stateDirectory: string,
  action: () => T | Promise<T>,
): Promise<T> {
  return withStateLock(host, memoryLockOf(stateDirectory), action);
}

async function withStateLock<T>(host: LockHost, path: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await withKernelLock(
      path,
      () => {
        signLock(host, path);
        return action();
      },
      { timeoutMs: waitOf(host) },
    );
  } catch (error) {
    if (!(error instanceof LockTimeout) || error.path !== path) throw error;
    throw new JigError(`${printable(path)} is held by ${holderOf(path)}; nothing was changed`, {
      hint: "try again when it is done; JIG_FLOW_LOCK_WAIT_MS sets how long to wait",
      cause: error,
    });
  }
}

function waitOf({ env }: LockHost): number {
  const given = wholeNumber(env["JIG_FLOW_LOCK_WAIT_MS"]);
  return given === undefined ? DEFAULT_WAIT_MS : Math.min(given, LONGEST_WAIT_MS);
}

/** For messages only: who holds the lock is known to the kernel alone. */
function signLock(host: LockHost, path: string): void {
  try {
    writeFileSync(
      path,
      `${JSON.stringify({ pid: host.pid, host: hostname(), since: isoSeconds(host.now()) })}\n`,
    );
  } catch {
    // Windows locks the content as well; the message is then less exact.
  }
}

function holderOf(path: string): string {
  try {
    const { pid, host, since } = parseObject(readFileSync(path, "utf8")) ?? {};
    return `process ${printable(String(pid))} on ${printable(String(host))} since ${printable(String(since))}`;
  } catch {
    return "another process";
  }
}
