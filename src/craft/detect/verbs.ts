import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

export const detect = command({
  name: "craft detect",
  summary: "Tell a repository's ecosystem and what it can check",
  prefix: "detect: ",
  usageError: usageErrors("detect"),
  flags: {
    "test-command": { type: "boolean", summary: "Print only the command that runs the tests" },
  },
  positionals: [
    { name: "DIR", summary: "The directory itself, nothing below it (default .)", completes: "directory" },
  ],
  exitCodes: [
    [0, "recognised; always with --json"],
    [1, "nothing was recognised, or there is no test command"],
  ],
  examples: [
    { command: "jig craft detect", explains: "one word: npm, cargo, uv, …" },
    { command: "jig craft detect --json", explains: "test command, techniques, configs, remote" },
  ],
  run: async (host, args) => {
    const { json, "test-command": testCommand } = args.flags;
    return (await import("./detect.ts")).detect(host, { directory: args.positionals[0], testCommand, json });
  },
});
