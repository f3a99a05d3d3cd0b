import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { pythonJson } from "../../kernel/text/python-json.ts";
import { META } from "../record/directory.ts";
import { metaIfReadable, readReason } from "../record/files.ts";
import { isOurDirectory } from "../record/owner.ts";
import type { JobRef } from "../record/roots.ts";
import { isWithEngine, readState, readStateAndEnd } from "../record/state.ts";
import type { JobState, JobWait } from "../schema.ts";
import { boundOf, deadlineOf, summarize, summaryText, type Watched } from "./deadline.ts";
import { exitOf, watchJobs } from "./watch.ts";

/** What a wait against a deadline was asked for, in seconds. */
export interface DeadlineWait {
  deadlineSeconds: number;
  graceSeconds: number;
  maxSeconds: number;
  progress: boolean;
}

/** Wait as long as the jobs' common deadline and this call's own bound allow, and say what to do next (docs/spec/jobs.md 2.4). */
export async function waitUntilDeadline(
  host: Host,
  jobs: readonly JobRef[],
  { deadlineSeconds, graceSeconds, maxSeconds, progress }: DeadlineWait,
): Promise<Outcome<JobWait>> {
  const starts = jobs.map((job) => startOf(host, job));
  const deadline = deadlineOf(starts, deadlineSeconds, graceSeconds, host.now());
  const watch = await watchJobs(host, jobs, {
    firstLook: jobs.map((job) => readState(host, job.directory)),
    seconds: boundOf(deadline, maxSeconds, host.now()),
    deadlineAt: deadline.at,
    progress,
  });
  const data = summarize(
    jobs.map((job, index) => describe(host, job, watch.states[index]!, starts[index])),
    deadline,
    host.now(),
  );
  for (const [index, job] of data.jobs.entries()) {
    if (!isWithEngine(job.job_dir)) continue;
    const { settledView } = await import("../record/engine-file.ts");
    Object.assign(job, watch.views[index] ?? settledView(host, job.job_dir));
  }
  return { data, text: summaryText(data), json: pythonJson(data), ...exitOf(watch.interruption) };
}

/** When a job began: its metadata's word, else the file's time; undefined when neither can be had. */
function startOf(host: Host, { directory }: JobRef): number | undefined {
  if (readState(host, directory) === "unreadable" && !isOurDirectory(host, directory)) return undefined;
  return metaIfReadable(host, directory)?.startedAt ?? lookAt(join(directory, META))?.mtimeMs;
}

function describe(host: Host, job: JobRef, state: JobState, startedAt: number | undefined): Watched {
  const own = isOurDirectory(host, job.directory);
  return {
    ref: job.ref,
    directory: job.directory,
    label: own ? (metaIfReadable(host, job.directory)?.label ?? null) : null,
    state,
    startedAt,
    // The upstream name counts on after the end, as its tool does.
    until: state === "running" || host.invokedAs !== undefined ? host.now() : endOf(host, job),
    recorded: own ? readReason(host, job.directory) : undefined,
  };
}

function endOf(host: Host, { directory }: JobRef): number | undefined {
  return readStateAndEnd(host, directory, lookAt(directory)).endedAt;
}
