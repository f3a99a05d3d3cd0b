import type { Args } from "../../kernel/call/command.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { findJobs, type JobRef } from "../record/roots.ts";
import { readState } from "../record/state.ts";
import type { JobState, JobStates } from "../schema.ts";
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
  const jobs = findJobs(host, args.positionals, args.flags.skill);
  const states = jobs.map((job) => readState(host, job.directory));
  const notes: string[] = [];
  for (const [index, { ref, directory }] of jobs.entries()) {
    if (states[index] !== "running") continue;
    const { goneNote, lookCloser } = await import("../end/vanished.ts");
    const { state, supervisor } = await lookCloser(host, directory);
    states[index] = state;
    if (supervisor === "gone") notes.push(host.prefix + goneNote(printable(ref)));
  }
  const outcome = await (args.flags.details
    ? detailed(host, jobs, states, args.flags.json)
    : statesOutcome(jobs, states, args.flags.json));
  return { ...outcome, notes };
}

/** The states with what else a caller may need of a job's files, so that nobody has to read them. */
async function detailed(
  host: Host,
  jobs: readonly JobRef[],
  states: readonly JobState[],
  json: boolean,
): Promise<Outcome<JobStates>> {
  if (!json) throw usageError(host, "status", "--details needs --json");
  const { detailsOf } = await import("./details.ts");
  const outcome = await statesOutcome(jobs, states, false);
  return {
    ...outcome,
    data: outcome.data.map((job) => ({ ...job, details: detailsOf(host, job.job_dir, job.state) })),
  };
}

/** What `status` prints, and `wait` without a deadline: one bare state, or a line for each ref. */
export async function statesOutcome(
  jobs: readonly JobRef[],
  states: readonly JobState[],
  json: boolean,
): Promise<Outcome<JobStates>> {
  const data = jobs.map(({ ref, directory }, index) => ({ ref, job_dir: directory, state: states[index]! }));
  const text =
    data.length === 1 ? data[0]!.state : data.map(({ ref, state }) => `${ref}\t${state}`).join("\n");
  if (!json) return { data, text };
  const { pythonJson } = await import("../../kernel/text/python-json.ts");
  return { data, text, json: pythonJson(data) };
}
