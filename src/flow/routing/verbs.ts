import { command } from "../../kernel/call/command.ts";
import { UsageError } from "../../kernel/call/errors.ts";
import { projectFlag, readWorkflow } from "../common/flags.ts";

const requestFlags = {
  request: { type: "string", value: "TEXT", summary: "What the user asked for" },
  "request-file": {
    type: "string",
    value: "F",
    summary: "The same from a file; - is stdin",
    completes: "file",
  },
  host: {
    type: "string",
    value: "AGENT",
    summary: "The program that runs the agents",
    choices: ["claude-code", "cursor"],
    default: "claude-code",
  },
} as const;

const agentOf = (host: string | undefined) => (host === "cursor" ? "cursor" : "claude-code");

/** `jig flow route` (docs/spec/flow.md 11.1). */
export const route = command({
  name: "flow route",
  summary: "Say which workflow a request asks for",
  flags: { ...requestFlags, ...projectFlag },
  positionals: [{ name: "REQUEST", summary: "What the user asked for" }],
  exitCodes: [[1, "the request's file cannot be read"]],
  details:
    "Words of failure win over those of planning, these over those of reviewing; anything else is a BUILD.",
  examples: [
    { command: 'jig flow route "fix the login"', explains: "a DEBUG workflow" },
    { command: "jig flow route --request-file request.txt --json", explains: "with the chain of agents" },
  ],
  run: async (host, args) => {
    const [{ requestText }, { route }] = await Promise.all([import("./request.ts"), import("./route.ts")]);
    const request = await requestText(host, { positional: args.positionals[0], ...args.flags });
    return route(host, { request, host: agentOf(args.flags.host), project: args.flags.project });
  },
});

/** `jig flow fast-path` and `jig flow fast-path escalate` (docs/spec/flow.md 11.2). */
export const fastPath = command({
  name: "flow fast-path",
  summary: "Say whether a BUILD may take the short chain, or that it did not do",
  flags: {
    ...requestFlags,
    ...projectFlag,
    wf: {
      type: "string",
      value: "WF",
      summary: "Record it in this BUILD workflow: its id, or its last 8 digits",
    },
    add: { type: "string", value: "WORD", summary: "One more risk keyword", repeat: true },
    replace: { type: "boolean", summary: "Record it where another build mode is recorded" },
  },
  positionals: [
    { name: "REQUEST", summary: "What the user asked for, or the word escalate" },
    { name: "WF", summary: "With escalate: the workflow whose short chain did not do" },
  ],
  exitCodes: [[1, "no such workflow, no BUILD, or another build mode is recorded"]],
  details: "A request that is the word escalate itself is given by --request.",
  examples: [
    { command: 'jig flow fast-path "rename a button"', explains: "the short chain" },
    { command: "jig flow fast-path escalate 1a2b3c4d", explains: "back to the long chain, once" },
  ],
  run: async (host, { flags, positionals: [word, wf] }) => {
    const verbs = await import("./fast-path.ts");
    if (word === "escalate") {
      const judging = flags.wf ?? flags.request ?? flags["request-file"] ?? flags.host ?? flags.add[0];
      if (wf === undefined || judging !== undefined || flags.replace) {
        throw new UsageError("escalate takes a workflow and no other flag than --project");
      }
      return verbs.escalate(host, wf, flags.project);
    }
    if (wf !== undefined)
      throw new UsageError(`unexpected argument '${wf}'; only escalate takes a second one`);
    const request = await (await import("./request.ts")).requestText(host, { positional: word, ...flags });
    const { add: added, project, replace } = flags;
    return verbs.fastPath(host, {
      request,
      host: agentOf(flags.host),
      added,
      wf: flags.wf,
      project,
      replace,
    });
  },
});

/** `jig flow fix-verify` (docs/spec/flow.md 11.3). */
export const fixVerify = command({
  name: "flow fix-verify",
  summary: "Say whether the work is a fix that is verified once more",
  flags: {
    from: { type: "string", value: "F", summary: "The text from a file; - is stdin", completes: "file" },
    wf: { type: "string", value: "WF", summary: "Judge this workflow instead of a text" },
    ...projectFlag,
  },
  positionals: [{ name: "TEXT", summary: "What the work is for" }],
  exitCodes: [
    [0, "it fires"],
    [1, "it does not, or the workflow cannot be read"],
    [3, "several workflows are meant"],
  ],
  examples: [
    { command: 'jig flow fix-verify "close the hole in the upload"', explains: "fires" },
    { command: "jig flow fix-verify --wf @latest", explains: "the newest workflow" },
  ],
  run: async (host, args) =>
    (await import("./fix-verify.ts")).fixVerify(host, { text: args.positionals[0], ...args.flags }),
});

