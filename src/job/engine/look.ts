import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import { nodeOf, replaceEngineFile } from "../record/engine-file.ts";
import type { JobRef } from "../record/roots.ts";
import { isSettled, isWithEngine, readState } from "../record/state.ts";
import type { EngineView, JobState, Phase, SupervisorState } from "../schema.ts";
import type { Budget } from "./budget.ts";
import { forgetEnded, settleEnded } from "./ended.ts";
import type { Bring, Engine, OpenJob, Sighting } from "./engine.ts";
import { type ClosedJob, openJob } from "./open-job.ts";
import { withdraw } from "./withdraw.ts";

/** What a look found of one job. */
export interface Seen {
  state: JobState;
  view: EngineView;
  /** `slurm`, `ssh:DEST`. */
  on: string;
  /** What the phase is due to, in the engine's word. */
  reason: string | undefined;
  /** Null when the job has settled. */
  supervisor: SupervisorState | null;
}

export interface LookOptions {
  budget: Budget;
  /** Whether the files of a job that settled elsewhere are brought here. */
  bring: boolean;
}

/**
 * Look at jobs that engines may have (docs/spec/engines.md 2.4): all engines and hosts side by side within one budget; what
 * is proven is settled. In the order of the refs; lines for stderr beside them. Never throws for silence.
 */
export async function lookAtEngines(
  host: Host,
  refs: readonly JobRef[],
  { budget, bring }: LookOptions,
): Promise<{ seen: Seen[]; notes: string[] }> {
  const notes: string[] = [];
  const jobs = await Promise.all(refs.map(({ ref, directory }) => openJob(host, ref, directory)));
  const sightings = new Map<OpenJob, Sighting>();
  const byEngine = Map.groupBy(jobs.filter(isOpen), (job) => job.engine);
  await Promise.all(
    [...byEngine].map(([engine, group]) =>
      askEngine(host, engine, group, { budget, bring }, sightings, notes),
    ),
  );
  for (const [index, job] of jobs.entries()) {
    if ("problem" in job) notes.push(`job ${printable(refs[index]!.ref)}: ${job.problem}`);
  }
  const seen = jobs.map((job, index) => {
    const sighting = "problem" in job ? undefined : sightings.get(job);
    return describe(host, refs[index]!.directory, job, sighting ?? { phase: "unknown" });
  });
  return { seen, notes: [...new Set(notes)] };
}

function isOpen(job: OpenJob | ClosedJob): job is OpenJob {
  return "engine" in job;
}

async function askEngine(
  host: Host,
  engine: Engine,
  jobs: readonly OpenJob[],
  { budget, bring: wanted }: LookOptions,
  sightings: Map<OpenJob, Sighting>,
  notes: string[],
): Promise<void> {
  await engine.look(host, jobs, budget, async (look, bring) => {
    notes.push(...look.notes);
    for (const [job, sighting] of look.sightings) {
      sightings.set(job, sighting);
      if (sighting.phase === "unknown" && sighting.note !== undefined) {
        notes.push(`job ${printable(job.ref)}: ${sighting.note}`);
      }
    }
    const act = async ([job, sighting]: [OpenJob, Sighting]) => {
      const note = await actOn(host, job, sighting, budget, wanted ? bring : undefined);
      if (note !== undefined) notes.push(note);
    };
    await inTurns([...look.sightings], act);
  });
}

const SIDE_BY_SIDE = 8;

/** Do something for each of many, a few at a time. */
async function inTurns<T>(list: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = list.values();
  const worker = async () => {
    for (const one of rest) await act(one);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
}

/** Draw the conclusions of one sighting. Gives a note when one cannot be written down. */
async function actOn(
  host: Host,
  job: OpenJob,
  sighting: Sighting,
  budget: Budget,
  bring: Bring | undefined,
): Promise<string | undefined> {
  const { directory, file } = job;
  if ("id" in sighting && sighting.id !== undefined && file.id === null) {
    file.id = sighting.id;
    // Not one that was withdrawn meanwhile; where the disk refuses, the next look finds the number again.
    if (isWithEngine(directory)) tryTo(() => replaceEngineFile(directory, file));
  }
  switch (sighting.phase) {
    case "queued":
    case "running":
      forgetEnded(directory);
      return undefined;
    case "ended":
      return settleEnded(host, job, sighting.said, budget);
    case "arrived":
      return bring?.(job, sighting.remote);
    case "withdrawn":
      return tryTo(() => withdraw(directory));
    case "unknown":
      return undefined;
  }
}

function tryTo(act: () => void): undefined {
  try {
    act();
  } catch {
    // The next look tries again.
  }
}

const PHASES: Readonly<Record<Sighting["phase"], Phase>> = {
  queued: "queued",
  running: "running",
  ended: "ended",
  arrived: "ended",
  withdrawn: "unknown",
  unknown: "unknown",
};

function describe(host: Host, directory: string, { file }: OpenJob | ClosedJob, sighting: Sighting): Seen {
  const state = readState(host, directory);
  const running = !isSettled(state);
  const phase = running ? PHASES[sighting.phase] : null;
  const node = "node" in sighting ? sighting.node : null;
  const view: EngineView = {
    engine: file?.kind ?? "unknown",
    engine_id: file?.id ?? null,
    phase,
    node: node ?? file?.dest ?? nodeOf(host, directory),
  };
  const supervisor = "supervisor" in sighting ? sighting.supervisor : undefined;
  return {
    state,
    view,
    on: onText(view.engine, file?.dest),
    reason: running && "reason" in sighting ? sighting.reason : undefined,
    supervisor: running ? (supervisor ?? (phase === "running" ? "alive" : "unknown")) : null,
  };
}

/** How an engine is named in a list: as `--on` takes it. */
export function onText(kind: string, dest: string | undefined): string {
  return dest === undefined ? kind : `${kind}:${dest}`;
}
