import { killTree } from "../../kernel/process/index.ts";
import { sleep } from "../../kernel/text/time.ts";
import type { Child } from "../../runtime/spawn.ts";
import type { Worker } from "./launch.ts";

const LOOK_MS = 20;

/** End the worker's tree; its grace is over early when `isOverdone` says so. */
export async function endTree(
  worker: Worker,
  graceMs: number,
  isOverdone: () => boolean = () => false,
): Promise<void> {
  if (worker.jobName !== undefined) {
    const { terminateJobObject } = await import("../windows/job-object.ts");
    await terminateJobObject(worker.jobName);
  }
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

async function exitedWithin(child: Child, milliseconds: number, isOver: () => boolean): Promise<boolean> {
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
