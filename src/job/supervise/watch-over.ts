import { lstatSync } from "node:fs";
import { join } from "node:path";
import { changeAlarm } from "../../kernel/files/change-alarm.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { releaseMemory } from "../../runtime/memory.ts";
import type { ChildExit } from "../../runtime/spawn.ts";
import { classifyExit, REAPED, type TerminalRecord, type WorkerExit } from "../record/classify.ts";
import { LOG, REAP_MARKER } from "../record/directory.ts";
import { resultEvidence } from "../record/files.ts";
import { freshNow } from "../record/fresh-look.ts";
import { hasRecord } from "../record/state.ts";
import type { JobHandOver, SupervisedBy } from "../schema.ts";
import { decide, forgiven, nextLook, type Watch } from "./decide.ts";
import { endTree, sweepLeft } from "./end-tree.ts";
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

/** Watch until the worker ends or has to; end its tree; say what the record is; undefined when somebody else wrote it. */
export async function watchOver(
  directory: string,
  worker: Worker,
  handOver: JobHandOver,
  requests: Requests,
): Promise<TerminalRecord | undefined> {
  void worker.child.exited.then((exit) => {
    worker.exit = exit;
    requests.wake();
  });
  const { conf, engine } = handOver;
  const isReapRequested = () => requests.reap || lookAt(join(directory, REAP_MARKER)) !== undefined;
  const { record, logSize } = await untilDecided(directory, worker, handOver, requests, isReapRequested);
  if (record === "elsewhere") {
    await endTree(worker, conf.grace * 1000);
    return undefined;
  }
  if (record !== undefined) {
    const asked = record === REAPED && engine !== undefined ? whoAsked(directory, engine) : record;
    // A worker that goes on writing gets no more than another cap's worth of grace.
    const tooMuch = Math.max(logSize, conf.log_max) + conf.log_max;
    await endTree(worker, conf.grace * 1000, () => sizeOf(join(directory, LOG)) > tooMuch);
    return asked;
  }
  // What ends a whole allocation ends worker and supervisor in one moment, in any order.
  if (engine !== undefined && !requests.reap && !isOrderly(worker.exit))
    await wokenWithin(SAME_MOMENT_MS, requests);
  const reapRequested = isReapRequested();
  await sweepLeft(worker);
  const exited = classifyExit({
    exit: await workerExit(worker.exit!),
    resultDeclared: handOver.result_path !== null,
    evidence: resultEvidence(handOver.result_path, handOver.result_before),
    resultMax: conf.result_max,
    reapRequested,
  });
  return exited === REAPED && engine !== undefined ? whoAsked(directory, engine) : exited;
}

const SAME_MOMENT_MS = 500;

function isOrderly(exit: ChildExit | undefined): boolean {
  return exit !== undefined && "code" in exit && exit.code === 0;
}

/** A signal without a marker is the engine's: a limit of its own, or a person who spoke to it (docs/spec/engines.md 3.2). */
function whoAsked(directory: string, { kind }: SupervisedBy): TerminalRecord {
  freshNow(directory);
  if (lookAt(join(directory, REAP_MARKER)) !== undefined) return REAPED;
  return { state: "timeout", reason: `stopped by ${kind} (time limit, preemption or scancel)` };
}

/**
 * The loop itself. Gives the record the worker is to be reaped with; none when it ended and its exit decides; `elsewhere`
 * when somebody has published one.
 */
async function untilDecided(
  directory: string,
  worker: Worker,
  { conf, engine }: JobHandOver,
  requests: Requests,
  isReapRequested: () => boolean,
): Promise<{ record?: TerminalRecord | "elsewhere"; logSize: number }> {
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
        settledElsewhere: engine !== undefined && hasRecord(directory),
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
      if (look.decision.do === "give-up") return { record: "elsewhere", logSize };
      return look.decision.do === "reap" ? { record: look.decision.record, logSize } : { logSize };
    }
    const isSilent = watch.pace === 0;
    if (isSilent && !armed && alarm?.arm()) {
      armed = true;
      continue; // Look again: it may have grown between the look and the alarm.
    }
    const unalarmed = isSilent && !armed ? UNALARMED_LOOK_MS : Infinity;
    const wait = Math.min(nextLook(watch, conf, performance.now()), MARKER_LOOK_MS, unalarmed);
    if (worker.exit !== undefined || requests.reap) continue;
    const due = performance.now() + wait;
    await wokenWithin(wait, requests);
    if (engine !== undefined) watch = forgiven(watch, performance.now() - due);
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
