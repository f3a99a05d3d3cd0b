import { command, type Group, streamingCommand } from "../kernel/call/command.ts";
import { formatUsageError } from "./usage.ts";

const skill = {
  type: "string",
  value: "S",
  summary: "Look for bare ids under this skill only",
  completes: "skill",
} as const;

const REFS = {
  name: "REF",
  summary: "A job id, or a path to a job directory",
  required: true,
  repeat: true,
  completes: "job",
} as const;

const REF = { name: "REF", summary: "A job id, or a path to a job directory", completes: "job" } as const;

const job: Group = {
  name: "job",
  summary: "Run a command detached from the conversation, and collect its result in short calls",
  repeated: "last-wins",
  afterSeparator: "refused",
  usageError: formatUsageError,
  verbs: {
    start: command({
      name: "job start",
      summary: "Start a worker detached, print its job id",
      flags: {
        skill: { type: "string", value: "S", summary: "Skill the job belongs to", default: "adhoc" },
        "run-id": {
          type: "string",
          value: "R",
          summary: "Run of the skill; its jobs share it",
          default: "the day, in UTC",
        },
        label: { type: "string", value: "L", summary: "A name for people" },
        "input-digest": { type: "string", value: "D", summary: "Free text, recorded as it is" },
        "result-path": {
          type: "string",
          value: "FILE",
          summary: "File the worker promises to write; without it, done means exit 0",
          completes: "file",
        },
        anyway: {
          type: "boolean",
          summary: "Start it also in a process namespace that ends with this call, and the job with it",
        },
        "no-sweep": { type: "boolean", summary: "Keep run directories of this skill that are over 24 h old" },
        on: {
          type: "string",
          value: "ENGINE",
          summary: "What runs it: local, slurm, slurm:PARTITION, ssh:DEST",
          default: "local",
        },
        "engine-arg": {
          type: "string",
          value: "ARG",
          summary: "A word for sbatch or ssh, which begins with a dash: --engine-arg=--mem=4G",
          repeat: true,
        },
        "remote-cwd": {
          type: "string",
          value: "DIR",
          summary: "ssh: the worker's directory there",
          default: "the home directory",
        },
        "remote-jig": {
          type: "string",
          value: "PATH",
          summary: "ssh: the jig there",
          default: "jig on PATH, else ~/.local/bin/jig",
        },
        "job-id": { type: "string", value: "ID", summary: "The id another jig gave the job", hidden: true },
        "idle-secs": {
          type: "number",
          value: "N",
          summary: "Seconds without output growth until the worker is stopped",
          default: "CE_PEER_IDLE_SECS, else 240; 1800 with an engine",
          min: 0,
          unit: "seconds",
          syntax: "python",
        },
        "hard-secs": {
          type: "number",
          value: "N",
          summary: "Seconds of run time until the worker is stopped",
          default:
            "CE_PEER_HARD_SECS, else the larger of 1230 and CROSS_MODEL_HARD_SECS + 30; 604800 with an engine",
          above: 0,
          unit: "seconds",
          syntax: "python",
        },
        "log-max-bytes": {
          type: "number",
          value: "N",
          summary: "Bytes of output until the worker is stopped",
          default: "CE_PEER_LOG_MAX_BYTES, else 10485760",
          integer: true,
          min: 1,
          unit: "bytes",
          syntax: "python",
        },
        "result-max-bytes": {
          type: "number",
          value: "N",
          summary: "Largest result accepted, in bytes",
          default: "CE_PEER_RESULT_MAX_BYTES, else 5242880",
          integer: true,
          min: 1,
          unit: "bytes",
          syntax: "python",
        },
      },
      rest: {
        name: "ARGV...",
        summary: "The worker and its arguments, executed directly, never through a shell (Required)",
      },
      details:
        "With --on slurm the job is a batch job; node and this machine must share its directory (CE_PEER_JOBS_ROOT, else below " +
        "~/.local/state). Without a hard limit of your own it gets no --time, so the partition's limit rules. With --on " +
        "ssh:DEST it is a job of the jig there: no file and none of your variables goes with it.",
      examples: [
        { command: "jig job start -- make all", explains: "by hand; prints the job id" },
        {
          command:
            "jig job start --skill review --run-id r1 --result-path /tmp/out.json -- codex exec review",
          explains: "another agent as worker; prints the job id",
        },
        {
          command: "jig job start --skill build --run-id r1 --idle-secs 900 -- sh -c 'make all > build.log'",
          explains: "shell syntax needs a shell; a silent worker needs a larger idle window",
        },
        {
          command: "jig job start --on slurm:gpu --engine-arg=--mem=64G -- python3 train.py",
          explains: "on a node of a cluster, when one is free",
        },
      ],
      run: async (host, args) => (await import("./start/start.ts")).startJob(host, args),
    }),
    status: command({
      name: "job status",
      summary: "Print the states of jobs without blocking",
      flags: {
        skill,
        details: {
          type: "boolean",
          summary: "With --json: also label, start, result path and cap, and reason",
        },
      },
      positionals: [REFS],
      exitCodes: [[0, "the states were printed, whatever they are"]],
      examples: [
        { command: "jig job status 20260731T101502Z-9f3ac01b", explains: "one word" },
        { command: "jig job status --json ID1 ID2", explains: "a list with ref, job_dir and state" },
      ],
      readOnly: ["*"],
      run: async (host, args) => (await import("./look/status.ts")).jobStatus(host, args),
    }),
    wait: command({
      name: "job wait",
      summary: "Wait until jobs have settled, for a bounded time",
      flags: {
        skill,
        "max-secs": {
          type: "number",
          value: "N",
          summary: "Seconds this call may take",
          default: "30",
          unit: "seconds",
          syntax: "python",
        },
        "deadline-secs": {
          type: "number",
          value: "N",
          summary:
            "Seconds from the last job's start that all have together; prints a summary and what to do next",
          min: 0,
          unit: "seconds",
          syntax: "python",
        },
        "deadline-grace-secs": {
          type: "number",
          value: "N",
          summary: "Seconds added to the deadline",
          default: "0",
          min: 0,
          unit: "seconds",
          syntax: "python",
        },
        "no-progress": { type: "boolean", summary: "No progress lines on a terminal" },
      },
      positionals: [REFS],
      exitCodes: [
        [0, "the states were printed, whatever they are"],
        [130, "interrupted; the jobs go on"],
      ],
      examples: [
        { command: "jig job wait --max-secs 30 ID", explains: "returns early when the job has settled" },
        {
          command: "jig job wait --max-secs 30 --deadline-secs 600 ID1 ID2",
          explains: "the last line says what to do",
        },
      ],
      readOnly: ["*"],
      run: async (host, args) => (await import("./look/wait.ts")).waitForJobs(host, args),
    }),
    result: command({
      name: "job result",
      summary: "Print a job's result byte for byte, after the ownership checks",
      flags: {
        skill,
        path: {
          type: "string",
          value: "FILE",
          summary: "Read this file instead; a REF beside it explains an absent one",
          completes: "file",
        },
      },
      positionals: [REF],
      json: false,
      exitCodes: [
        [2, "usage error, or the job still runs"],
        [3, "the job settled but is not done, or the file is absent"],
        [
          4,
          "the read was refused, nothing was printed: foreign owner, symlink, no regular file, over the cap",
        ],
      ],
      examples: [
        { command: "jig job result ID", explains: "the declared result" },
        { command: "jig job result ID --path /tmp/notes.md", explains: "a file whose name the worker chose" },
      ],
      run: async (host, args) => (await import("./look/result.ts")).jobResult(host, args),
    }),
    reap: command({
      name: "job reap",
      summary: "Stop jobs now; settles those whose supervisor is gone",
      flags: {
        skill,
        abandon: {
          type: "boolean",
          summary: "Give up a job of --on whose machine is gone for good; nobody there is asked",
        },
      },
      positionals: [REFS],
      json: false,
      exitCodes: [
        [0, "asked for, or settled already"],
        [1, "unknown job, or jobs failed with different codes"],
        [4, "the job's state is unreadable"],
      ],
      examples: [
        { command: "jig job reap ID", explains: "terminate, grace, kill; the job becomes timeout" },
        { command: "jig job reap ID1 ID2", explains: "each on its own" },
      ],
      run: async (host, args) => (await import("./end/reap.ts")).reapJobs(host, args),
    }),
    list: command({
      name: "job list",
      summary: "List jobs under every root, newest first",
      flags: {
        skill: { ...skill, summary: "Only jobs of this skill", repeat: true },
        "run-id": { type: "string", value: "R", summary: "Only jobs of this run", repeat: true },
        label: { type: "string", value: "L", summary: "Only jobs with this label", repeat: true },
        state: {
          type: "string",
          value: "ST[,ST...]",
          summary:
            "Only jobs in these states: running, done, failed, timeout, died-without-result, never-started, unreadable",
          repeat: true,
        },
        "no-header": { type: "boolean", summary: "No header line when piped" },
      },
      details: "When piped, ELAPSED is in seconds and LOG, the size of the output, in bytes.",
      examples: [
        { command: "jig job list --skill review --run-id r1 --json", explains: "find lost jobs of one run" },
        { command: "jig job list --state running", explains: "what runs now" },
      ],
      readOnly: ["*"],
      run: async (host, args) => (await import("./look/list.ts")).listJobs(host, args),
    }),
    logs: streamingCommand({
      name: "job logs",
      summary: "Print a job's output, and follow it",
      flags: {
        skill,
        follow: { type: "boolean", short: "f", summary: "Print growth until the job has settled" },
        tail: {
          type: "number",
          value: "N",
          summary: "The last N lines",
          default: "200",
          integer: true,
          min: 0,
        },
        all: { type: "boolean", summary: "From the beginning" },
        "max-secs": {
          type: "number",
          value: "N",
          summary: "Stop following after N seconds",
          default: "30 when piped, no limit on a terminal",
          min: 0,
          unit: "seconds",
          syntax: "python",
        },
        raw: { type: "boolean", summary: "Exact bytes on a terminal, too" },
      },
      positionals: [{ ...REF, required: true }],
      json: false,
      exitCodes: [
        [3, "the job has no log"],
        [4, "the read was refused, nothing was printed"],
        [130, "interrupted while following; the job goes on"],
      ],
      examples: [
        { command: "jig job logs ID --tail 50", explains: "the last fifty lines" },
        { command: "jig job logs -f ID", explains: "follow; the outcome comes on stderr" },
      ],
      stream: async (host, args, out) => (await import("./look/logs.ts")).jobLogs(host, args, out),
    }),
    root: command({
      name: "job root",
      summary: "Print the directory a new job would go under",
      flags: {},
      examples: [
        { command: "jig job root", explains: "creates nothing" },
        { command: "jig job root --json", explains: "with every root jobs are looked for in" },
      ],
      run: async (host) => (await import("./look/root.ts")).jobRoot(host),
    }),
  },
};

export default job;
