import { command, type Group } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";
import { resolutionFlag } from "../common/run-flags.ts";

const select = command({
  name: "craft model select",
  summary: "Print the model tier that a role gets now, or session",
  prefix: "model: ",
  usageError: usageErrors("model"),
  flags: {
    phase: {
      type: "string",
      value: "ID",
      summary: "The phase that spawns it",
      default: "the first with that role",
    },
    manifest: {
      type: "string",
      value: "PATH",
      summary: "The manifest whose models and phases count",
      completes: "file",
    },
    resolution: {
      ...resolutionFlag,
      summary: "The run's Resolution, `-` for stdin",
      default: "the embedded pipeline with the manifest",
    },
    degraded: { type: "string", value: "T,T", repeat: true, summary: "Tiers that failed in this run" },
  },
  positionals: [{ name: "ROLE", summary: "A role, with or without its namespace", required: true }],
  exitCodes: [
    [1, null],
    [2, "an unknown phase, an unreadable file; or wrong usage"],
  ],
  examples: [
    {
      command: "jig craft model select craft:reviewer --manifest .claude/workflow.md",
      explains: "opus, unless models.reviewer says otherwise",
    },
    { command: "jig craft model select planner --degraded opus --json", explains: "what is next, and why" },
  ],
  run: async (host, args) =>
    (await import("./select.ts")).selectModel(host, { role: args.positionals[0]!, ...args.flags }),
});

const classify = command({
  name: "craft model classify",
  summary: "Say whether a model error is an overload, permanent or neither",
  prefix: "model: ",
  usageError: usageErrors("model"),
  flags: {
    from: {
      type: "string",
      value: "FILE",
      summary: "The error text, `-` for stdin (at most 1 MiB)",
      default: "-",
      completes: "file",
    },
  },
  exitCodes: [
    [1, null],
    [2, "an unreadable file, or wrong usage"],
  ],
  examples: [
    { command: "jig craft model classify --from error.txt", explains: "overload: retry once, same tier" },
    { command: "echo 'unknown model x' | jig craft model classify", explains: "permanent: degrade" },
  ],
  run: async (host, args) => (await import("./classify.ts")).classifyModelError(host, args.flags.from),
});

/** `jig craft model` (docs/spec/craft-engine.md 13). */
export const model: Group = {
  name: "craft model",
  summary: "Choose a role's model tier, and tell what a model error means",
  usageError: usageErrors("model"),
  verbs: { select, classify },
};
