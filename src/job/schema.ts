import type { GenericSchema } from "valibot";
import * as v from "valibot";
import { JOB_STATES } from "./states.ts";

const described = <S extends v.GenericSchema>(schema: S, text: string) => v.pipe(schema, v.description(text));
const Pid = v.pipe(v.number(), v.integer());

export const JobStateSchema = v.picklist(JOB_STATES);
export type JobState = v.InferOutput<typeof JobStateSchema>;

/** The limits a job runs under, as `start` recorded them (docs/spec/jobs.md 7.1). */
export const SupervisionSchema = v.object({
  idle: described(v.nullable(v.number()), "Seconds without output growth; null when disabled"),
  hard: described(v.number(), "Seconds of wall clock"),
  log_max: described(v.number(), "Bytes of out.log"),
  result_max: described(v.number(), "Bytes of the result"),
  poll: described(v.number(), "Seconds between two looks of the supervisor"),
  grace: described(v.number(), "Seconds between terminate and kill"),
});
export type Supervision = v.InferOutput<typeof SupervisionSchema>;

/** What runs a job's supervisor where that is not this machine (docs/spec/engines.md section 1). */
const EngineKind = described(v.string(), "What runs the supervisor: slurm, ssh");

/** Where an open job is (docs/spec/engines.md section 1). */
export const PhaseSchema = v.picklist(["queued", "running", "ended", "unknown"]);
export type Phase = v.InferOutput<typeof PhaseSchema>;

/** What results say of a job that an engine runs, and of no other. */
const engineEntries = {
  engine: v.optional(EngineKind),
  engine_id: described(
    v.optional(v.nullable(v.string())),
    "The engine's number for the job; null until known",
  ),
  phase: described(v.optional(v.nullable(PhaseSchema)), "Of a running job; null when it has settled"),
  node: described(v.optional(v.nullable(v.string())), "Where it runs or ran; null when not known"),
};

/** The same, as the verbs hand it on. */
export interface EngineView {
  engine: string;
  engine_id: string | null;
  phase: Phase | null;
  node: string | null;
}

/** `engine.json`: the engine that may have a job (docs/spec/engines.md 2.3). */
export const JobEngineSchema = v.pipe(
  v.looseObject({
    kind: EngineKind,
    id: described(v.nullable(v.string()), "The engine's number for the job; null until known"),
    args: described(v.array(v.string()), "Words for every later call of the engine's programs"),
    cluster: described(v.optional(v.string()), "slurm: the name of the cluster that was asked"),
    cwd: described(v.optional(v.string()), "slurm: the working directory of the worker"),
    dest: described(v.optional(v.string()), "ssh: the destination, as ssh takes it"),
    jig: described(
      v.optional(v.nullable(v.string())),
      "Absolute path of jig where the job runs; null until known",
    ),
    result_path: described(v.optional(v.nullable(v.string())), "ssh: the result's path there"),
  }),
  v.description("engine.json of a job directory"),
);
export type JobEngine = v.InferOutput<typeof JobEngineSchema>;

/** `meta.json`: what a job is (docs/spec/jobs.md 4.1). Unknown keys are kept by readers. */
export const JobMetaSchema = v.pipe(
  v.looseObject({
    job_id: v.string(),
    skill: v.string(),
    run_id: v.string(),
    label: v.nullable(v.string()),
    input_digest: v.nullable(v.string()),
    started_at: described(v.string(), "YYYY-MM-DDTHH:MM:SSZ, UTC"),
    worker_argv: v.array(v.string()),
    result_path: described(v.nullable(v.string()), "Absolute path the worker promises to publish"),
    sweep_enabled: v.boolean(),
    supervision: SupervisionSchema,
    windows_posix_shell: v.optional(v.string()),
    result_before: described(
      v.optional(v.string()),
      "Device, inode, size and time of what was at result_path before the worker began",
    ),
    engine: described(
      v.optional(v.looseObject({ kind: EngineKind, dest: v.optional(v.string()) })),
      "Only of a job started with --on",
    ),
  }),
  v.description("meta.json of a job directory"),
);
export type JobMeta = v.InferOutput<typeof JobMetaSchema>;

/** `pid`: who runs a job. Every key but the first two is optional (docs/spec/jobs.md 4.1). */
export const JobPidSchema = v.pipe(
  v.looseObject({
    supervisor_pid: Pid,
    worker_pid: Pid,
    supervisor_pgid: v.optional(Pid),
    job_name: v.optional(v.string()),
    pid_namespace: v.optional(v.string()),
    pid_namespace_start: described(
      v.optional(v.number()),
      "Clock ticks at which the first process of a namespace other than the system's first started",
    ),
    meta_lock: described(
      v.optional(v.string()),
      "Device and inode of meta.json, which the supervisor keeps locked while it lives",
    ),
    log_lock: described(
      v.optional(v.string()),
      "Device and inode of out.log, which is locked while anybody who writes to it lives",
    ),
    supervisor_identity: v.optional(v.string()),
    worker_identity: v.optional(v.string()),
    host: described(v.optional(v.string()), "The node, where an engine runs the supervisor"),
    engine_id: v.optional(v.string()),
  }),
  v.description("pid file of a job directory"),
);
export type JobPid = v.InferOutput<typeof JobPidSchema>;

