import { command } from "../../kernel/call/command.ts";

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
