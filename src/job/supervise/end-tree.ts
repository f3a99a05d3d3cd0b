import { killTree, sweepSession } from "../../kernel/process/index.ts";
import { sleep } from "../../kernel/text/time.ts";
import type { Worker } from "./launch.ts";

const LOOK_MS = 20;

/** End the worker's tree; its grace is over early when `isOverdone` says so. */
export async function endTree(
  worker: Worker,
  graceMs: number,
  isOverdone: () => boolean = () => false,
): Promise<void> {
  await endJobObject(worker);
  let asked = false;
  await killTree({
    pid: worker.child.pid,
    identity: worker.identity,
    graceMs,
    leaderEndedWithin(milliseconds) {
      const isGrace = !asked;
      asked = true;
      return exitedWithin(worker.child, milliseconds, isGrace ? isOverdone : () => false);
    },
  });
}

/** End what a worker that has ended by itself left behind, so that no background child outlives the record. */
export async function sweepLeft(worker: Worker): Promise<void> {
  await endJobObject(worker);
  await sweepSession(worker.child.pid, worker.identity);
}

/** On Windows the members of the worker's job object are what elsewhere its process group is. */
async function endJobObject({ jobName }: Worker): Promise<void> {
  if (jobName === undefined) return;
  const { terminateJobObject } = await import("../windows/job-object.ts");
  await terminateJobObject(jobName);
}

async function exitedWithin(
  child: Worker["child"],
  milliseconds: number,
  isOver: () => boolean,
): Promise<boolean> {
  const exited = new AbortController();
  void child.exited.then(() => exited.abort());
  const deadline = performance.now() + milliseconds;
  while (!exited.signal.aborted && !isOver()) {
    const left = deadline - performance.now();
    if (left <= 0) break;
    await sleep(Math.min(left, LOOK_MS), exited.signal);
  }
  return exited.signal.aborted;
}
