import type { JobState, JobWait } from "../schema.ts";

/** What is known of one job for the summary against a deadline. */
export interface Watched {
  ref: string;
  directory: string;
  label: string | null;
  state: JobState;
  /** Milliseconds since the epoch; undefined when unknown. */
  startedAt: number | undefined;
  /** The moment its time is counted to: now, or when its record was written; undefined when unknown. */
  until: number | undefined;
  /** Content of its `reason`; undefined when it has none or it may not be read. */
  recorded: string | undefined;
}

/** The aggregate deadline (docs/spec/jobs.md 2.4), in milliseconds since the epoch. */
export interface Deadline {
  at: number;
  passed: boolean;
}

/** How long a call that comes after its deadline still waits, so that just-reaped jobs can settle. */
const AFTER_DEADLINE_SECONDS = 15;

/**
 * The latest start plus the time given. Without any known start the deadline counts as passed now, so that it cannot
 * begin anew on every call.
 */
export function deadlineOf(
  starts: readonly (number | undefined)[],
  seconds: number,
  graceSeconds: number,
  now: number,
): Deadline {
  const known = starts.filter((start) => start !== undefined);
  const at = known.length === 0 ? now : Math.max(...known) + (seconds + graceSeconds) * 1000;
  return { at, passed: at <= now };
}

/** Seconds one call may wait: its own bound, the time left, or a little when the deadline has passed. */
export function boundOf(deadline: Deadline, maxSeconds: number, now: number): number {
  const limit = deadline.passed ? AFTER_DEADLINE_SECONDS : (deadline.at - now) / 1000;
  return Math.min(maxSeconds, limit);
}

/** The summary as data. */
export function summarize(jobs: readonly Watched[], deadline: Deadline, now: number): JobWait {
  const running = jobs.some((job) => job.state === "running");
  return {
    jobs: jobs.map((job) => ({
      ref: job.ref,
      job_dir: job.directory,
      label: job.label ?? "-",
      state: job.state,
      elapsed_secs:
        job.startedAt === undefined || job.until === undefined
          ? null
          : Math.max(0, Math.floor((job.until - job.startedAt) / 1000)),
      reason: reasonOf(job),
    })),
    all_settled: !running,
    deadline_passed: running && deadline.at <= now,
    secs_left: Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil((deadline.at - now) / 1000))),
  };
}

/** Why a job is in its state, in one line for the reader of a summary. */
export function reasonOf(job: Pick<Watched, "state" | "recorded">): string {
  switch (job.state) {
    case "running":
    case "done":
      return "";
    case "unreadable":
      return "state unreadable (ownership or corruption); no result";
    case "never-started":
      return job.recorded || "never started; no result";
    default:
      return job.recorded ?? "";
  }
}

/** The summary as text: a line for each job, and one that says what to do. */
export function summaryText(summary: JobWait): string {
  const lines = summary.jobs.map((job) => {
    const elapsed = job.elapsed_secs === null ? "?" : `${job.elapsed_secs}s`;
    const cells = [job.label, job.ref, job.state, elapsed, ...(job.reason === "" ? [] : [job.reason])];
    return cells.map(oneLine).join("\t");
  });
  return [...lines, closingLine(summary)].join("\n");
}

function closingLine(summary: JobWait): string {
  const running = summary.jobs.filter((job) => job.state === "running");
  if (running.length === 0) return "all settled";
  if (!summary.deadline_passed) {
    const counts = `${running.length} of ${summary.jobs.length}`;
    return `waiting: ${counts} still running; ${summary.secs_left}s left before the deadline`;
  }
  const refs = running.map((job) => oneLine(job.ref)).join(" ");
  return `deadline passed: reap ${refs}, then wait once more; a job still running after that counts as timed out`;
}

/** A job stays one line, whatever its files say. */
function oneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ");
}
