import { REAPED, type TerminalRecord } from "../record/classify.ts";
import type { Supervision } from "../schema.ts";

/** What the supervisor sees at one look. Times are monotonic milliseconds. */
export interface Observation {
  workerExited: boolean;
  reapRequested: boolean;
  /** Somebody else has published the job's record. */
  settledElsewhere: boolean;
  /** Bytes of `out.log` now. */
  logSize: number;
  now: number;
}

/** What the supervisor remembers between two looks. */
export interface Watch {
  startedAt: number;
  /** When `out.log` was last seen to grow. */
  grewAt: number;
  logSize: number;
  lookedAt: number;
  /** Bytes by which `out.log` grew in a millisecond between the last two looks. */
  pace: number;
}

/**
 * What to do: go on, classify the exit that was seen, reap the tree and publish this record, or reap it and publish
 * nothing, since the record is there.
 */
export type Decision =
  | { do: "continue" }
  | { do: "classify" }
  | { do: "reap"; record: TerminalRecord }
  | { do: "give-up" };

/** One look of the supervision loop, in the order docs/spec/jobs.md 7.2 gives. */
export function decide(
  seen: Observation,
  before: Watch,
  limits: Pick<Supervision, "idle" | "hard" | "log_max">,
): { decision: Decision; watch: Watch } {
  const grew = seen.logSize > before.logSize;
  const watch: Watch = {
    startedAt: before.startedAt,
    grewAt: grew ? seen.now : before.grewAt,
    // A log that shrank grows again from its new size on.
    logSize: seen.logSize,
    lookedAt: seen.now,
    pace: grew ? (seen.logSize - before.logSize) / Math.max(1, seen.now - before.lookedAt) : 0,
  };
  return { decision: judge(seen, watch, grew, limits), watch };
}

function judge(
  seen: Observation,
  watch: Watch,
  grew: boolean,
  limits: Pick<Supervision, "idle" | "hard" | "log_max">,
): Decision {
  if (seen.settledElsewhere) return { do: "give-up" };
  if (seen.workerExited) return { do: "classify" };
  if (seen.reapRequested) return { do: "reap", record: REAPED };
  if (grew && seen.logSize > limits.log_max) {
    const reason = `out.log exceeded byte cap (${seen.logSize} > ${limits.log_max} bytes)`;
    return { do: "reap", record: { state: "failed", reason } };
  }
  if (limits.idle !== null && seen.now - watch.grewAt >= limits.idle * 1000) {
    return {
      do: "reap",
      record: { state: "timeout", reason: `no output for ${limits.idle}s (idle window)` },
    };
  }
  if (seen.now - watch.startedAt >= limits.hard * 1000) {
    return { do: "reap", record: { state: "timeout", reason: `hard cap ${limits.hard}s exceeded` } };
  }
  return { do: "continue" };
}

/** A look may come this late on a busy machine; one that is later was suspended (docs/spec/engines.md 3.2). */
const SUSPENDED_AFTER_MS = 10_000;

/** What is remembered after a look that came `late` milliseconds after its time: a suspended job does not age. */
export function forgiven(watch: Watch, late: number): Watch {
  if (late <= SUSPENDED_AFTER_MS) return watch;
  return { ...watch, startedAt: watch.startedAt + late, grewAt: watch.grewAt + late };
}

/** Longest sleep a timer takes; a larger number would fire at once. */
const LONGEST_SLEEP_MS = 3_600_000;

/** Between two looks at a log that grows: at most this long, since it may grow faster soon, and not without a pause. */
const LONGEST_WHILE_GROWING_MS = 100;
const SHORTEST_MS = 5;

/**
 * Milliseconds until the next look: a poll interval, or less when a window ends before. While the log grows, half the
 * time it needs to its cap at this pace: a fast worker writes a gigabyte within one poll interval.
 */
export function nextLook(
  watch: Watch,
  limits: Pick<Supervision, "idle" | "hard" | "poll" | "log_max">,
  now: number,
): number {
  const idleLeft = limits.idle === null ? Infinity : watch.grewAt + limits.idle * 1000 - now;
  const hardLeft = watch.startedAt + limits.hard * 1000 - now;
  const capLeft = watch.pace > 0 ? growingLook((limits.log_max - watch.logSize) / watch.pace / 2) : Infinity;
  return Math.max(1, Math.min(limits.poll * 1000, idleLeft, hardLeft, capLeft, LONGEST_SLEEP_MS));
}

function growingLook(milliseconds: number): number {
  return Math.max(SHORTEST_MS, Math.min(milliseconds, LONGEST_WHILE_GROWING_MS));
}
