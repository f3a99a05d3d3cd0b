import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

/** `jig craft manifest-lint` (docs/spec/craft-engine.md 3). */
export const manifestLint = command({
  name: "craft manifest-lint",
  summary: "Check a manifest, its references and its definition of done",
  prefix: "craft-manifest: ",
  usageError: usageErrors("craft-manifest"),
  flags: { strict: { type: "boolean", summary: "Warnings are errors" } },
  positionals: [{ name: "PATH", summary: "The manifest (default .claude/workflow.md)", completes: "file" }],
  exitCodes: [
    [0, "valid, or there is no manifest"],
    [1, null],
    [2, "invalid, or wrong usage"],
  ],
  examples: [
    { command: "jig craft manifest-lint", explains: "check .claude/workflow.md" },
    {
      command: "jig craft manifest-lint .claude/craft-ci.md --strict --json",
      explains: "one named config, with the line of every finding",
    },
  ],
  run: async (host, args) => {
    const { strict, json } = args.flags;
    return (await import("./lint.ts")).manifestLint(host, { path: args.positionals[0], strict, json });
  },
});
