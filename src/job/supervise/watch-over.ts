import { lstatSync } from "node:fs";
import { join } from "node:path";
import { changeAlarm } from "../../kernel/files/change-alarm.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { sweepSession } from "../../kernel/process/index.ts";
import { releaseMemory } from "../../runtime/memory.ts";
import type { ChildExit } from "../../runtime/spawn.ts";
import { classifyExit, type TerminalRecord, type WorkerExit } from "../record/classify.ts";
import { LOG, REAP_MARKER } from "../record/directory.ts";
import { resultEvidence } from "../record/files.ts";
import type { JobHandOver, Supervision } from "../schema.ts";
import { decide, nextLook, type Watch } from "./decide.ts";
import { endTree } from "./end-tree.ts";
import type { Worker } from "./launch.ts";

/** What the outside can ask of a supervisor, and the way it wakes the loop. */
export interface Requests {
  reap: boolean;
  wake(): void;
}

/** Windows has no signal to wake us, so the marker is looked for more often. */
const MARKER_LOOK_MS = process.platform === "win32" ? 250 : Infinity;

/** Where nothing tells of growth, a silent log is looked at this often: a burst may begin at any moment. */
const UNALARMED_LOOK_MS = 250;

/** Watch until the worker ends or has to; end its tree; say what the record is. */
export async function watchOver(
  directory: string,
  worker: Worker,
  handOver: JobHandOver,
  requests: Requests,
): Promise<TerminalRecord> {
  void worker.child.exited.then((exit) => {
    worker.exit = exit;
    requests.wake();
  });
  const { conf } = handOver;
  const isReapRequested = () => requests.reap || lookAt(join(directory, REAP_MARKER)) !== undefined;
  const { record, logSize } = await untilDecided(directory, worker, conf, requests, isReapRequested);
  if (record !== undefined) {
    // A worker that goes on writing gets no more than another cap's worth of grace.
    const tooMuch = Math.max(logSize, conf.log_max) + conf.log_max;
    await endTree(worker, conf.grace * 1000, () => sizeOf(join(directory, LOG)) > tooMuch);
    return record;
  }
  const reapRequested = isReapRequested();
  // No background child outlives the record.
  await sweepSession(worker.child.pid, worker.identity);
  return classifyExit({
    exit: await workerExit(worker.exit!),
    resultDeclared: handOver.result_path !== null,
    evidence: resultEvidence(handOver.result_path, handOver.result_before),
    resultMax: conf.result_max,
    reapRequested,
  });
}

/** The loop itself. Gives the record the worker is to be reaped with; none when it ended and its exit decides. */
async function untilDecided(
  directory: string,
  worker: Worker,
  conf: Supervision,
  requests: Requests,
  isReapRequested: () => boolean,
): Promise<{ record?: TerminalRecord; logSize: number }> {
  let armed = false;
  const alarm = await changeAlarm(directory, () => {
    armed = false;
    requests.wake();
  });
  const log = join(directory, LOG);
  const began = performance.now();
  let watch: Watch = { startedAt: began, grewAt: began, logSize: 0, lookedAt: began, pace: 0 };
  releaseMemory();
  for (;;) {
    const look = decide(
      {
        workerExited: worker.exit !== undefined,
        reapRequested: isReapRequested(),
        logSize: sizeOf(log),
        now: performance.now(),
      },
      watch,
      conf,
    );
    watch = look.watch;
    if (look.decision.do !== "continue") {
      alarm?.close();
      const { logSize } = watch;
      return look.decision.do === "reap" ? { record: look.decision.record, logSize } : { logSize };
    }
    const isSilent = watch.pace === 0;
    if (isSilent && !armed && alarm?.arm()) {
      armed = true;
      continue; // Look again: it may have grown between the look and the alarm.
    }
    const unalarmed = isSilent && !armed ? UNALARMED_LOOK_MS : Infinity;
    const wait = Math.min(nextLook(watch, conf, performance.now()), MARKER_LOOK_MS, unalarmed);
    if (worker.exit === undefined && !requests.reap) await wokenWithin(wait, requests);
  }
}

function wokenWithin(milliseconds: number, requests: Requests): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    requests.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function sizeOf(log: string): number {
  try {
    return lstatSync(log).size;
  } catch {
    return 0;
  }
}

/** A signal as its number; a code of 128+n is the worker's own and stays a code. */
async function workerExit(exit: ChildExit): Promise<WorkerExit> {
  if ("code" in exit) return exit;
  if (typeof exit.signal === "number") return { signal: exit.signal };
  const { constants: system } = await import("node:os");
  return { signal: system.signals[exit.signal as NodeJS.Signals] };
}
