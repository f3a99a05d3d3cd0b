import { join } from "node:path";
import type { Args } from "../kernel/command.ts";
import { exitCodeOf, type Host } from "../kernel/host.ts";
import type { Outcome } from "../kernel/outcome.ts";
import { pythonJson } from "../kernel/python-json.ts";
import { printable } from "../kernel/text.ts";
import { sleep } from "../kernel/time.ts";
import { boundOf, deadlineOf, summarize, summaryText, type Watched } from "./deadline.ts";
import { lookAt, META, metaIfReadable, readPid, readReason } from "./files.ts";
import { findJobs, type JobRef } from "./roots.ts";
import type { JobState, JobStates, JobWait } from "./schema.ts";
import { isDecimal, number } from "./settings.ts";
import { isSettled, readState } from "./state.ts";
import { statesOutcome } from "./status.ts";
import { usageError } from "./usage.ts";

const DEFAULT_MAX_SECONDS = 30;

/** Between two looks: soon at first, since many jobs are short, never over the second the contract allows. */
const FIRST_LOOK_MS = 50;
const SLOWEST_LOOK_MS = 250;

export interface WaitFlags {
  skill: string | undefined;
  "max-secs": string | undefined;
  "deadline-secs": string | undefined;
  "deadline-grace-secs": string | undefined;
  "no-progress": boolean;
  json: boolean;
}

/**
 * Wait until all jobs have settled, at most `--max-secs` (spec/jobs.md 2.4). Exit 0 whatever their states; 130 or 143
 * when interrupted, with the states of that moment.
 */
export async function waitForJobs(
  host: Host,
  args: Pick<Args, "positionals"> & { flags: WaitFlags },
): Promise<Outcome<JobStates | JobWait>> {
  const { flags } = args;
  const maxSeconds = boundedSeconds(host, flags["max-secs"]);
  const deadlineSeconds = deadlineFlag(host, "deadline-secs", flags["deadline-secs"]);
  const graceSeconds = deadlineFlag(host, "deadline-grace-secs", flags["deadline-grace-secs"]) ?? 0;
  const jobs = findJobs(host, args.positionals, flags.skill);

  if (deadlineSeconds === undefined) {
    const watch = await watchJobs(host, jobs, maxSeconds, flags, undefined);
    return { ...statesOutcome(jobs, watch.states, flags.json), ...exitOf(watch.interruption) };
  }
  const starts = jobs.map((job) => startOf(host, job));
  const deadline = deadlineOf(starts, deadlineSeconds, graceSeconds, host.now());
  const bound = boundOf(deadline, maxSeconds, host.now());
  const watch = await watchJobs(host, jobs, bound, flags, deadline.at);
  const data = summarize(
    jobs.map((job, index) => describe(host, job, watch.states[index]!, starts[index])),
    deadline,
    host.now(),
  );
  return { data, text: summaryText(data), json: pythonJson(data), ...exitOf(watch.interruption) };
}

function exitOf(interruption: AbortSignal | undefined): { exitCode?: number } {
  return interruption?.aborted ? { exitCode: exitCodeOf(interruption) } : {};
}

interface Watch {
  states: JobState[];
  /** Undefined when there was nothing to wait for. */
  interruption: AbortSignal | undefined;
}

/** Look at every job until all are settled, the time is up, or the caller is interrupted. */
async function watchJobs(
  host: Host,
  jobs: readonly JobRef[],
  seconds: number,
  flags: WaitFlags,
  deadlineAt: number | undefined,
): Promise<Watch> {
  const states = jobs.map((job) => readState(host, job.directory));
  if (states.every(isSettled)) return { states, interruption: undefined };
  const interruption = host.interruption();
  const end = performance.now() + seconds * 1000;
  const noteLost = lostNotes(host);
  let progress: { draw(states: readonly JobState[]): void; erase(): void } | undefined;
  for (let pause = FIRST_LOOK_MS; states.some((state) => !isSettled(state)); ) {
    await noteLost(jobs, states, () => progress?.erase());
    const left = end - performance.now();
    if (left <= 0 || interruption.aborted) break;
    if (progress === undefined && !flags["no-progress"] && wantsProgress(host)) {
      progress = (await import("./progress.ts")).startProgress(host, jobs, deadlineAt);
    }
    progress?.draw(states);
    await sleep(Math.min(pause, left), interruption);
    pause = Math.min(pause * 1.2, SLOWEST_LOOK_MS);
    // A state seen settled is final and not read again.
    for (const [index, job] of jobs.entries()) {
      if (!isSettled(states[index]!)) states[index] = readState(host, job.directory);
    }
  }
  progress?.erase();
  return { states, interruption };
}

