import type { Args } from "../../kernel/call/command.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { findJobs } from "../record/roots.ts";
import { isSettled, readState } from "../record/state.ts";
import type { JobStates, JobWait } from "../schema.ts";
import { statesOutcome } from "./status.ts";

const DEFAULT_MAX_SECONDS = 30;

interface WaitFlags {
  skill: string | undefined;
  "max-secs": number | undefined;
  "deadline-secs": number | undefined;
  "deadline-grace-secs": number | undefined;
  "no-progress": boolean;
  json: boolean;
}

/**
 * Wait until all jobs have settled, at most `--max-secs` (docs/spec/jobs.md 2.4). Exit 0 whatever their states; 130 or 143
 * when interrupted, with the states of that moment.
 */
export async function waitForJobs(
  host: Host,
  args: Pick<Args, "positionals"> & { flags: WaitFlags },
): Promise<Outcome<JobStates | JobWait>> {
  const { flags } = args;
  const maxSeconds = Math.max(0, flags["max-secs"] ?? DEFAULT_MAX_SECONDS);
  const deadlineSeconds = flags["deadline-secs"];
  const graceSeconds = flags["deadline-grace-secs"] ?? 0;
  const jobs = findJobs(host, args.positionals, flags.skill);
  const progress = !flags["no-progress"];

  if (deadlineSeconds !== undefined) {
    const { waitUntilDeadline } = await import("./wait-deadline.ts");
    return waitUntilDeadline(host, jobs, { deadlineSeconds, graceSeconds, maxSeconds, progress });
  }
  const firstLook = jobs.map((job) => readState(host, job.directory));
  if (firstLook.every(isSettled)) return statesOutcome(host, jobs, firstLook, flags.json);
  const { exitOf, watchJobs } = await import("./watch.ts");
  const watch = await watchJobs(host, jobs, { firstLook, seconds: maxSeconds, progress });
  const outcome = await statesOutcome(host, jobs, watch.states, flags.json, watch.views);
  return { ...outcome, ...exitOf(watch.interruption) };
}