/** What a supervisor that an engine starts has to know of it (docs/spec/engines.md 3.2). */
const SupervisedBySchema = v.object({
  kind: EngineKind,
  node: described(v.string(), "The variable that names the node"),
  id: described(v.string(), "The variable that holds the engine's number for the job"),
});
export type SupervisedBy = v.InferOutput<typeof SupervisedBySchema>;

/** `.spawn.json`: what `start` hands to the supervisor. No environment values. */
export const JobHandOverSchema = v.pipe(
  v.object({
    argv: v.array(v.string()),
    result_path: v.nullable(v.string()),
    result_before: v.nullable(v.string()),
    open_files: described(
      v.nullable(v.number()),
      "Soft limit of open files the caller had; null when not known",
    ),
    conf: SupervisionSchema,
    engine: v.optional(SupervisedBySchema),
  }),
  v.description(".spawn.json of a job directory, removed by the supervisor after reading"),
);
export type JobHandOver = v.InferOutput<typeof JobHandOverSchema>;

/** `job start --json`. */
export const JobStartedSchema = v.pipe(
  v.object({
    job_id: v.string(),
    job_dir: v.string(),
    engine: engineEntries.engine,
    engine_id: engineEntries.engine_id,
  }),
  v.description("jig job start --json"),
);
export type JobStarted = v.InferOutput<typeof JobStartedSchema>;

/** What `job status --json --details` says of a job beside its state: every value that is not known is null. */
const JobDetailsSchema = v.object({
  label: v.nullable(v.string()),
  started_at: v.nullable(v.string()),
  result_path: v.nullable(v.string()),
  result_max: described(v.nullable(v.number()), "Largest result that is given out, in bytes"),
  reason: v.nullable(v.string()),
  worker_pid: described(v.nullable(v.number()), "As the job's files have it: the process may have ended"),
});
export type JobDetails = v.InferOutput<typeof JobDetailsSchema>;

/**
 * `job status --json`, and `job wait --json` without a deadline, in the order of the refs: exactly these keys, and
 * `details` where they were asked for.
 */
export const JobStatesSchema = v.pipe(
  v.array(
    v.object({
      ref: v.string(),
      job_dir: v.string(),
      state: JobStateSchema,
      ...engineEntries,
      details: described(
        v.optional(v.nullable(JobDetailsSchema)),
        "With --details; null for an unreadable job",
      ),
    }),
  ),
  v.description("jig job status --json; jig job wait --json without a deadline"),
);
export type JobStates = v.InferOutput<typeof JobStatesSchema>;

/** `job wait --deadline-secs N --json`. */
export const JobWaitSchema = v.pipe(
  v.object({
    jobs: v.array(
      v.object({
        ref: v.string(),
        job_dir: v.string(),
        label: described(v.string(), "`-` when absent"),
        state: JobStateSchema,
        elapsed_secs: v.nullable(v.pipe(v.number(), v.integer())),
        reason: v.string(),
        ...engineEntries,
      }),
    ),
    all_settled: v.boolean(),
    deadline_passed: described(v.boolean(), "True only while a job is running"),
    secs_left: v.pipe(v.number(), v.integer(), v.minValue(0)),
  }),
  v.description("jig job wait --deadline-secs N --json"),
);
export type JobWait = v.InferOutput<typeof JobWaitSchema>;

/** Whether a job's supervisor runs; `unknown` in another process namespace (docs/spec/jobs.md 8.3). */
export const SupervisorStateSchema = v.picklist(["alive", "gone", "unknown"]);
export type SupervisorState = v.InferOutput<typeof SupervisorStateSchema>;

/** `job list --json`: every value that is not known is null. */
export const JobListSchema = v.pipe(
  v.array(
    v.object({
      job_id: v.string(),
      job_dir: v.string(),
      skill: v.string(),
      run_id: v.string(),
      label: v.nullable(v.string()),
      state: JobStateSchema,
      supervisor: v.nullable(SupervisorStateSchema),
      started_at: v.nullable(v.string()),
      ended_at: v.nullable(v.string()),
      elapsed_secs: v.nullable(v.number()),
      log_bytes: v.nullable(v.number()),
      log_updated_at: v.nullable(v.string()),
      result_path: v.nullable(v.string()),
      reason: v.nullable(v.string()),
      ...engineEntries,
    }),
  ),
  v.description("jig job list --json"),
);
export type JobList = v.InferOutput<typeof JobListSchema>;
export type ListedJob = JobList[number];

/** `job root --json`. */
export const JobRootSchema = v.pipe(
  v.object({
    root: v.string(),
    fallback: described(v.boolean(), "The root below TMPDIR, since the one in /tmp cannot be used"),
    candidates: described(v.array(v.string()), "Every root jobs are looked for in"),
  }),
  v.description("jig job root --json"),
);
export type JobRoot = v.InferOutput<typeof JobRootSchema>;

export const schemas: Record<string, GenericSchema> = {
  "job-meta": JobMetaSchema,
  "job-pid": JobPidSchema,
  "job-hand-over": JobHandOverSchema,
  "job-engine": JobEngineSchema,
  "job-start": JobStartedSchema,
  "job-status": JobStatesSchema,
  "job-wait": JobWaitSchema,
  "job-list": JobListSchema,
  "job-root": JobRootSchema,
};
