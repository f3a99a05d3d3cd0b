import { startIdentity } from "../../kernel/process/index.ts";
import { type CreatedProcess, createSuspended } from "../../kernel/process/windows/create.ts";
import { sleep } from "../../kernel/text/time.ts";
import type { ChildExit } from "../../runtime/spawn.ts";
import { joinJobObject } from "./job-object.ts";

/** A worker that runs, and the job object it is a member of, if it could be made one. */
export interface LaunchedWorker {
  child: { readonly pid: number; readonly exited: Promise<ChildExit> };
  identity: string | undefined;
  jobName: string | undefined;
}

/**
 * Start a worker as a member of its job object before its first instruction, so that no child can start outside
 * (docs/spec/jobs.md 12.2). It outlives this process. Throws an error with the system's code.
 */
export async function launchOnWindows(
  argv: readonly string[],
  options: { jobId: string; env: Readonly<Record<string, string>>; log: number; verbatim: boolean },
): Promise<LaunchedWorker> {
  const { env, log } = options;
  const worker = await createSuspended(argv, { env, stdout: log, stderr: log, verbatim: options.verbatim });
  const jobName = await joinJobObject(options.jobId, worker.handle);
  // Read before it can end: then the system would not tell.
  const identity = await startIdentity(worker.pid);
  if (!worker.resume()) {
    worker.terminate();
    worker.close();
    throw new Error(`could not resume suspended Windows worker pid ${worker.pid}`);
  }
  return { child: { pid: worker.pid, exited: exitOf(worker) }, identity, jobName };
}

const FIRST_LOOK_MS = 10;
/** As often as the supervisor looks for a request. */
const LONGEST_PAUSE_MS = 250;

/** The runtime cannot wait for a handle, so the end is looked for, less often the longer it runs. */
async function exitOf(worker: CreatedProcess): Promise<ChildExit> {
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 1.25, LONGEST_PAUSE_MS)) {
    const code = worker.exitCode();
    if (code !== undefined) return { code };
    await sleep(pause);
  }
}
