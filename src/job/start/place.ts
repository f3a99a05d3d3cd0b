import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { isSameDirectory } from "../../kernel/files/contain.ts";
import { isDirectory, lookAt } from "../../kernel/files/look.ts";
import { checkDirectory, makeDirectory, makePrivate } from "../../kernel/files/private-dir.ts";
import { chooseTempRoot } from "../../kernel/shared/choose-temp-root.ts";
import { primaryTempRoot, TEMP_REMEDY } from "../../kernel/shared/temp-root.ts";
import { engineRoot, givenRoot, WORK_SKILL, workRunsRoot } from "../record/roots.ts";

/** Where a new job goes: `<base>/<components…>/<job id>`. */
export interface JobPlace {
  base: string;
  /** Directories below the base, made one by one: skill, run id and `jobs`. */
  components: string[];
  /** The base is jig's own default root (docs/spec/jobs.md 12.1). */
  managed: boolean;
  /** Why the base is where only a caller with the same TMPDIR looks (docs/spec/jobs.md 5.1). */
  aside?: string;
}

/** Choose the root for a new job, and make it when it is the default one (docs/spec/jobs.md 5.1). */
export async function placeForNewJob(host: Host, skill: string, runId: string): Promise<JobPlace> {
  const work = skill === WORK_SKILL ? workRunsRoot(host) : undefined;
  if (work !== undefined) return { base: work, components: [runId, "jobs"], managed: false };
  const given = givenRoot(host);
  const components = [skill, runId, "jobs"];
  if (given !== undefined) return { base: given, components, managed: false };
  const { path: base, fallback } = await chooseTempRoot(host, "jobs");
  const primary = primaryTempRoot(host, "jobs");
  return fallback && !isSameDirectory(primary, base)
    ? { base, components, managed: true, aside: `${primary} takes no job here` }
    : { base, components, managed: true };
}

/** As `placeForNewJob`, for a job that another machine has to see; missing parents are made (docs/spec/engines.md 2.2). */
export function placeForEngineJob(host: Host, skill: string, runId: string): JobPlace {
  const work = skill === WORK_SKILL ? workRunsRoot(host) : undefined;
  const components = [runId, "jobs"];
  if (work !== undefined) return { base: work, components, managed: false };
  const given = givenRoot(host);
  if (given !== undefined) return { base: given, components: [skill, ...components], managed: false };
  const base = engineRoot(host);
  if (base === undefined) {
    throw new JigError("HOME is not set, so there is no place for the job that other machines see", {
      hint: "set CE_PEER_JOBS_ROOT to a directory that all of them share",
    });
  }
  makeParents(dirname(base));
  return { base, components: [skill, ...components], managed: true };
}

/** Make what is missing of a path, each part 0700 whatever the umask. */
function makeParents(path: string): void {
  if (isDirectory(path)) return;
  makeParents(dirname(path));
  if (makeDirectory(path)) makePrivate(path);
}

/** The root a new job would use now; nothing is created (docs/spec/jobs.md 11.4). Throws when it could not be used. */
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
  requireWritable(
    lookAt(root) === undefined ? dirname(root) : root,
    given === undefined && host.platform !== "win32" ? TEMP_REMEDY : undefined,
  );
  return { root, fallback: choice.fallback };
}

function requireWritable(directory: string, hint: string | undefined): void {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const message = `cannot write in ${directory}: ${osReason(error)}`;
    throw new JigError(message, { cause: error, ...(hint === undefined ? {} : { hint }) });
  }
}
