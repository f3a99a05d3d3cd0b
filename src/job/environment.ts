import { isCompiled, isRuntimeSwitch } from "../runtime/self.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the names of held runtime variables begin with, on their way through the supervisor to the worker. */
const HELD = "JIG_HELD_";

/**
 * The caller's environment, for the supervisor and through it for the worker. Variables that change what the runtime
 * does at its start travel under another name (spec/jobs.md section 6).
 */
export function supervisorEnvironment(env: Environment): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || name.startsWith(HELD)) continue;
    passed[isRuntimeSwitch(name) ? HELD + name : name] = value;
  }
  return passed;
}

/** Of the job a worker's environment is made for. */
export interface WorkerJob {
  id: string;
  /** Absolute job directory. */
  directory: string;
  /** The worker's executable is jig itself. */
  workerIsJig: boolean;
  /** Absolute path of the running executable. */
  executable: string;
}

/** The environment of a worker, from its supervisor's (spec/jobs.md section 6). */
export function workerEnvironment(env: Environment, job: WorkerJob): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (!name.startsWith(HELD)) passed[name] = value;
    // A worker that is jig would obey them before its first line, as the supervisor would have.
    else if (!job.workerIsJig) passed[name.slice(HELD.length)] = value;
  }
  delete passed["JIG_BIN"];
  return {
    ...passed,
    CE_PEER_JOB_ID: job.id,
    JIG_JOB_DIR: job.directory,
    ...(isCompiled ? { JIG_BIN: job.executable } : {}),
  };
}
