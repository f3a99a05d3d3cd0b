import { command } from "../../kernel/call/command.ts";
import { projectFlag, readWorkflow, reasonFlags, requestFlags, writeWorkflow } from "../common/flags.ts";
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
    (await import("./look/show.ts")).show(host, { wf: args.positionals[0]!, ...args.flags }),
});

/** `jig flow list` (docs/spec/flow.md 6.2). */
export const list = command({
  name: "flow list",
  summary: "List a project's workflows, the one changed last first",
  flags: {
    ...projectFlag,
    open: { type: "boolean", summary: "Only those that can be read and are not done" },
    type: { type: "string", value: "TYPE", summary: "Only this kind", choices: WORKFLOW_TYPES },
  },
  exitCodes: [[0, "also when some cannot be read: they are listed as UNREADABLE, with the reason"]],
  examples: [
    { command: "jig flow list", explains: "id, type, state, cursor, gate, when it was changed" },
    { command: "jig flow list --open --json", explains: "for a dashboard" },
  ],
  run: async (host, args) => (await import("./look/list.ts")).list(host, args.flags),
});

/** `jig flow check` (docs/spec/flow.md 6.2). */
export const check = command({
  name: "flow check",
  summary: "Judge a workflow's state, or all of a project's; nothing is repaired",
  flags: projectFlag,
  positionals: [{ ...readWorkflow, required: false }],
  exitCodes: [[1, "there are errors; warnings alone are exit 0"]],
  examples: [
    { command: "jig flow check", explains: "every workflow of the project" },
    { command: "jig flow check @latest --json", explains: "the newest, as JSON" },
  ],
  run: async (host, args) =>
    (await import("./look/check.ts")).check(host, args.positionals[0], args.flags.project),
});

/** `jig flow close` (docs/spec/flow.md 6.2). */
export const close = command({
  name: "flow close",
  summary: "End a workflow that nobody goes on with",
  flags: {
    ...projectFlag,
    outcome: {
      type: "string",
      value: "OUTCOME",
      summary: "How it ended",
      choices: ["completed", "failed", "abandoned"],
      required: true,
    },
    ...reasonFlags,
    force: { type: "boolean", summary: "Although a gate is set, or its worktree is not merged" },
  },
  positionals: [writeWorkflow],
  exitCodes: [[3, "a gate is set, or its worktree is not merged; nothing was changed"]],
  examples: [
    { command: "jig flow close 1a2b3c4d --outcome abandoned", explains: "it no longer counts as open" },
    {
      command: 'jig flow close 1a2b3c4d --outcome failed --reason "superseded" --force',
      explains: "although a gate is set",
    },
  ],
  run: async (host, args) =>
    (await import("./change/close.ts")).close(host, args.positionals[0]!, args.flags),
});

const eventFlags = {
  ...projectFlag,
  phase: { type: "string", value: "P", summary: "The phase it belongs to" },
  "task-id": { type: "string", value: "I", summary: "The task it belongs to" },
  agent: { type: "string", value: "A", summary: "Who did it" },
  decision: { type: "string", value: "D", summary: "What was decided" },
  ...reasonFlags,
  details: { type: "string", value: "T", summary: "More about it" },
  field: { type: "string", value: "K=JSON", summary: "A key of its own", repeat: true },
  from: {
    type: "string",
    value: "F",
    summary: "A JSON object to begin with; - is stdin",
    completes: "file",
  },
} as const;

const eventName = { name: "NAME", summary: "What happened: agent_started, contract_parsed …" } as const;

/** `jig flow event` (docs/spec/flow.md 6.3). */
export const event = command({
  name: "flow event",
  summary: "Append an event to a workflow's log",
  flags: eventFlags,
  positionals: [writeWorkflow, { ...eventName, required: true }],
  examples: [
    { command: "jig flow event 1a2b3c4d agent_started --agent builder", explains: "prints nothing" },
    { command: "jig flow event 1a2b3c4d contract_parsed --from contract.json --json", explains: "the line" },
  ],
  run: async (host, args) =>
    (await import("./change/event.ts")).event(host, args.positionals[0]!, args.positionals[1]!, args.flags),
});

