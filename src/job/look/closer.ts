import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import { goneNote, lookCloser } from "../end/vanished.ts";
import type { JobRef } from "../record/roots.ts";
import { isWithEngine } from "../record/state.ts";
import type { EngineView, JobState, SupervisorState } from "../schema.ts";

/** A running job looked at more closely. */
export interface Closer {
  state: JobState;
  /** Null when it has settled. */
  supervisor: SupervisorState | null;
  /** Only of a job that an engine has. */
  view?: EngineView;
  /** What its phase is due to: `queued (Priority)`. */
  phase?: string;
}

export interface CloserOptions {
  /** Seconds the look at engines may take, 10 at most. */
  seconds?: number;
  signal?: AbortSignal;
  /** Leave the others to somebody else. */
  only?: "engines";
}

/**
 * Look closer at jobs whose files say `running`: at their processes, and for jobs that an engine has at the engine, all at
 * once. What is proven is settled. In the order of the jobs; lines for stderr, without a prefix, beside them.
 */
export async function lookCloserAt(
  host: Host,
  jobs: readonly JobRef[],
  options: CloserOptions = {},
): Promise<{ found: (Closer | undefined)[]; notes: string[] }> {
  const found: (Closer | undefined)[] = jobs.map(() => undefined);
  const notes: string[] = [];
  const say = ({ ref }: JobRef) => notes.push(goneNote(printable(ref)));
  const isEngines = jobs.map(({ directory }) => isWithEngine(directory));
  for (const [index, job] of jobs.entries()) {
    if (isEngines[index] || options.only === "engines") continue;
    const closer = await lookCloser(host, job.directory);
    found[index] = closer;
    if (closer.supervisor === "gone") say(job);
  }
  const others = jobs.filter((_, index) => isEngines[index]);
  if (others.length > 0) {
    const { seen, notes: said } = await lookAtEnginesFor(host, others, options);
    notes.push(...said);
    for (const [index, job] of others.entries()) {
      const { supervisor, state, view, reason } = seen[index]!;
      found[jobs.indexOf(job)] = { state, supervisor, view, phase: phaseText(view, reason) };
      if (supervisor === "gone") say(job);
    }
  }
  return { found, notes };
}

async function lookAtEnginesFor(host: Host, jobs: readonly JobRef[], { seconds, signal }: CloserOptions) {
  const { lookAtEngines } = await import("../engine/look.ts");
  const { budgetOf, LOOK_SECONDS } = await import("../engine/budget.ts");
  const budget = budgetOf(Math.min(seconds ?? LOOK_SECONDS, LOOK_SECONDS), signal);
  return lookAtEngines(host, jobs, { budget, bring: true });
}

/** A phase for a person; nothing for one that says no more than `running`. */
export function phaseText({ phase }: EngineView, reason: string | undefined): string {
  if (phase === null || phase === "running") return "";
  return reason === undefined ? phase : `${phase} (${printable(reason)})`;
}
