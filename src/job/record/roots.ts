import { readdirSync } from "node:fs";
import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { isReadable } from "../../kernel/call/environment.ts";
import { EXIT, JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { isDirectory, lookAt } from "../../kernel/files/look.ts";
import { tempRootCandidates } from "../../kernel/shared/temp-root.ts";
import { printable } from "../../kernel/text/printable.ts";
import { isToken } from "../../kernel/text/token.ts";
import { isOurDirectory } from "./owner.ts";

/** A job as a caller named it, and where it is. */
export interface JobRef {
  /** As given. */
  ref: string;
  /** Absolute, not link-resolved. */
  directory: string;
}

/** The skill whose runs may live in a root of their own. */
export const WORK_SKILL = "ce-work";

/** Directory of the runs of `ce-work` when `CE_WORK_RUNS_ROOT` says so; undefined otherwise. */
export function workRunsRoot(host: Pick<Host, "env" | "cwd">): string | undefined {
  const root = host.env["CE_WORK_RUNS_ROOT"];
  return root ? absolute(host, root) : undefined;
}

/** `CE_PEER_JOBS_ROOT` as an absolute path; undefined without it. */
export function givenRoot(host: Pick<Host, "env" | "cwd">): string | undefined {
  const root = host.env["CE_PEER_JOBS_ROOT"];
  return root ? absolute(host, root) : undefined;
}

/** Without a look at the working directory where none is needed: jobs are looked after also from one that is gone. */
function absolute(host: Pick<Host, "cwd">, path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(host.cwd, path);
}

/**
 * Every root a job may be under: those in and outside a sandbox, whichever is chosen for new jobs (docs/spec/jobs.md 5.3),
 * and that of the engines' jobs, if it exists (docs/spec/engines.md 2.2).
 */
export function candidateRoots(host: Host): string[] {
  const given = givenRoot(host);
  if (given !== undefined) return [given];
  const roots = tempRootCandidates(host, "jobs");
  const engines = engineRoot(host);
  if (engines !== undefined && lookAt(engines) !== undefined) roots.push(engines);
  return roots;
}

/**
 * Where jobs go that an engine runs, without `CE_PEER_JOBS_ROOT`: nodes share no `/tmp`, and a restart empties it
 * (docs/spec/engines.md 2.2). Undefined where no home is known, and on Windows, which has no engine.
 */
export function engineRoot(host: Pick<Host, "env" | "home" | "platform">): string | undefined {
  if (host.platform === "win32") return undefined;
  const given = isReadable(host.env, "XDG_STATE_HOME") ? host.env["XDG_STATE_HOME"] : undefined;
  const state = given && isAbsolute(given) ? given : host.home && `${host.home}/.local/state`;
  return state ? join(state, "jig", "jobs") : undefined;
}

/**
 * Whether a root may be looked in (docs/spec/jobs.md 5.3): whoever may write to a directory that is not ours plants jobs
 * there, to make an id ambiguous or to be taken for one of ours.
 */
export function isRoot(host: Pick<Host, "uid">, path: string): boolean {
  return isOurDirectory(host, path);
}

/** Find every job before anything is done with one. Throws `JigError` (exit 1) for the first that cannot be found. */
export function findJobs(host: Host, refs: readonly string[], skill: string | undefined): JobRef[] {
  return refs.map((ref) => findJob(host, ref, skill));
}

/** Find a job by a path or a bare id (docs/spec/jobs.md 5.3). Throws `JigError`, exit 1. Creates nothing. */
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
  if (matches.length === 0) {
    const hint = host.invokedAs === undefined ? notLookedIn(host) : undefined;
    throw notFound(`job not found under ${roots.join(", ")}: ${ref}`, hint);
  }
  if (matches.length > 1) {
    throw notFound(`ambiguous job id ${ref}: ${matches.length} matches; pass the job dir path`);
  }
  return { ref, directory: matches[0]! };
}

function notFound(message: string, hint?: string): JigError {
  return new JigError(message, { exitCode: EXIT.failed, ...(hint === undefined ? {} : { hint }) });
}

/**
 * Where jobs may be that are not looked for: a sandbox around their `start` may have had a TMPDIR of its own, which shows
 * nowhere. Undefined where the roots are given, and on Windows, which has one.
 */
export function notLookedIn(host: Host): string | undefined {
  if (host.platform === "win32" || givenRoot(host) !== undefined) return undefined;
  return "jobs started with another TMPDIR are below that one: call with the same, or name the job by its directory";
}

/** The roots named to a person, and the directories that hold run roots. */
function whereToLook(host: Host, skill: string | undefined): { roots: string[]; runsDirectories: string[] } {
  const work = skill === WORK_SKILL ? workRunsRoot(host) : undefined;
  if (work !== undefined) return { roots: [work], runsDirectories: isRoot(host, work) ? [work] : [] };
  const roots = candidateRoots(host);
  const own = roots.filter((root) => isRoot(host, root));
  const runsDirectories = own.flatMap((root) =>
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

/** The id a job directory is named for. */
export function jobIdOf(directory: string): string {
  return basename(directory);
}
