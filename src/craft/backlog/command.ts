import { command, type Group, type StringFlag } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

const source = {
  manifest: { type: "string", value: "FILE", summary: "The manifest with the backlog", completes: "file" },
  file: {
    type: "string",
    value: "PATH",
    summary: "A backlog file, instead of what the manifest says",
    completes: "file",
  },
} as const satisfies Record<string, StringFlag>;

/** `jig craft backlog` (docs/spec/craft-run.md 8). */
const backlog: Group = {
  name: "craft backlog",
  summary: "Look up an entry of the backlog, or choose the next one",
  prefix: "backlog: ",
  usageError: usageErrors("backlog"),
  verbs: {
    resolve: command({
      name: "craft backlog resolve",
      summary: "Print the title and brief that an id stands for",
      flags: {
        ...source,
        "id-form": { type: "string", value: "REGEX", summary: "What the whole id has to look like" },
        timeout: {
          type: "number",
          value: "S",
          summary: "How long a custom source may take",
          integer: true,
          min: 1,
          max: 600,
          unit: "seconds",
          default: "60",
        },
      },
      positionals: [{ name: "ID", summary: "A label, a leading identifier, or a title", required: true }],
      exitCodes: [
        [0, "resolved"],
        [1, "no such entry, an id of the wrong form, or the source failed"],
        [2, "no backlog in the manifest and no --file, or wrong usage"],
        [3, "several entries match; their lines are named"],
      ],
      details:
        "A custom source is started without a shell: the id arrives as one argument, whatever is in it.",
      examples: [
        {
          command: "jig craft backlog resolve P7 --manifest .claude/workflow.md",
          explains: "the brief of a run",
        },
        { command: "jig craft backlog resolve 42 --file BACKLOG.md", explains: "from a file" },
      ],
      run: async (host, args) =>
        (await import("./resolve.ts")).resolveId(host, args.positionals[0]!, args.flags),
    }),
    elect: command({
      name: "craft backlog elect",
      summary: "Choose the first open entry that nothing blocks",
      flags: {
        ...source,
        out: {
          type: "string",
          value: "DIR",
          summary: "Also write next.md and next.prompt there, outside every work tree",
          completes: "directory",
        },
      },
      exitCodes: [
        [0, "elected"],
        [1, "none; the note says why"],
      ],
      examples: [
        { command: "jig craft backlog elect --manifest .claude/workflow.md", explains: "what comes next" },
        { command: "jig craft backlog elect --file BACKLOG.md --out ../state", explains: "for a driver" },
      ],
      run: async (host, args) => (await import("./elect.ts")).elect(host, args.flags),
    }),
  },
};

export default backlog;
