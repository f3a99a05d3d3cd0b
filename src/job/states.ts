/** Every state of a job (docs/spec/jobs.md section 3). Apart from the schemas, whose library a short command does not load. */
export const JOB_STATES = [
  "running",
  "done",
  "failed",
  "timeout",
  "died-without-result",
  "never-started",
  "unreadable",
] as const;
