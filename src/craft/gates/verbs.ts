import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";
import { resolutionFlag } from "../common/run-flags.ts";

/** `jig craft gate` (docs/spec/craft-engine.md 9.4). */
export const gate = command({
  name: "craft gate",
  summary: "Print the commands that a phase's gate means, one per line; none is run",
  prefix: "gate: ",
  usageError: usageErrors("gate"),
  flags: {
    resolution: { ...resolutionFlag, required: true },
    manifest: {
      type: "string",
      value: "PATH",
      summary: "The manifest whose gates and pr count",
      completes: "file",
    },
  },
  positionals: [{ name: "PHASE", summary: "A phase of the Resolution", required: true }],
  exitCodes: [
    [0, "printed; nothing when the phase has no gate"],
    [1, "the gate needs a command, and neither the manifest nor the repository has one"],
    [2, "the phase is not in the Resolution, or wrong usage"],
  ],
  examples: [
    {
      command: "jig craft gate implementation --resolution run.json --manifest .claude/workflow.md",
      explains: "gates.phase of the manifest, else the repository's test command",
    },
    {
      command: "jig craft gate propose --resolution run.json --json",
      explains: "with where the command comes from",
    },
  ],
  run: async (host, args) =>
    (await import("./gate.ts")).gate(host, { phase: args.positionals[0]!, ...args.flags }),
});