/** `jig flow history` (docs/spec/flow.md 6.3). */
export const history = command({
  name: "flow history",
  summary: "Append to a workflow's history and its log, or print the history",
  flags: {
    ...eventFlags,
    remediation: { type: "boolean", summary: "The history of remediations instead" },
  },
  positionals: [{ ...writeWorkflow, summary: readWorkflow.summary }, eventName],
  examples: [
    { command: "jig flow history 1a2b3c4d phase_started --phase phase_1", explains: "one entry more" },
    { command: "jig flow history @latest", explains: "all entries" },
  ],
  run: async (host, args) =>
    (await import("./change/history.ts")).history(
      host,
      args.positionals[0]!,
      args.positionals[1],
      args.flags,
    ),
});

/** `jig flow set` (docs/spec/flow.md 6.4). */
export const set = command({
  name: "flow set",
  summary: "Change values of a workflow's artifact, all of them or none",
  flags: {
    ...projectFlag,
    string: { type: "boolean", summary: "The values are text, not JSON" },
    create: { type: "boolean", summary: "Also top-level keys that the artifact does not have" },
    owned: { type: "boolean", summary: "Also keys that another command looks after" },
  },
  positionals: [
    writeWorkflow,
    {
      name: "PATH=JSON",
      summary:
        "A value by its path; PATH+=JSON appends to a list; @FILE stands for a file's content, @- for stdin",
      required: true,
      repeat: true,
    },
  ],
  exitCodes: [[2, "a value or a key that is not allowed, or wrong usage; nothing was written"]],
  examples: [
    {
      command: "jig flow set 1a2b3c4d plan_mode='\"direct\"' proof_status='\"passed\"'",
      explains: "both or none",
    },
    { command: "jig flow set 1a2b3c4d approved_decisions+=@decision.json", explains: "one entry more" },
    { command: "jig flow set 1a2b3c4d --string plan_file=docs/plans/login.md", explains: "text as it is" },
  ],
  run: async (host, args) => {
    const [wf, ...words] = args.positionals as [string, ...string[]];
    return (await import("./change/set.ts")).set(host, { wf, words, ...args.flags });
  },
});

/** `jig flow capability` (docs/spec/flow.md 6.4). */
export const capability = command({
  name: "flow capability",
  summary: "Record whether the agent has task tools, found by a probe",
  flags: {
    ...projectFlag,
    tools: { type: "string", value: "NAMES", summary: "The task tools the probe found, with detect" },
    "probe-failed": { type: "boolean", summary: "The probe itself failed, with detect" },
    wf: { type: "string", value: "WF", summary: "The workflow to record it for, with detect" },
    "failed-call": { type: "string", value: "NAME", summary: "The call that failed, with false" },
    error: { type: "string", value: "TEXT", summary: "What it said" },
    "error-file": {
      type: "string",
      value: "F",
      summary: "The same from a file; - is stdin",
      completes: "file",
    },
    "new-session": { type: "boolean", summary: "The probe is a later session's than the call that failed" },
  },
  positionals: [
    { ...writeWorkflow, name: "WF|detect", summary: "The workflow; or detect, for what a probe means" },
    { name: "NAME", summary: "The capability", choices: ["task_tools_available"] },
    { name: "ANSWER", summary: "What is known", choices: ["true", "false", "unknown"] },
  ],
  exitCodes: [[1, "true, although a call failed in this session; or the state cannot be read or written"]],
  examples: [
    {
      command: "jig flow capability detect --tools TaskCreate,TaskList,TaskGet,TaskUpdate",
      explains: "true: all four are there",
    },
    {
      command:
        "jig flow capability 1a2b3c4d task_tools_available false --failed-call TaskCreate --error-file e.txt",
      explains: "a call failed",
    },
  ],
  run: async (host, args) =>
    (await import("./change/capability.ts")).capability(host, args.positionals, args.flags),
});
