import type { Args } from "../../kernel/call/command.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { findJobs, type JobRef } from "../record/roots.ts";
import { isWithEngine, readState } from "../record/state.ts";
import type { EngineView, JobState, JobStates } from "../schema.ts";
import { usageError } from "../usage.ts";

/**
 * Print states without blocking (docs/spec/jobs.md 2.3), with a note on a job that nobody supervises any more. Throws when
 * any ref cannot be found; nothing is printed then.
 */
export async function jobStatus(
  host: Host,
  args: Pick<Args, "positionals"> & {
    flags: { skill: string | undefined; json: boolean; details: boolean };
  },
): Promise<Outcome<JobStates>> {
  const { details, json } = args.flags;
  if (details && !json) throw usageError(host, "status", "--details needs --json");
  const jobs = findJobs(host, args.positionals, args.flags.skill);
  const states = jobs.map((job) => readState(host, job.directory));
  const notes: string[] = [];
  const views: EngineView[] = [];
  if (states.includes("running")) {
    const { lookCloserAt } = await import("./closer.ts");
    const running = [...states.keys()].filter((index) => states[index] === "running");
    const look = await lookCloserAt(
      host,
      running.map((index) => jobs[index]!),
    );
    for (const [at, index] of running.entries()) {
      const { state, view } = look.found[at]!;
      states[index] = state;
      if (view !== undefined) views[index] = view;
    }
    notes.push(...look.notes.map((note) => host.prefix + note));
  }
  const outcome = await (details
    ? detailed(host, jobs, states, views)
    : statesOutcome(host, jobs, states, json, views));
  return { ...outcome, notes };
}

/** The states with what else a caller may need of a job's files, so that nobody has to read them. */
async function detailed(
  host: Host,
  jobs: readonly JobRef[],
  states: readonly JobState[],
  views: readonly (EngineView | undefined)[],
): Promise<Outcome<JobStates>> {
  const { detailsOf } = await import("./details.ts");
  const { data } = await statesOutcome(host, jobs, states, true, views);
  return {
    data: data.map((job) => ({ ...job, details: detailsOf(host, job.job_dir, job.state) })),
    text: "",
  };
}

/**
 * What `status` prints, and `wait` without a deadline: one bare state, or a line for each ref. As JSON also what a look
 * found of a job that an engine has, or what its files say once it has settled.
 */
export async function statesOutcome(
  host: Host,
  jobs: readonly JobRef[],
  states: readonly JobState[],
  json: boolean,
  views: readonly (EngineView | undefined)[] = [],
): Promise<Outcome<JobStates>> {
  const data: JobStates = jobs.map(({ ref, directory }, index) => ({
    ref,
    job_dir: directory,
    state: states[index]!,
  }));
  const text =
    data.length === 1 ? data[0]!.state : data.map(({ ref, state }) => `${ref}\t${state}`).join("\n");
  if (!json) return { data, text };
  for (const [index, job] of data.entries()) {
    if (!isWithEngine(job.job_dir)) continue;
    const { settledView } = await import("../record/engine-file.ts");
    Object.assign(job, views[index] ?? settledView(host, job.job_dir));
  }
  const { pythonJson } = await import("../../kernel/text/python-json.ts");
  return { data, text, json: pythonJson(data) };
}