/** `jig flow intent` (docs/spec/flow.md 11.4). */
export const intent = command({
  name: "flow intent",
  summary: "Show, store or check what a workflow is meant to do",
  flags: {
    from: { type: "string", value: "F", summary: "Store this JSON object; - is stdin", completes: "file" },
    check: { type: "boolean", summary: "Say whether the intent is ready for PLAN or BUILD" },
    "source-files": {
      type: "number",
      value: "N",
      summary: "How many source files the work needs to look at; more than 5 are too many",
      integer: true,
      min: 0,
    },
    "budget-chars": {
      type: "number",
      value: "N",
      summary: "How long the serialized intent may be",
      integer: true,
      min: 1,
      unit: "characters",
      default: "16000",
    },
    contradiction: { type: "string", value: "TEXT", summary: "A contradiction the caller found" },
    scenarios: {
      type: "string",
      value: "WHEN",
      summary: "Whether each criterion needs a recorded scenario",
      choices: ["required", "optional"],
      default: "optional",
    },
    ...projectFlag,
  },
  positionals: [readWorkflow],
  exitCodes: [
    [0, "shown, stored, or ready"],
    [1, "no such workflow, or a file cannot be read"],
    [3, "not ready: what fails is printed; or several workflows are meant"],
  ],
  details:
    "The object has goal, non_goals, constraints, acceptance_criteria and open_decisions; what it leaves out stays. A\n" +
    "contradiction sets the gate intent_contradiction. Storing and checking take a whole id or its last 8 digits.",
  examples: [
    {
      command: "jig flow intent 1a2b3c4d --from intent.json --check",
      explains: "store it, and see whether it is ready",
    },
    { command: "jig flow intent @latest", explains: "what the newest workflow is meant to do" },
  ],
  run: async (host, { flags, positionals }) =>
    (await import("./intent/intent.ts")).intent(host, {
      wf: positionals[0]!,
      from: flags.from,
      check: flags.check,
      sourceFiles: flags["source-files"],
      budget: flags["budget-chars"],
      contradiction: flags.contradiction,
      scenarios: flags.scenarios === "required",
      project: flags.project,
    }),
});

/** `jig flow task-check` (docs/spec/flow.md 12.1). */
export const taskCheck = command({
  name: "flow task-check",
  summary: "Check the metadata lines of a task's description",
  flags: {
    subject: { type: "string", value: "S", summary: "The task's subject" },
    from: { type: "string", value: "F", summary: "The description; - is stdin", completes: "file" },
    ...projectFlag,
  },
  positionals: [{ name: "-", summary: "Read the description on stdin", choices: ["-"] }],
  exitCodes: [[1, "something is missing or has a value that is not allowed; one line each"]],
  examples: [
    { command: "jig flow task-check --from task.txt", explains: "before the task is created" },
    { command: 'jig flow task-check --subject "CRAFTFLOW build: login" -', explains: "with its subject" },
  ],
  run: async (host, args) =>
    (await import("./task-check.ts")).taskCheck(host, { positional: args.positionals[0], ...args.flags }),
});

/** `jig flow contract-check` (docs/spec/flow.md 12.2). */
export const contractCheck = command({
  name: "flow contract-check",
  summary: "Check the contract at the end of an agent's answer",
  flags: {
    kind: {
      type: "string",
      value: "K",
      summary: "The agent's kind: planner, reviewer, verifier …",
      required: true,
    },
    strict: { type: "boolean", summary: "Exit 1 for a contract that is not valid" },
    from: { type: "string", value: "F", summary: "The answer; stdin without", completes: "file" },
  },
  exitCodes: [
    [0, "checked, whatever the answer"],
    [1, "the answer cannot be read; with --strict also: the contract is not valid"],
  ],
  examples: [
    { command: "jig flow contract-check --kind planner --from answer.md", explains: "valid or not, as JSON" },
    { command: "jig flow contract-check --kind reviewer --strict < answer.md", explains: "for a script" },
  ],
  run: async (host, args) => (await import("./contract-check.ts")).contractCheck(host, args.flags),
});
