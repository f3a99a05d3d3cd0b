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

export const configResolve = command({
  name: "craft config-resolve",
  summary: "Find the manifest that a config's name stands for",
  prefix: "config-resolve: ",
  usageError: usageErrors("config-resolve", 1),
  flags: {},
  positionals: [
    { name: "NAME", summary: "Lower-case words joined by hyphens; further words are ignored", repeat: true },
  ],
  exitCodes: [
    [0, "found; the absolute path is printed"],
    [1, "no such config, or no valid name"],
    [2, null],
  ],
  details:
    "Looked for as .claude/craft-NAME.md in the working directory, then in the home directory. A file of the home\n" +
    "directory that is a symlink, or leads out of ~/.claude, counts as absent.",
  examples: [
    { command: "jig craft config-resolve ci", explains: "the manifest that --config ci of a run selects" },
    { command: "jig craft config-resolve ci --json", explains: "the same with its scope" },
  ],
  run: async (host, args) => (await import("./config-resolve.ts")).configResolve(host, args.positionals[0]),
});

/** `jig craft manifest-schema` (docs/spec/craft-engine.md, Beyond upstream). */
export const manifestSchema = command({
  name: "craft manifest-schema",
  summary: "Print the JSON Schema of a manifest's front matter, for editors",
  prefix: "manifest-schema: ",
  usageError: usageErrors("manifest-schema"),
  flags: {},
  exitCodes: [[1, null]],
  examples: [
    {
      command: "jig craft manifest-schema > manifest.schema.json",
      explains: "completion and checks while you type",
    },
    { command: "jig schema craft-manifest", explains: "the same" },
  ],
  // One place prints schemas, and it is not ours.
  run: async (host) => {
    const { stdout } = await host.run(["schema", "craft-manifest"]);
    const text = new TextDecoder().decode(stdout);
    return { data: JSON.parse(text), text, json: text };
  },
});
