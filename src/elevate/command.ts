import { command } from "../kernel/call/command.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { type ElevateFlags, formatUsageError, formOf } from "./forms.ts";

export default command({
  name: "elevate",
  prefix: "[elevation] ",
  summary: "Run one step on a stronger model, read-only, and keep its answer in an envelope",
  positionals: [
    { name: "MODEL", summary: "A model's alias or id; for --verdict a job's id or path" },
    { name: "PROMPT_FILE", summary: "What the model reads on stdin; its directory is granted to the call" },
    { name: "RESULT_PATH", summary: "Where the envelope is published", completes: "file" },
  ],
  flags: {
    "emit-adapter": {
      type: "boolean",
      summary: "Print the words of the call for MODEL [HANDOFF_DIR], NUL-ended",
    },
    start: { type: "boolean", summary: "Run the worker form as a detached job and print its id" },
    resolve: { type: "boolean", summary: "Say which model a step is elevated to, if any, as one JSON line" },
    verdict: { type: "boolean", summary: "Say what to do with the job REF, as one JSON line" },
    skill: {
      type: "string",
      value: "S",
      summary: "With --start and --verdict: the job's skill",
      completes: "skill",
    },
    "run-id": { type: "string", value: "R", summary: "With --start: the run the job belongs to" },
    "hard-secs": {
      type: "number",
      value: "N",
      summary: "With --start: seconds the call may take, outside and inside",
      default: "5400",
      above: 0,
      unit: "seconds",
      syntax: "python",
    },
    key: {
      type: "string",
      value: "KEY",
      summary: "With --resolve: the step's config key",
      choices: ["plan_model", "brainstorm_model"],
    },
    intent: {
      type: "string",
      value: "MODEL|none",
      summary: "With --resolve: the user's explicit instruction",
    },
    carrier: {
      type: "string",
      value: "TEXT",
      summary: "With --resolve: a token KEY:ALIAS handed over by a skill",
    },
    headless: { type: "boolean", summary: "With --resolve: a run without a user; the intent is ignored" },
    "session-model": {
      type: "string",
      value: "ALIAS",
      summary: "With --resolve: the model that runs already",
    },
    retried: { type: "boolean", summary: "With --verdict: a retry was already made" },
    json: { type: "boolean", summary: "With --start: print the job's id and directory as JSON" },
  },
  exitCodes: [
    [0, "the call was made and the envelope says how it went; or the form's answer was printed"],
    [1, "an argument is missing, or the result cannot be written; --verdict: unknown job"],
    [2, "usage, an invalid model, or no prompt file"],
    [3, "--start: claude is not on PATH, so there is no job"],
  ],
  details:
    "The call is the claude program with tools that read and search only. Limits come from CE_ELEVATION_IDLE_SECS\n" +
    "(180), CE_ELEVATION_HARD_SECS (5400) and CROSS_MODEL_HEARTBEAT_SECS (60), in seconds, and ELEVATION_MAX_TURNS (30).\n" +
    "Every line on stderr starts with [elevation].",
  examples: [
    {
      command: "jig elevate --resolve --key plan_model",
      explains: "the model this step goes to, from the config",
    },
    {
      command: "jig elevate --start --skill ce-plan --run-id run7 opus /tmp/x/brief.md /tmp/x/result.json",
      explains: "run the call as a job and print its id",
    },
    {
      command: "jig elevate --verdict 20260731T101502Z-9f3ac01b",
      explains: "wait, retry, use or degrade, with the reason",
    },
  ],
  usageError: formatUsageError,
  readOnly: ["--resolve *", "--verdict *"],
  run: (host, args) => runForm(host, args.flags, args.positionals, args.words),
});

async function runForm(
  host: Host,
  flags: ElevateFlags,
  words: readonly string[],
  given: readonly string[],
): Promise<Outcome> {
  switch (formOf(flags, words, given)) {
    case "worker":
      return (await import("./run.ts")).runElevation(host, words);
    case "emit-adapter":
      return (await import("./emit-adapter.ts")).emitAdapter(host, words);
    case "start":
      return (await import("./start.ts")).startElevation(host, flags, words);
    case "resolve":
      return (await import("./resolve.ts")).resolveModel(host, flags);
    case "verdict":
      return (await import("./verdict.ts")).verdict(host, flags, words);
  }
}
