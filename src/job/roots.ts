import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { EXIT, JigError, osReason } from "../kernel/errors.ts";
import type { Host } from "../kernel/host.ts";
import { checkDirectory } from "../kernel/private-dir.ts";
import { chooseTempRoot, tempRootCandidates } from "../kernel/temp-root.ts";
import { printable } from "../kernel/text.ts";
import { isToken } from "../kernel/token.ts";
import { lookAt } from "./files.ts";

/** A job as a caller named it, and where it is. */
export interface JobRef {
  /** As given. */
  ref: string;
  /** Absolute, not link-resolved. */
  directory: string;
}

/** Where a new job goes: `<base>/<components…>/<job id>`. */
export interface JobPlace {
  base: string;
  /** Directories below the base, made one by one: skill, run id and `jobs`. */
  components: string[];
  /** The base is jig's own default root (spec/jobs.md 12.1). */
  managed: boolean;
}

/** The skill whose runs may live in a root of their own. */
const WORK_SKILL = "ce-work";

/** Directory of the runs of `ce-work` when `CE_WORK_RUNS_ROOT` says so; undefined otherwise. */
export function workRunsRoot(host: Pick<Host, "env" | "cwd">): string | undefined {
  const root = host.env["CE_WORK_RUNS_ROOT"];
  return root ? resolve(host.cwd, root) : undefined;
}

function givenRoot(host: Pick<Host, "env" | "cwd">): string | undefined {
  const root = host.env["CE_PEER_JOBS_ROOT"];
  return root ? resolve(host.cwd, root) : undefined;
}

/** Choose the root for a new job, and make it when it is the default one (spec/jobs.md 5.1). */
export async function placeForNewJob(host: Host, skill: string, runId: string): Promise<JobPlace> {
  const work = skill === WORK_SKILL ? workRunsRoot(host) : undefined;
  if (work !== undefined) return { base: work, components: [runId, "jobs"], managed: false };
  const given = givenRoot(host);
  const base = given ?? (await chooseTempRoot(host, "jobs")).path;
  return { base, components: [skill, runId, "jobs"], managed: given === undefined };
}

/** The root a new job would use now; nothing is created (spec/jobs.md 11.4). Throws when it could not be used. */
export async function rootForNewJobs(host: Host): Promise<{ root: string; fallback: boolean }> {
  const given = givenRoot(host);
  const choice =
    given === undefined
      ? await chooseTempRoot(host, "jobs", { create: false })
      : { path: given, fallback: false };
  const root = choice.path;
  if (lookAt(root) !== undefined) checkDirectory(root, host.uid);
  else if (lookAt(dirname(root)) === undefined) {
    throw new JigError(`cannot create ${root}: parent directory does not exist`);
  }
  requireWritable(lookAt(root) === undefined ? dirname(root) : root);
  return { root, fallback: choice.fallback };
}

function requireWritable(directory: string): void {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new JigError(`cannot write in ${directory}: ${osReason(error)}`);
  }
}

/** Every root a job may be under: those in and outside a sandbox, whichever is chosen for new jobs (spec/jobs.md 5.3). */
export function candidateRoots(host: Host): string[] {
  const given = givenRoot(host);
  return given === undefined ? tempRootCandidates(host, "jobs") : [given];
}

/** Find every job before anything is done with one. Throws `JigError` (exit 1) for the first that cannot be found. */
export function findJobs(host: Host, refs: readonly string[], skill: string | undefined): JobRef[] {
  return refs.map((ref) => findJob(host, ref, skill));
}

/** Find a job by a path or a bare id (spec/jobs.md 5.3). Throws `JigError`, exit 1. Creates nothing. */
export function findJob(host: Host, ref: string, skill: string | undefined): JobRef {
  if (ref.includes("/") || (sep === "\\" && ref.includes("\\"))) {
    const directory = resolve(host.cwd, ref);
    if (!isDirectory(directory)) throw notFound(`no such job dir: ${printable(ref)}`);
    return { ref, directory };
  }
  if (!isToken(ref)) throw notFound(`invalid job ref: '${printable(ref)}'`);
  if (skill !== undefined && !isToken(skill)) throw notFound(`invalid skill: '${printable(skill)}'`);
  const { roots, runsDirectories } = whereToLook(host, skill);
  const matches = runsDirectories.flatMap((runs) =>
    entries(runs)
      .map((run) => join(runs, run, "jobs", ref))
      .filter(isDirectory),
  );
  if (matches.length === 0) throw notFound(`job not found under ${roots.join(", ")}: ${ref}`);
  if (matches.length > 1) {
    throw notFound(`ambiguous job id ${ref}: ${matches.length} matches; pass the job dir path`);
  }
  return { ref, directory: matches[0]! };
}

function notFound(message: string): JigError {
  return new JigError(message, { exitCode: EXIT.failed });
}

/** The roots named to a person, and the directories that hold run roots. */
function whereToLook(host: Host, skill: string | undefined): { roots: string[]; runsDirectories: string[] } {
  const work = skill === WORK_SKILL ? workRunsRoot(host) : undefined;
  if (work !== undefined) return { roots: [work], runsDirectories: [work] };
  const roots = candidateRoots(host);
  const runsDirectories = roots.flatMap((root) =>
    (skill === undefined ? entries(root) : [skill]).map((name) => join(root, name)),
  );
  return { roots, runsDirectories };
}

/** Names in a directory; none when it cannot be read, since a missing root is an empty one. */
export function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** The id a job directory is named for. */
export function jobIdOf(directory: string): string {
  return basename(directory);
}
