import type { Stats } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome, Terminal } from "../../kernel/call/outcome.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { table } from "../../kernel/text/table.ts";
import { compileHotCode } from "../../runtime/jit.ts";
import { fileIn, LOG } from "../record/directory.ts";
import { metaIfReadable, readPid, readReason } from "../record/files.ts";
import { supervisorState } from "../record/liveness.ts";
import { isOurDirectory } from "../record/owner.ts";
import { candidateRoots, entries, isRoot, notLookedIn, workRunsRoot } from "../record/roots.ts";
import { isWithEngine, readStateAndEnd, type StateAndEnd } from "../record/state.ts";
import type { JobList, JobState, ListedJob } from "../schema.ts";
import { JOB_STATES } from "../states.ts";
import { usageError } from "../usage.ts";
import { duration, size, timeText } from "./format.ts";

export interface ListFlags {
  skill: string[];
  "run-id": string[];
  label: string[];
  state: string[];
  "no-header": boolean;
}

/** List jobs under every root, newest first (docs/spec/jobs.md 11.1). Only what is looked for is read. */
export async function listJobs(host: Host, args: { flags: ListFlags }): Promise<Outcome<JobList>> {
  compileHotCode(); // there may be ten thousand jobs
  const { flags } = args;
  const wanted = wantedStates(host, flags.state);
  const found: Found[] = [];
  let skipped = 0;
  let seen = 0;
  const walk = directoriesIn(host, () => skipped++);
  for (const { skill, runs } of runsDirectories(host, walk)) {
    if (!matches(flags.skill, skill)) continue;
    for (const { name: run } of walk(runs)) {
      if (!matches(flags["run-id"], run)) continue;
      const jobs = join(runs, run, "jobs");
      for (const { name: id, stat } of walk(jobs)) {
        seen++;
        const place = { job_id: id, job_dir: fileIn(jobs, id), skill, run_id: run };
        const end = readStateAndEnd(host, place.job_dir, stat);
        if (wanted.size > 0 && !wanted.has(end.state)) continue;
        const job = await describe(host, place, end);
        if (matches(flags.label, job.label)) found.push(job);
      }
    }
  }
  const look = await lookAtOpen(host, found, wanted);
  if (look !== undefined) found.splice(0, found.length, ...look.found);
  found.sort(
    (a, b) =>
      (b.startedMs ?? -Infinity) - (a.startedMs ?? -Infinity) ||
      (a.job_id < b.job_id ? -1 : a.job_id > b.job_id ? 1 : 0),
  );
  const data = found.map(({ startedMs: _, ...job }) => job);
  const notes = skipped === 0 ? [] : [`skipped ${skipped} entries not owned by the current user`];
  notes.push(...(look?.notes ?? []));
  const aside = seen === 0 ? notLookedIn(host) : undefined;
  if (aside !== undefined) notes.push(`no such job under ${candidateRoots(host).join(", ")}; ${aside}`);
  return {
    data,
    text: (terminal) => listText(data, terminal, !flags["no-header"], look?.on ?? new Map()),
    notes: notes.map((note) => host.prefix + note),
  };
}

type Found = ListedJob & { startedMs: number | undefined };

/** Look at the open jobs of engines among those found; nothing is loaded where there is none, and nothing is brought. */
async function lookAtOpen(host: Host, found: readonly Found[], wanted: ReadonlySet<JobState>) {
  if (!found.some(({ engine }) => engine !== undefined)) return undefined;
  return (await import("./engine-list.ts")).lookAtListed(host, found, wanted, describe);
}

function matches(wanted: readonly string[], value: string | null): boolean {
  return wanted.length === 0 || (value !== null && wanted.includes(value));
}

function wantedStates(host: Host, given: readonly string[]): Set<JobState> {
  const wanted = new Set<JobState>();
  for (const word of given.flatMap((list) => list.split(","))) {
    const state = JOB_STATES.find((candidate) => candidate === word);
    if (state === undefined) {
      throw usageError(
        host,
        "list",
        `--state: unknown state '${word}'; expected one of ${JOB_STATES.join(", ")}`,
      );
    }
    wanted.add(state);
  }
  return wanted;
}

