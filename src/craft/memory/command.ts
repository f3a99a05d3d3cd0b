import { command, type Group, type StringFlag } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

const place = {
  repo: {
    type: "string",
    value: "DIR",
    summary: "The work tree",
    default: "the one of the working directory",
    completes: "directory",
  },
  ref: {
    type: "string",
    value: "PATH",
    summary: "The store, relative to the work tree and inside it",
    default: "memory.ref of the manifest, else .claude/craft-memory.md",
    completes: "file",
  },
  manifest: { type: "string", value: "FILE", summary: "The run's manifest", completes: "file" },
} as const satisfies Record<string, StringFlag>;

/** The advisory store of checkable facts of a repository (docs/spec/craft-run.md 5). */
const memory: Group = {
  name: "craft memory",
  summary: "Remember checkable facts of a repository from run to run, in a committed file",
  prefix: "memory: ",
  usageError: usageErrors("memory"),
  verbs: {
    load: command({
      name: "craft memory load",
      summary: "Print what is remembered; a store that cannot be read is said to be degraded",
      flags: {
        ...place,
        concern: {
          type: "string",
          value: "C",
          summary: "Only this: toolchain, gate-cmd, validation-tool, findings, part-sizing",
          repeat: true,
        },
        recheck: { type: "boolean", summary: "Leave out what the working tree shows to be gone" },
        out: {
          type: "string",
          value: "FILE",
          summary: "Write the view to FILE and print its path",
          completes: "file",
        },
      },
      exitCodes: [
        [0, "printed, whatever the store is like"],
        [1, null],
      ],
      details:
        "The view is what save needs at the end of the run. Remembered facts save a probe, never a check.",
      examples: [
        { command: "jig craft memory load --out view.json", explains: "at the start of a run" },
        { command: "jig craft memory load --concern findings --recheck", explains: "what review is told" },
      ],
      run: async (host, args) => (await import("./load.ts")).load(host, args.flags),
    }),
    save: command({
      name: "craft memory save",
      summary: "Merge what a run saw into the store, in one atomic write",
      flags: {
        ...place,
        delta: {
          type: "string",
          value: "FILE",
          summary: "Observations as JSON: an array of { concern, payload, retract? }; - is standard input",
          completes: "file",
        },
        ledger: {
          type: "string",
          value: "RUN_ID",
          summary: "Add what this open run's ledger says by itself",
        },
        view: {
          type: "string",
          value: "FILE",
          summary: "What load printed when the run began",
          default: "the store as it is now",
          completes: "file",
        },
        run: { type: "string", value: "ID", summary: "The run, for the provenance" },
        commit: { type: "string", value: "SHA", summary: "Its commit", default: "HEAD" },
        date: { type: "string", value: "DATE", summary: "YYYY-MM-DD", default: "today, UTC" },
        "max-entries": {
          type: "number",
          value: "N",
          summary: "Most entries kept; the least sure of the newest go first",
          integer: true,
          min: 0,
          default: "1000",
        },
        "max-bytes": {
          type: "number",
          value: "N",
          summary: "Largest store",
          integer: true,
          min: 0,
          unit: "bytes",
        },
      },
      exitCodes: [
        [0, "written, or a reason why not in writeNote"],
        [1, null],
        [2, "no delta, a delta or view of the wrong shape, no such run, or wrong usage; nothing was written"],
      ],
      details:
        "What is seen again gains confidence, what is not loses some, what is retracted goes. Secrets and paths of this\n" +
        "machine are dropped and listed. What another run stored meanwhile stays.",
      examples: [
        {
          command: "jig craft memory save --delta seen.json --view view.json --ledger add-login",
          explains: "at the end of a run",
        },
        { command: "jig craft memory save --delta - < seen.json", explains: "against the store as it is" },
      ],
      run: async (host, args) => (await import("./save/save.ts")).save(host, args.flags),
    }),
    retract: command({
      name: "craft memory retract",
      summary: "Take back a remembered fact that was disproved",
      flags: {
        ...place,
        run: {
          type: "string",
          value: "RUN_ID",
          summary: "Note it in this run's ledger; its save removes the entry",
        },
        phase: { type: "string", value: "P", summary: "The phase that says so" },
        apply: { type: "boolean", summary: "Remove the entry now" },
      },
      positionals: [
        {
          name: "CONCERN",
          summary: "toolchain, gate-cmd, validation-tool, findings or part-sizing",
          required: true,
        },
        {
          name: "KEY",
          summary: "What tells the entry: its first field, or FILE PATTERN of a finding",
          required: true,
        },
      ],
      exitCodes: [
        [0, "noted, or removed, or there was none"],
        [1, "no open run, a store that cannot be read or written, or it is busy"],
      ],
      examples: [
        {
          command: "jig craft memory retract gate-cmd implementation --run add-login --phase implementation",
          explains: "the command no longer works",
        },
        {
          command: "jig craft memory retract findings 'src/a.ts unchecked cast' --apply",
          explains: "by hand, between runs",
        },
      ],
      run: async (host, args) => (await import("./retract.ts")).retract(host, args.positionals, args.flags),
    }),
  },
};

export default memory;