/** Progress is for a person at a terminal (spec/jobs.md 11.3). */
function wantsProgress(host: Host): boolean {
  return !host.env["CI"] && host.env["TERM"] !== "dumb" && host.terminal("stderr").isTerminal;
}

/** Between two questions whether supervisors live: it may cost a program where there is no `/proc`. */
const LOST_LOOK_MS = 2_000;

/** Says once per job that it will not settle by itself, since its supervisor is gone (spec/jobs.md section 3). */
function lostNotes(
  host: Host,
): (jobs: readonly JobRef[], states: JobState[], beforeNote: () => void) => Promise<void> {
  const noted = new Set<number>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async (jobs, states, beforeNote) => {
    if (performance.now() - lookedAt < LOST_LOOK_MS) return;
    lookedAt = performance.now();
    const { supervisorState } = await import("./liveness.ts");
    for (const [index, job] of jobs.entries()) {
      if (isSettled(states[index]!) || noted.has(index)) continue;
      if ((await supervisorState(host, readPid(host, job.directory))) !== "gone") continue;
      // It may have published and ended since the state was read.
      states[index] = readState(host, job.directory);
      if (isSettled(states[index])) continue;
      noted.add(index);
      beforeNote();
      const ref = printable(job.ref);
      host.stderr(`${host.prefix}job ${ref}: supervisor is gone; reap it to settle it\n`);
    }
  };
}

/** When a job began: its metadata's word, else the file's time; undefined when neither can be had. */
function startOf(host: Host, { directory }: JobRef): number | undefined {
  if (readState(host, directory) === "unreadable" && !isOwn(host, directory)) return undefined;
  return metaIfReadable(host, directory)?.startedAt ?? lookAt(join(directory, META))?.mtimeMs;
}

function isOwn(host: Host, directory: string): boolean {
  const stat = lookAt(directory);
  return stat?.isDirectory() === true && (host.uid === undefined || stat.uid === host.uid);
}

function describe(host: Host, job: JobRef, state: JobState, startedAt: number | undefined): Watched {
  const own = isOwn(host, job.directory);
  return {
    ref: job.ref,
    directory: job.directory,
    label: own ? (metaIfReadable(host, job.directory)?.label ?? null) : null,
    state,
    startedAt,
    recorded: own ? readReason(host, job.directory) : undefined,
  };
}

function boundedSeconds(host: Host, text: string | undefined): number {
  if (text === undefined) return DEFAULT_MAX_SECONDS;
  const seconds = number(text);
  if (seconds === undefined) {
    throw usageError(host, "wait", `argument --max-secs: not a finite number of seconds: '${text}'`);
  }
  return Math.max(0, seconds);
}

function deadlineFlag(
  host: Host,
  flag: "deadline-secs" | "deadline-grace-secs",
  text: string | undefined,
): number | undefined {
  if (text === undefined) return undefined;
  const seconds = number(text);
  if (seconds !== undefined && seconds >= 0) return seconds;
  const isNumber = isDecimal(text) || /^\s*[+-]?(nan|inf|infinity)\s*$/i.test(text);
  const problem = isNumber
    ? `must be a finite, nonnegative number of seconds: '${text}'`
    : `not a number of seconds: '${text}'`;
  throw usageError(host, "wait", `argument --${flag}: ${problem}`);
}
