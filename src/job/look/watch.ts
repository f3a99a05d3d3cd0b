import { exitCodeOf, type Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import { sleep } from "../../kernel/text/time.ts";
import type { JobRef } from "../record/roots.ts";
import { isSettled, isWithEngine, readState } from "../record/state.ts";
import type { EngineView, JobState } from "../schema.ts";

/** Between two looks: soon at first, since many jobs are short, never over the second the contract allows. */
const FIRST_LOOK_MS = 50;
const SLOWEST_LOOK_MS = 250;

/** What watching came to. */
interface Watched {
  states: JobState[];
  /** What the last look at its engine found of each job that one has. */
  views: (EngineView | undefined)[];
  /** Undefined when there was nothing to wait for. */
  interruption: AbortSignal | undefined;
}

export interface WatchOptions {
  /** The states as they were just read; a settled one is final and not read again. */
  firstLook: readonly JobState[];
  /** How long to watch. */
  seconds: number;
  /** The jobs' common deadline for the progress lines, milliseconds since the epoch. */
  deadlineAt?: number;
  /** Draw progress when a person looks on. */
  progress: boolean;
}

/** Look at every job until all are settled, the time is up, or the caller is interrupted. */
export async function watchJobs(
  host: Host,
  jobs: readonly JobRef[],
  { firstLook, seconds, deadlineAt, progress: wanted }: WatchOptions,
): Promise<Watched> {
  const states = [...firstLook];
  if (states.every(isSettled)) return { states, views: [], interruption: undefined };
  const interruption = host.interruption();
  const end = performance.now() + seconds * 1000;
  let progress: Progress | undefined;
  const say = (line: string) => {
    progress?.erase();
    host.stderr(`${host.prefix}${line}\n`);
  };
  const noteLost = lostNotes(host, say);
  const engines = await engineLooks(host, jobs, states, { end, interruption, say });
  for (let pause = FIRST_LOOK_MS; states.some((state) => !isSettled(state)); ) {
    engines?.lookWhenDue();
    await noteLost(jobs, states);
    const left = end - performance.now();
    if (left <= 0 || interruption.aborted) break;
    if (progress === undefined && wanted && wantsProgress(host)) {
      progress = (await import("./progress.ts")).startProgress(host, jobs, deadlineAt);
    }
    progress?.draw(states, engines?.phases);
    await sleep(Math.min(pause, left), interruption);
    pause = Math.min(pause * 1.2, SLOWEST_LOOK_MS);
    readAgain(host, jobs, states);
  }
  await engines?.finish();
  readAgain(host, jobs, states);
  progress?.erase();
  return { states, views: engines?.views ?? [], interruption };
}

interface Progress {
  draw(states: readonly JobState[], phases: readonly (string | undefined)[] | undefined): void;
  erase(): void;
}

/** A state seen settled is final and not read again. */
function readAgain(host: Host, jobs: readonly JobRef[], states: JobState[]): void {
  for (const [index, job] of jobs.entries()) {
    if (!isSettled(states[index]!)) states[index] = readState(host, job.directory);
  }
}

/** The looks at engines beside the files; nothing of them is loaded where no job is with one. */
async function engineLooks(
  host: Host,
  jobs: readonly JobRef[],
  states: JobState[],
  options: { end: number; interruption: AbortSignal; say(line: string): void },
) {
  const isOne = (index: number) => !isSettled(states[index]!) && isWithEngine(jobs[index]!.directory);
  if (![...jobs.keys()].some(isOne)) return undefined;
  return (await import("./engine-looks.ts")).engineLooks(host, jobs, states, options);
}

/** The exit code of a call that was interrupted: 130 or 143. */
export function exitOf(interruption: AbortSignal | undefined): { exitCode?: number } {
  return interruption?.aborted ? { exitCode: exitCodeOf(interruption) } : {};
}

/** Progress is for a person at a terminal (docs/spec/jobs.md 11.3). */
function wantsProgress(host: Host): boolean {
  return !host.env["CI"] && host.env["TERM"] !== "dumb" && host.terminal("stderr").isTerminal;
}

/** Between two questions whether supervisors live: it may cost a program where there is no `/proc`. */
const LOST_LOOK_MS = 2_000;

/** Says once per job that it will not settle by itself, since its supervisor is gone (docs/spec/jobs.md section 3). */
function lostNotes(
  host: Host,
  say: (line: string) => void,
): (jobs: readonly JobRef[], states: JobState[]) => Promise<void> {
  const noted = new Set<number>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async (jobs, states) => {
    if (performance.now() - lookedAt < LOST_LOOK_MS) return;
    lookedAt = performance.now();
    const { goneNote, lookCloser } = await import("../end/vanished.ts");
    for (const [index, job] of jobs.entries()) {
      if (isSettled(states[index]!) || noted.has(index) || isWithEngine(job.directory)) continue;
      const { state, supervisor } = await lookCloser(host, job.directory);
      states[index] = state;
      if (supervisor !== "gone") continue;
      noted.add(index);
      say(goneNote(printable(job.ref)));
    }
  };
}
