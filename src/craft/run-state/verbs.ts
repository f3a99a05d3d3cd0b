import { command } from "../../kernel/call/command.ts";

const PREFIX = "run-state: ";

/** `jig craft run-state` (docs/spec/craft-run.md 3). */
export const runState = command({
  name: "craft run-state",
  summary: "Rebuild where a run stands from its ledger and a fresh Resolution",
  prefix: PREFIX,
  usageError: ({ kind, message, word }) => {
    const said =
      kind === "unknown-flag"
        ? `unknown option ${word}`
        : kind === "missing-value"
          ? `missing ${word} value`
          : kind === "extra-positional"
            ? `unexpected argument ${word}`
            : message;
    return { stderr: `${PREFIX}${said}\n`, exitCode: 2 };
  },
  flags: {
    run: { type: "string", value: "RUN_ID", summary: "The run" },
    resolution: {
      type: "string",
      value: "FILE",
      summary: "The Resolution; standard input without, or with -",
      completes: "file",
    },
    liveness: { type: "boolean", summary: "Look whether background runs are alive and what they wrote" },
  },
  positionals: [
    {
      name: "LEDGER",
      summary: "The path of its ledger, the second word of what jig craft ledger open or locate prints",
      completes: "file",
    },
  ],
  exitCodes: [
    [0, "the state is printed as JSON"],
    [1, "the ledger and the Resolution await different harnesses: a blocker"],
    [2, "no such ledger, a Resolution that cannot be read, or wrong usage: a blocker"],
  ],
  examples: [
    {
      command: "jig craft run-state LEDGER --run add-login --resolution run.json",
      explains: "what is done, what is in flight, what comes next",
    },
    {
      command: "jig craft run-state LEDGER --run add-login --resolution run.json --liveness",
      explains: "with the state of background harnesses",
    },
  ],
  run: async (host, args) => {
    const { run, resolution, liveness } = args.flags;
    const { runState } = await import("./run-state.ts");
    return runState(host, { ledger: args.positionals[0], run, resolution, liveness });
  },
});
