import { command } from "../../kernel/call/command.ts";
import { projectFlag, readWorkflow, requestFlags } from "../common/flags.ts";
import { WORKFLOW_TYPES } from "./fields.ts";

/** `jig flow new` (docs/spec/flow.md 6.1). */
export const newWorkflow = command({
  name: "flow new",
  summary: "Begin a workflow: its id, artifact, event log and memory directory",
  flags: {
    type: {
      type: "string",
      value: "TYPE",
      summary: "What kind of workflow",
      choices: WORKFLOW_TYPES,
      required: true,
    },
    ...requestFlags,
    ...projectFlag,
    "root-json": {
      type: "string",
      value: "F",
      summary: "The root and the allowlist, as jig flow root --json printed them; - is stdin",
      completes: "file",
    },
    branch: { type: "string", value: "B", summary: "The branch the work is on; git's without" },
    plan: { type: "string", value: "F", summary: "The plan it carries out", completes: "file" },
    design: { type: "string", value: "F", summary: "The design it follows", completes: "file" },
    host: {
      type: "string",
      value: "NAME",
      summary: "The program the agent runs in",
      default: "claude-code",
    },
    "task-id": { type: "string", value: "ID", summary: "The task it was begun for" },
    "task-tools": {
      type: "string",
      value: "ANSWER",
      summary: "Whether the agent has task tools (jig flow capability detect)",
      choices: ["true", "false", "unknown"],
      default: "unknown",
    },
    "session-id": { type: "string", value: "S", summary: "The agent's session; the environment's without" },
    "fallback-reason": {
      type: "string",
      value: "R",
      summary: "Why the root is no repository",
      choices: ["NO_REPO_FOUND", "RESOLVE_SCRIPT_ERROR"],
    },
  },
  exitCodes: [
    [1, "the files cannot be made; none of them is left"],
    [3, "several repositories are possible; nothing was made"],
  ],
  examples: [
    { command: 'jig flow new --type BUILD --request "add a login page"', explains: "prints the id" },
    {
      command: "jig flow new --type DEBUG --request-file r.txt --root-json root.json --json",
      explains: "in the project that jig flow root found",
    },
  ],
  run: async (host, args) => (await import("./new.ts")).newWorkflow(host, args.flags),
});

/** `jig flow show` (docs/spec/flow.md 6.2). */
export const show = command({
  name: "flow show",
  summary: "Print a workflow's artifact, or one value of it",
  flags: {
    ...projectFlag,
    field: { type: "string", value: "PATH", summary: "A value by its path, keys and places joined by dots" },
  },
  positionals: [readWorkflow],
  exitCodes: [
    [1, "no such workflow or field, or the artifact cannot be read"],
    [3, "several workflows are meant"],
  ],
  readOnly: ["*"],
  examples: [
    { command: "jig flow show @latest", explains: "the newest workflow's artifact" },
    { command: "jig flow show wf-login-20260706-141203-1a2b3c4d --field intent.goal", explains: "one value" },
  ],
  run: async (host, args) =>
    (await import("./show.ts")).show(host, { wf: args.positionals[0]!, ...args.flags }),
});
