import { command, type Group } from "../../kernel/call/command.ts";
import { PREFIX } from "./fail.ts";

const RUN_ID = { name: "RUN_ID", summary: "The run, a slug", required: true } as const;
const PHASE = { name: "PHASE", summary: "The phase that says it", required: true } as const;
const from = {
  type: "string",
  value: "FILE",
  summary: "Read the input from FILE; - is standard input",
  completes: "file",
} as const;

/** The run ledger and the store of discovered impacts (docs/spec/craft-run.md 2). */
const ledger: Group = {
  name: "craft ledger",
  summary: "Keep a run's record where no compaction, crash or removed worktree can lose it",
  prefix: PREFIX,
  usageError: (problem, synopsis) => ({
    stderr: `${PREFIX}${problem.message}\nusage: ${synopsis}\n`,
    exitCode: 2,
  }),
  verbs: {
    dir: command({
      name: "craft ledger dir",
      summary: "Print the directory of all runs of this repository",
      flags: {},
      exitCodes: [[1, "not in a work tree"]],
      details:
        "It lies in the git directory that the main checkout and all worktrees share. Nothing is made.",
      examples: [
        { command: "jig craft ledger dir", explains: "an absolute path" },
        { command: "jig craft ledger dir --json", explains: "the same as JSON" },
      ],
      run: async (host) => (await import("./dir.ts")).dir(host),
    }),
    open: command({
      name: "craft ledger open",
      summary: "Open a run: its ledger, its impacts store and its pointer",
      flags: {
        seed: {
          type: "string",
          value: "FILE",
          summary: "First records of the ledger, one a line; - is standard input",
          completes: "file",
        },
      },
      positionals: [RUN_ID],
      exitCodes: [
        [0, "open; RUN-KEY and the ledger's path are printed"],
        [1, "not in a work tree, a symlink in the way, the directory is busy, or an operating-system error"],
        [3, "already open; nothing was written"],
      ],
      details:
        "Let the printed line reach the transcript: the hooks find the run again by its key. A seed makes opening and\n" +
        "the first records one step, so a refused open keeps them out.",
      examples: [
        { command: "jig craft ledger open add-login", explains: "a new run" },
        {
          command: "jig craft ledger open add-login --seed resolve.txt",
          explains: "with what was resolved before",
        },
      ],
      run: async (host, args) =>
        (await import("./open.ts")).open(host, { runId: args.positionals[0]!, seed: args.flags.seed }),
    }),
    append: command({
      name: "craft ledger append",
      summary: "Append records to a run's ledger, one a line, all of them or none",
      flags: {
        line: { type: "string", value: "TEXT", summary: "One record; instead of input lines", repeat: true },
        from,
      },
      positionals: [RUN_ID, PHASE],
      exitCodes: [
        [0, "every record is in the ledger"],
        [1, "no open run, an untrusted pointer, no input, or an operating-system error; none is in it"],
      ],
      details:
        "PHASE-START(phase): gets this tool's own time stamp. Control characters and escape sequences are taken out.",
      examples: [
        {
          command: "jig craft ledger append add-login review --line 'GATE(review): green'",
          explains: "one record",
        },
        {
          command: "jig craft ledger append add-login review --from lines.txt",
          explains: "all lines of a file",
        },
      ],
      run: async (host, args) => {
        const [runId, phase] = args.positionals;
        const { line, from: file } = args.flags;
        return (await import("./append.ts")).append(host, {
          runId: runId!,
          phase: phase!,
          lines: line,
          from: file,
        });
      },
    }),
    close: command({
      name: "craft ledger close",
      summary: "Take a run's files away; its last ledger action",
      flags: {},
      positionals: [RUN_ID],
      exitCodes: [
        [0, "gone, or never there"],
        [1, "not in a work tree, the directory is busy, or an operating-system error"],
      ],
      examples: [
        {
          command: "jig craft ledger close add-login",
          explains: "after the record was read for the summary",
        },
        { command: "jig craft ledger show", explains: "what is still open" },
      ],
      run: async (host, args) => (await import("./close.ts")).close(host, args.positionals[0]!),
    }),
    locate: command({
      name: "craft ledger locate",
      summary: "Find an open run by its id or by its key in a transcript",
      flags: {
        run: { type: "string", value: "RUN_ID", summary: "The run" },
        bind: { type: "boolean", summary: "Print the run-key in front: a new session takes the run over" },
        transcript: {
          type: "string",
          value: "PATH",
          summary: "The newest run whose key stands in this file",
          completes: "file",
        },
      },
      exitCodes: [[0, "RUN_ID and the ledger's path, or nothing when there is none"]],
      examples: [
        { command: "jig craft ledger locate --run add-login", explains: "is it open, and where" },
        {
          command: "jig craft ledger locate --transcript session.jsonl",
          explains: "which run this session has",
        },
      ],
      run: async (host, args) => (await import("./locate.ts")).locate(host, args.flags),
    }),
    defer: command({
      name: "craft ledger defer",
      summary: "Store a finding that is not fixed now, and say so in the ledger",
      flags: { from },
      positionals: [RUN_ID, PHASE],
      exitCodes: [
        [0, "stored; its id is printed"],
        [1, "no open run, or an operating-system error"],
        [2, "a field is missing or wrong, or wrong usage; nothing was written"],
      ],
      details:
        "The entry has the keys title, locus, reason, proof and expected; the lines of the proof are indented by two.\n" +
        "The same entry again prints the same id.",
      examples: [
        { command: "jig craft ledger defer add-login review --from impact.txt", explains: "prints I1" },
        { command: "jig craft ledger show add-login --impacts", explains: "what was stored" },
      ],
      run: async (host, args) => {
        const [runId, phase] = args.positionals;
        return (await import("./impacts/defer.ts")).defer(host, {
          runId: runId!,
          phase: phase!,
          from: args.flags.from,
        });
      },
    }),
    verdict: command({
      name: "craft ledger verdict",
      summary: "Store judgements of deferred findings, all or none",
      flags: { from },
      positionals: [RUN_ID, { name: "IMPACT", summary: "I and a number, for one entry without an id" }],
      exitCodes: [
        [0, "stored; the ids are printed"],
        [1, "no open run, or an operating-system error"],
        [2, "an entry is wrong, or wrong usage; nothing was written"],
      ],
      details: "Entries are separated by blank lines; their keys are id, verdict and rationale.",
      examples: [
        { command: "jig craft ledger verdict add-login --from verdicts.txt", explains: "several" },
        { command: "jig craft ledger verdict add-login I1 --from verdict.txt", explains: "one" },
      ],
      run: async (host, args) => {
        const [runId, id] = args.positionals;
        const { verdict } = await import("./impacts/verdict.ts");
        return verdict(host, { runId: runId!, id, from: args.flags.from });
      },
    }),
    show: command({
      name: "craft ledger show",
      summary: "Print the open runs, a run's records, or its impacts",
      flags: {
        impacts: { type: "boolean", summary: "The impacts store instead of the records" },
        tail: { type: "number", integer: true, value: "N", summary: "Only the last N records", min: 0 },
        phase: { type: "string", value: "P", summary: "Only records of this phase" },
        token: { type: "string", value: "T", summary: "Only records that start with this token: GATE" },
      },
      positionals: [{ name: "RUN_ID", summary: "The run; without one all open runs" }],
      exitCodes: [[1, "no such run is open, or not in a work tree"]],
      examples: [
        { command: "jig craft ledger show", explains: "run, since when, where" },
        {
          command: "jig craft ledger show add-login --token GATE --tail 5",
          explains: "the last gate results",
        },
      ],
      run: async (host, args) => {
        const { impacts, tail, phase, token } = args.flags;
        const { show } = await import("./show.ts");
        return show(host, { runId: args.positionals[0], impacts, tail, phase, token });
      },
    }),
  },
};

export default ledger;
