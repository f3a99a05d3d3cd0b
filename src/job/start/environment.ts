import { isCompiled, isRuntimeSwitch } from "../../runtime/self.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the names of held runtime variables begin with, on their way through the supervisor to the worker. */
const HELD = "JIG_HELD_";

/**
 * Settings of the runtime for a process that waits for minutes: no collection by the clock, which would wake it once a
 * second. The compiler stays: without it (`BUN_JSC_useJIT=0`) the runtime makes no foreign call, so no pidfd and no
 * lock. It costs 0.8 MiB and nothing at rest, since the executable starts with one that waits long (build.ts).
 */
const QUIET_RUNTIME: Readonly<Record<string, string>> = { BUN_GC_TIMER_DISABLE: "1" };

/**
 * The caller's environment, for the supervisor and through it for the worker. Variables that change what the runtime
 * does travel under another name (docs/spec/jobs.md section 6).
 */
export function supervisorEnvironment(env: Environment): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || name.startsWith(HELD)) continue;
    passed[isRuntimeSwitch(name) || Object.hasOwn(QUIET_RUNTIME, name) ? HELD + name : name] = value;
  }
  return Object.assign(passed, QUIET_RUNTIME);
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

/** The environment of a worker, from its supervisor's (docs/spec/jobs.md section 6). */
export function workerEnvironment(env: Environment, job: WorkerJob): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || name === "JIG_BIN" || Object.hasOwn(QUIET_RUNTIME, name)) continue;
    if (!name.startsWith(HELD)) passed[name] = value;
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !name.startsWith(HELD)) continue;
    const own = name.slice(HELD.length);
    // A worker that is jig would obey them before its first line, as the supervisor would have.
    if (!job.workerIsJig || !isRuntimeSwitch(own)) passed[own] = value;
  }
  return {
    ...passed,
    CE_PEER_JOB_ID: job.id,
    JIG_JOB_DIR: job.directory,
    ...(isCompiled ? { JIG_BIN: job.executable } : {}),
  };
}
