import { command, type UsageErrorFormat } from "../../kernel/call/command.ts";
import { projectFlag, readWorkflow } from "../common/flags.ts";

/** `jig flow query` (docs/spec/flow.md 10). */
export const query = command({
  name: "flow query",
  summary: "Show a large state file in short, or whole",
  json: false,
  flags: {
    mode: {
      type: "string",
      value: "MODE",
      summary: "A compact view, or the exact bytes",
      choices: ["summary", "full"],
      default: "summary",
    },
    tail: {
      type: "number",
      value: "N",
      summary: "How many of an event log's last entries are shown; 0 for all",
      integer: true,
      syntax: "python",
      default: "50",
    },
    "event-type": { type: "string", value: "NAME", summary: "The only event of a log that is shown" },
  },
  positionals: [
    {
      name: "FILE",
      summary: "An artifact, event log or memory file, or any text",
      required: true,
      completes: "file",
    },
  ],
  exitCodes: [[1, "the file is missing, unreadable or (in summary) not UTF-8"]],
  details:
    "The file's name says what it is: *.events.jsonl an event log, *.json an artifact, *.md sections with bullets. What\n" +
    "cannot be parsed is shown as it is, with a warning.",
  examples: [
    {
      command:
        "jig flow query .craftflow/state/workflows/wf-login-20260706-141203-1a2b3c4d.events.jsonl --tail 5",
      explains: "the last five events",
    },
    {
      command: "jig flow query .craftflow/state/project/patterns.md",
      explains: "the newest bullets of each section",
    },
  ],
  run: async (host, args) => {
    const { tail = 50, "event-type": eventType, mode } = args.flags;
    const { query } = await import("./query/query.ts");
    return query(host, {
      file: args.positionals[0]!,
      mode: mode === "full" ? "full" : "summary",
      tail,
      eventType,
    });
  },
});

/** `jig flow status` (docs/spec/flow.md 14). */
export const status = command({
  name: "flow status",
  summary: "Show where a workflow is, or all of them",
  flags: {
    wf: {
      type: "string",
      value: "ID",
      summary: "This workflow: its id, the last 8 digits of it, a unique beginning",
    },
    feature: { type: "string", value: "TEXT", summary: "The newest whose goal, request or id contains this" },
    worktree: { type: "string", value: "PLACE", summary: "The one of a worktree's path or branch" },
    all: { type: "boolean", summary: "Every workflow in a row of its own" },
    verbose: { type: "boolean", short: "v", summary: "Phases, agents, quality, events and memory as well" },
    statusline: { type: "boolean", summary: "One short piece for a status line; nothing without a workflow" },
    specs: { type: "boolean", summary: "The project's living specifications instead" },
    "spec-dir": {
      type: "string",
      value: "DIR",
      summary: "Where they are; CLAUDE.md says it without",
      completes: "directory",
    },
    ...projectFlag,
  },
  exitCodes: [[1, "no such workflow, no match, or no workflows"]],
  readOnly: ["*"],
  details:
    "Without a workflow given, the one that was last saved before a compaction or at the end of a turn, else the newest.",
  examples: [
    { command: "jig flow status", explains: "the current workflow in a few lines" },
    { command: "jig flow status --all --json", explains: "all of them, for a program" },
  ],
  run: async (host, { flags }) => {
    const { "spec-dir": specDir, ...options } = flags;
    return (await import("./status/status.ts")).status(host, { ...options, specDir });
  },
});

/** A host calls it again and again and shows what it prints: nothing it is given may make it fail. */
const harmless: UsageErrorFormat = ({ message }, _, prefix) => ({
  stderr: `${prefix}${message}\n`,
  exitCode: 0,
});

/** `jig flow statusline` (docs/spec/flow.md 14). */
export const statusline = command({
  name: "flow statusline",
  summary: "Print a host's status line for the session it describes on stdin",
  json: false,
  usageError: harmless,
  flags: {
    wrap: {
      type: "string",
      value: "CMD",
      summary: "A command line whose output comes first; /bin/sh runs it on the same stdin",
    },
  },
  exitCodes: [
    [0, "always"],
    [1, null],
    [2, null],
  ],
  details:
    "Takes the working directory from the session, waits for no lock, and is done within two seconds. CMD is run as hosts\n" +
    "run the status line a user configures: by the shell, with the user's rights.",
  examples: [
    { command: "jig flow statusline < session.json", explains: "what a host shows" },
    {
      command: 'jig flow statusline --wrap "~/.claude/mine.sh"',
      explains: "behind a status line of your own",
    },
  ],
  run: async (host, args) => (await import("./statusline/statusline.ts")).statusline(host, args.flags.wrap),
});

/** `jig flow summary` (docs/spec/flow.md 6.2). */
export const summary = command({
  name: "flow summary",
  summary: "Show a workflow's artifact in short",
  json: false,
  flags: projectFlag,
  positionals: [readWorkflow],
  examples: [
    { command: "jig flow summary @latest", explains: "what jig flow query shows of its artifact" },
    { command: "jig flow summary 1a2b3c4d", explains: "by the last 8 digits of its id" },
  ],
  run: async (host, args) =>
    (await import("./summary.ts")).summary(host, args.positionals[0]!, args.flags.project),
});
