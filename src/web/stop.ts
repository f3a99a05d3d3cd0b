import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { LockTimeout, withKernelLock } from "../kernel/files/lock.ts";
import { processEndedWithin, signalProcess } from "../kernel/process/index.ts";
import { STOP_PATH } from "../kernel/shared/annotate-wire.ts";
import { jsonText } from "../kernel/text/printable.ts";
import { rootOf, type WebFlags } from "./options.ts";
import type { Stopped } from "./schema.ts";
import { findServer, type RunningServer } from "./state/ownership.ts";
import { checkState } from "./state/state-directory.ts";
import {
  type Paths,
  pathsOf,
  readInfo,
  readText,
  removeFile,
  withEnd,
  writeInfo,
} from "./state/state-files.ts";
import { CONTROL_HEADER } from "./state/windows-control.ts";

/** Milliseconds `stop` waits for another start or stop of the same root. */
export const LOCK_MS = 10_000;
/** Milliseconds a server has to end by itself. */
const GRACE_MS = 2000;

/** End a root's server, if there is one (docs/spec/web.md 4.5). */
export async function stop(host: Host, flags: WebFlags): Promise<Outcome<Stopped>> {
  const root = rootOf(host, flags);
  const paths = pathsOf(root);
  if (checkState(paths.state, host.uid)) {
    try {
      await withKernelLock(paths.lock, () => stopServer(host, paths), { timeoutMs: LOCK_MS });
    } catch (error) {
      if (!(error instanceof LockTimeout)) throw error;
      await stopServer(host, paths);
    }
  }
  const data: Stopped = { status: "stopped", root };
  return { data, text: jsonText(data) };
}

/** As `stop`, for a caller that holds the lock. */
export async function stopServer(host: Host, paths: Paths): Promise<void> {
  const server = await findServer(paths, host);
  if (server !== undefined && !(await endsByItself(host, paths, server))) {
    await signalProcess(server.pid, server.identity, "SIGKILL");
    await processEndedWithin(server.pid, server.identity, GRACE_MS);
    recordStopped(host, paths);
  }
  removeFile(paths.pid);
}

async function endsByItself(host: Host, paths: Paths, server: RunningServer): Promise<boolean> {
  const asked =
    host.platform === "win32"
      ? await askOverLoopback(host, paths, server)
      : await signalProcess(server.pid, server.identity, "SIGTERM");
  return asked && processEndedWithin(server.pid, server.identity, GRACE_MS);
}

async function askOverLoopback(host: Host, paths: Paths, server: RunningServer): Promise<boolean> {
  const secret = readText(paths.control, host.uid, 256);
  if (secret === undefined || server.info === undefined) return false;
  const { request } = await import("./client.ts");
  try {
    const answer = await request(server.info, "POST", STOP_PATH, {
      headers: { [CONTROL_HEADER]: secret },
      timeoutMs: GRACE_MS,
    });
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** It could not say so itself. */
function recordStopped(host: Host, paths: Paths): void {
  const info = readInfo(paths, host.uid);
  if (info !== undefined && !info.session_ended) writeInfo(paths, withEnd(info, "stopped"));
}
