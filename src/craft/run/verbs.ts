import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";
import { resolutionOut, runFlags, selectionFlags } from "../common/run-flags.ts";

/** `jig craft resolve` (docs/spec/craft-engine.md 5.7). */
export const resolve = command({
  name: "craft resolve",
  summary: "Find the manifest, lint it and resolve the run, in one call",
  prefix: "resolve: ",
  usageError: usageErrors("resolve"),
  flags: {
    ...selectionFlags,
    ...runFlags,
    out: resolutionOut,
  },
  exitCodes: [
    [0, "resolved; advice is on stderr and in notes"],
    [1, "no manifest of that config's name"],
    [2, "the manifest is invalid, or the run does not resolve; or wrong usage"],
  ],
  examples: [
    { command: "jig craft resolve --out run.json", explains: "what a run of this repository does" },
    {
      command: "jig craft resolve --config ci --profile full --skip lessons",
      explains: "another manifest, and changes for one run",
    },
  ],
  run: async (host, args) => (await import("./resolve.ts")).resolve(host, args.flags),
});

/** `jig craft parse-args` (docs/spec/craft-engine.md 5.6). */
export const parseArgs = command({
  name: "craft parse-args",
  summary: "Take the craft flags out of a run's raw input and leave the brief",
  prefix: "parse-args: ",
  usageError: usageErrors("parse-args"),
  flags: {
    from: {
      type: "string",
      value: "FILE",
      summary: "The input, `-` for stdin (at most 1 MiB)",
      default: "-",
      completes: "file",
    },
  },
  exitCodes: [
    [1, null],
    [2, "a flag without a value, --config twice, or wrong usage"],
  ],
  examples: [
    {
      command: "echo 'add a cache --profile lean' | jig craft parse-args",
      explains: "profile lean, brief `add a cache`",
    },
    {
      command: "jig craft parse-args --from input.txt",
      explains: "the same from a file, which meets no shell",
    },
  ],
  details: "Words in backquotes or quotes, and all that follows a bare --, are brief. So are unknown flags.",
  run: async (host, args) => (await import("./parse-args.ts")).parseArgs(host, args.flags.from),
});
