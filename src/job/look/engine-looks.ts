import type { Host } from "../../kernel/call/host.ts";
import type { JobRef } from "../record/roots.ts";
import { isSettled } from "../record/state.ts";
import type { EngineView, JobState } from "../schema.ts";
import { lookCloserAt } from "./closer.ts";

/** Between two looks at engines: a controller is shared by everybody (docs/spec/engines.md 2.4). */
const FIRST_DISTANCE_MS = 5_000;
const LONGEST_DISTANCE_MS = 30_000;
/** A call that waits for nothing looks once, and this long. */
const LEAST_SECONDS = 1;

export interface EngineLooks {
  readonly views: (EngineView | undefined)[];
  readonly phases: (string | undefined)[];
  /** Begin a look when it is time for one. */
  lookWhenDue(): void;
  /** Cut off the look that is under way; files that are being brought arrive. */
  finish(): Promise<void>;
}

/** Looks at the jobs of engines beside a watch of their files: at once, after 5 s, then at doubled distances. */
export function engineLooks(
  host: Host,
  jobs: readonly JobRef[],
  states: JobState[],
  { end, interruption, say }: { end: number; interruption: AbortSignal; say(line: string): void },
): EngineLooks {
  const views: (EngineView | undefined)[] = [];
  const phases: (string | undefined)[] = [];
  const said = new Set<string>();
  const cut = new AbortController();
  interruption.addEventListener("abort", () => cut.abort());
  let underWay: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  let dueAt = Number.NEGATIVE_INFINITY;
  let distance = FIRST_DISTANCE_MS;

  const look = async () => {
    const open = [...jobs.keys()].filter((index) => !isSettled(states[index]!));
    const seconds = Math.max(LEAST_SECONDS, (end - performance.now()) / 1000);
    const { found, notes } = await lookCloserAt(
      host,
      open.map((index) => jobs[index]!),
      { seconds, signal: cut.signal, only: "engines" },
    );
    for (const [at, index] of open.entries()) {
      const closer = found[at];
      if (closer === undefined || isSettled(states[index]!)) continue;
      states[index] = closer.state;
      views[index] = closer.view;
      phases[index] = closer.phase;
    }
    // Cut off since there was nothing left to ask for, which is no news.
    if (cut.signal.aborted) return;
    for (const note of notes) {
      if (!said.has(note)) say(note);
      said.add(note);
    }
  };
  return {
    views,
    phases,
    lookWhenDue() {
      if (underWay !== undefined || performance.now() < dueAt) return;
      dueAt = Math.max(dueAt, performance.now()) + distance;
      distance = Math.min(distance * 2, LONGEST_DISTANCE_MS);
      underWay = look()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          underWay = undefined;
        });
    },
    async finish() {
      if (states.every(isSettled)) cut.abort();
      await underWay;
      if (failure !== undefined) throw failure.error;
    },
  };
}