interface SubDirectory {
  name: string;
  stat: Stats;
}

type Walk = (directory: string) => SubDirectory[];

/** A directory's own real sub-directories; foreign ones are counted and left out. */
function directoriesIn(host: Host, skip: () => void): Walk {
  return (directory) => {
    const found: SubDirectory[] = [];
    for (const name of entries(directory)) {
      const stat = lookAt(fileIn(directory, name));
      if (!stat?.isDirectory()) continue;
      if (isOurDirectory(host, fileIn(directory, name), stat)) found.push({ name, stat });
      else skip();
    }
    return found;
  };
}

/** Every directory that holds run roots, with the skill they belong to. */
function* runsDirectories(host: Host, walk: Walk): Generator<{ skill: string; runs: string }> {
  for (const root of candidateRoots(host)) {
    if (!isRoot(host, root)) continue;
    for (const { name: skill } of walk(root)) yield { skill, runs: join(root, skill) };
  }
  const work = workRunsRoot(host);
  if (work !== undefined && isRoot(host, work)) yield { skill: "ce-work", runs: work };
}

const NOTHING = {
  label: null,
  supervisor: null,
  started_at: null,
  ended_at: null,
  elapsed_secs: null,
  log_bytes: null,
  log_updated_at: null,
  result_path: null,
  reason: null,
};

type Place = Pick<ListedJob, "job_id" | "job_dir" | "skill" | "run_id">;

async function describe(host: Host, place: Place, { state, endedAt }: StateAndEnd): Promise<Found> {
  // Nothing from inside a job that failed its checks.
  if (state === "unreadable") return { ...place, state, ...NOTHING, startedMs: undefined };
  const directory = place.job_dir;
  const meta = metaIfReadable(host, directory);
  const log = lookAt(fileIn(directory, LOG));
  const running = state === "running";
  const startedMs = meta?.startedAt;
  const engine = meta?.engine ?? (running && isWithEngine(directory) ? "unknown" : undefined);
  const until = running ? host.now() : endedAt;
  const elapsed = startedMs === undefined || until === undefined ? undefined : (until - startedMs) / 1000;
  return {
    ...place,
    label: meta?.label ?? null,
    state,
    // Nobody here can judge by its pids a job that an engine runs.
    supervisor: !running
      ? null
      : engine === undefined
        ? await supervisorState(host, directory, readPid(host, directory))
        : "unknown",
    started_at: timeText(startedMs),
    ended_at: timeText(endedAt),
    elapsed_secs: elapsed === undefined ? null : Math.max(0, Math.floor(elapsed)),
    log_bytes: log?.isFile() ? log.size : null,
    log_updated_at: log?.isFile() ? timeText(log.mtimeMs) : null,
    result_path: meta?.resultPath ?? null,
    reason: running ? null : (readReason(host, directory) ?? null),
    ...(engine === undefined ? {} : { engine }),
    startedMs,
  };
}

const HEADER = ["STATE", "SKILL", "RUN", "JOB", "LABEL", "ELAPSED", "LOG", "REASON"];

function listText(
  jobs: JobList,
  terminal: Terminal,
  header: boolean,
  on: ReadonlyMap<string, string>,
): string {
  const { isTerminal } = terminal;
  const withEngines = jobs.some(({ engine }) => engine !== undefined);
  if (isTerminal && jobs.length === 0) return "no jobs";
  const rows = jobs.map((job) => [
    job.state,
    job.skill,
    job.run_id,
    job.job_id,
    job.label ?? "-",
    job.elapsed_secs === null ? "-" : isTerminal ? duration(job.elapsed_secs) : String(job.elapsed_secs),
    job.log_bytes === null ? "-" : isTerminal ? size(job.log_bytes) : String(job.log_bytes),
    ...(withEngines ? [on.get(job.job_dir) ?? job.engine ?? "-"] : []),
    job.supervisor === "gone" ? "supervisor gone; reap to settle" : (job.reason ?? ""),
  ]);
  const names = withEngines ? HEADER.toSpliced(-1, 0, "ON") : HEADER;
  return table(names, rows, terminal, { headerWhenPiped: header, alignRight: [5, 6] });
}
