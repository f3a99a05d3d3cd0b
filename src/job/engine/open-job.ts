import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isToken } from "../../kernel/text/token.ts";
import { readEngineFile } from "../record/engine-file.ts";
import { metaIfReadable } from "../record/files.ts";
import { candidateRoots, engineRoot, isRoot, jobIdOf, WORK_SKILL, workRunsRoot } from "../record/roots.ts";
import type { JobEngine } from "../schema.ts";
import type { OpenJob } from "./engine.ts";
import { engineOf } from "./kinds.ts";

/** A job directory with an `engine.json` that is not asked about, and why. */
export interface ClosedJob {
  file: JobEngine | undefined;
  problem: string;
}

/**
 * Read the engine's side of a job. Only of one that really is below a root of ours: an `engine.json` in a checkout could
 * name a program to run (docs/spec/engines.md 2.4).
 */
export async function openJob(host: Host, ref: string, directory: string): Promise<OpenJob | ClosedJob> {
  const file = readEngineFile(host, directory);
  if (file === undefined) return { file, problem: `its engine.json cannot be read` };
  const id = jobIdOf(directory);
  const place = placeOf(host, directory);
  if (place === undefined || !isToken(id)) {
    const why =
      "its directory is not below a jobs root of this machine, so nobody is asked about it; " +
      "set CE_PEER_JOBS_ROOT to the root it belongs to";
    return { file, problem: why };
  }
  const engine = await engineOf(file.kind);
  if (engine === undefined) return { file, problem: `this jig knows no engine '${file.kind}'` };
  const problem = engine.problemOf(file, id);
  if (problem !== undefined)
    return { file, problem: `its engine.json is not one that jig writes: ${problem}` };
  return { ref, directory, id, ...place, file, engine, meta: metaIfReadable(host, directory) };
}

/** Skill and run of a directory that really is `<root>/<skill>/<run>/jobs/<id>`; undefined anywhere else. */
function placeOf(host: Host, directory: string): { skill: string; run: string } | undefined {
  const real = realPath(directory);
  if (real === undefined) return undefined;
  const engines = engineRoot(host);
  const roots = [...candidateRoots(host), ...(engines === undefined ? [] : [engines])];
  for (const root of roots) {
    const [skill, run, jobs, id, ...deeper] = partsBelow(host, root, real);
    if (jobs === "jobs" && id !== undefined && deeper.length === 0) return { skill: skill!, run: run! };
  }
  const work = workRunsRoot(host);
  if (work === undefined) return undefined;
  const [run, jobs, id, ...deeper] = partsBelow(host, work, real);
  return jobs === "jobs" && id !== undefined && deeper.length === 0
    ? { skill: WORK_SKILL, run: run! }
    : undefined;
}

function partsBelow(host: Host, root: string, real: string): string[] {
  const base = isRoot(host, root) ? realPath(root) : undefined;
  if (base === undefined || !real.startsWith(base + sep)) return [];
  return relative(base, real).split(sep);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
