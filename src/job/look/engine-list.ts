import type { Host } from "../../kernel/call/host.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { budgetOf, LOOK_SECONDS } from "../engine/budget.ts";
import { lookAtEngines, onText } from "../engine/look.ts";
import { readEngineFile, settledView } from "../record/engine-file.ts";
import { isWithEngine, readStateAndEnd, type StateAndEnd } from "../record/state.ts";
import type { JobState, ListedJob } from "../schema.ts";
import { phaseText } from "./closer.ts";

/** What is added to a list with jobs of engines in it. */
export interface EngineList<Job> {
  found: Job[];
  /** What stands in the column `ON`, by job directory. */
  on: Map<string, string>;
  /** Lines for stderr, without a prefix. */
  notes: string[];
}

/**
 * Look at the open jobs of engines in a list, all at once (docs/spec/engines.md 2.4): their phases, and who settled by it.
 * Nothing is brought. A job that has left the wanted states is left out.
 */
export async function lookAtListed<Job extends ListedJob>(
  host: Host,
  found: readonly Job[],
  wanted: ReadonlySet<JobState>,
  describe: (host: Host, job: Job, now: StateAndEnd) => Promise<Job>,
): Promise<EngineList<Job>> {
  const on = new Map<string, string>();
  const open = found.filter(
    ({ job_dir: directory, state }) => state === "running" && isWithEngine(directory),
  );
  const refs = open.map(({ job_id: ref, job_dir: directory }) => ({ ref, directory }));
  const options = { budget: budgetOf(LOOK_SECONDS), bring: false };
  const { seen, notes } = await lookAtEngines(host, refs, options);
  const looked = new Map(open.map((job, index) => [job, seen[index]!]));
  const listed: Job[] = [];
  for (const job of found) {
    if (job.engine === undefined) {
      listed.push(job);
      continue;
    }
    const { job_dir: directory } = job;
    const look = looked.get(job);
    const file = readEngineFile(host, directory);
    on.set(directory, onText(file?.kind ?? job.engine, file?.dest));
    if (look?.state === "running") {
      const phase = phaseText(look.view, look.reason);
      listed.push({ ...job, ...look.view, supervisor: look.supervisor, reason: phase === "" ? null : phase });
      continue;
    }
    const now = readStateAndEnd(host, directory, lookAt(directory));
    if (wanted.size > 0 && !wanted.has(now.state)) continue;
    const view = settledView(host, directory) ?? {
      engine: job.engine,
      engine_id: null,
      phase: null,
      node: null,
    };
    listed.push({ ...(look === undefined ? job : await describe(host, job, now)), ...view });
  }
  return { found: listed, on, notes };
}
