import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { startIdentity } from "../../kernel/process/index.ts";
import { isBatchFile, throughCmd } from "../../kernel/process/windows-command-line.ts";
import { startUnderLimit } from "../../runtime/open-files.ts";
import { type ChildExit, spawn } from "../../runtime/spawn.ts";
import { LOG } from "../record/directory.ts";
import { lockOpening } from "../record/locks.ts";
import type { JobHandOver } from "../schema.ts";
import { workerEnvironment } from "../start/environment.ts";

export interface Worker {
  child: { readonly pid: number; readonly exited: Promise<ChildExit> };
  identity: string | undefined;
  /** Settled by the loop when the worker's end is seen. */
  exit: ChildExit | undefined;
  /** Of its log; undefined where there are no locks. */
  logLock: string | undefined;
  /** Windows: the job object it is a member of. */
  jobName?: string;
}

/** What the supervisor passes on of the world it was started in. */
export interface Starter {
  uid: number | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the running executable. */
  executable: string;
}

/** Start the worker in a session of its own, stdout and stderr on one append descriptor. Throws the system's error. */
export async function launch(
  { uid, env: own, executable }: Starter,
  directory: string,
  { argv, open_files: openFiles }: JobHandOver,
): Promise<Worker> {
  const log = openLog(join(directory, LOG), uid);
  try {
    const logLock = await lockOpening(log);
    const workerIsJig = isSameFile(argv[0]!, executable);
    const env = workerEnvironment(own, { id: basename(directory), directory, workerIsJig, executable });
    if (process.platform === "win32") {
      const { launchOnWindows } = await import("../windows/launch.ts");
      const isBatch = isBatchFile(argv[0]!);
      const words = isBatch ? throughCmd(argv, own["SystemRoot"]) : argv;
      const options = { jobId: basename(directory), env, log, verbatim: isBatch };
      const { child, identity, jobName } = await launchOnWindows(words, options);
      return { child, identity, exit: undefined, logLock, ...(jobName === undefined ? {} : { jobName }) };
    }
    const child = await startUnderLimit(openFiles ?? undefined, () =>
      spawn(argv, { env, stdout: log, stderr: log, detached: true }),
    );
    // Read before the event loop can see its end (the process table is loaded by now): then the pid means nothing.
    return { child, identity: await startIdentity(child.pid), exit: undefined, logLock };
  } finally {
    closeSync(log);
  }
}

function openLog(path: string, uid: number | undefined): number {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
  const stat = fstatSync(descriptor);
  if (stat.isFile() && (uid === undefined || stat.uid === uid)) return descriptor;
  closeSync(descriptor);
  throw new Error(`${path} is not a regular file of ours`);
}

function isSameFile(a: string, b: string): boolean {
  try {
    const [left, right] = [statSync(a), statSync(b)];
    return left.ino === right.ino && left.dev === right.dev;
  } catch {
    return false;
  }
}
