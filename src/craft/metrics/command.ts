import { command, type Group } from "../../kernel/call/command.ts";

const PREFIX = "metrics-emit: ";

const ledger = {
  type: "string",
  value: "FILE",
  summary: "The metrics ledger (default .claude/craft-metrics.md)",
  completes: "file",
} as const;

/** What a run's agents cost (docs/spec/craft-run.md 9). */
const metrics: Group = {
  name: "craft metrics",
  summary: "Record and report what a run's agents took",
  verbs: {
    emit: command({
      name: "craft metrics emit",
      summary: "Append a row for each phase that agents worked in, from the host's transcripts",
      prefix: PREFIX,
      usageError: ({ message }) => ({ stderr: `${PREFIX}${message}\n`, exitCode: 1 }),
      flags: {
        run: { type: "string", value: "RUN_ID", summary: "The run" },
        session: {
          type: "string",
          value: "S",
          summary: "Only this session's agents; empty for all (default: the session that calls)",
        },
        phase: { type: "string", value: "P", summary: "Only this phase" },
        since: { type: "string", value: "ISO", summary: "Only what came then or later" },
        until: { type: "string", value: "ISO", summary: "Only what came then or earlier" },
        dir: { type: "string", value: "D", summary: "The project's transcripts", completes: "directory" },
        ledger,
      },
      exitCodes: [
        [0, "done; what could not be read or written is said on stderr"],
        [1, "wrong usage; nothing was looked at"],
        [2, null],
      ],
      details: "Calling it twice appends twice: name the phase and --since for a phase that ran again.",
      examples: [
        { command: "jig craft metrics emit --run add-login", explains: "at the end of a run" },
        {
          command: "jig craft metrics emit --run add-login --phase review --since 2026-09-22T10:40:00Z",
          explains: "a review that was run again",
        },
      ],
      run: async (host, args) => (await import("./emit.ts")).emit(host, args.flags),
    }),
    report: command({
      name: "craft metrics report",
      summary: "Show what runs and their phases took",
      flags: {
        run: { type: "string", value: "RUN_ID", summary: "Only this run" },
        ledger,
        prices: {
          type: "string",
          value: "FILE",
          summary:
            "JSON with the prices of a million tokens: input, output, cache_read, cache_creation, currency",
          completes: "file",
        },
        html: {
          type: "string",
          value: "FILE",
          summary: "Write one self-contained page with charts and print its path",
          completes: "file",
        },
      },
      exitCodes: [[1, "no metrics ledger, no such run, or a price table that cannot be read"]],
      examples: [
        { command: "jig craft metrics report", explains: "a table of all runs" },
        {
          command: "jig craft metrics report --prices prices.json --html report.html",
          explains: "charts, with costs",
        },
      ],
      run: async (host, args) => (await import("./report.ts")).report(host, args.flags),
    }),
  },
};

export default metrics;
