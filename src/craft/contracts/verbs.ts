import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

export const contractsLint = command({
  name: "craft contracts-lint",
  summary: "Check the seven contract bundles",
  prefix: "contracts-lint: ",
  usageError: usageErrors("contracts-lint"),
  flags: {
    markers: { type: "boolean", summary: "Also the phrases callers look for and the two carve-out markers" },
  },
  positionals: [
    { name: "DIR", summary: "Where the bundles are (the embedded ones without)", completes: "directory" },
  ],
  exitCodes: [
    [0, "all seven are in order"],
    [1, null],
    [2, "every problem is on stderr; or wrong usage"],
  ],
  examples: [
    { command: "jig craft contracts-lint --markers", explains: "the embedded bundles" },
    { command: "jig craft contracts-lint contracts", explains: "your own" },
  ],
  run: async (host, args) => {
    // Upstream's name looks in ./contracts.
    const directory = args.positionals[0] || (host.invokedAs === undefined ? undefined : "contracts");
    const { contractsLint } = await import("./lint.ts");
    return contractsLint(host, { directory, markers: args.flags.markers });
  },
});

/** `jig craft contract-assemble` (docs/spec/craft-engine.md 11.1). */
export const contractAssemble = command({
  name: "craft contract-assemble",
  summary: "Print the contract block that goes before a phase's task",
  prefix: "contract-assemble: ",
  usageError: usageErrors("contract-assemble"),
  flags: {
    "descriptor-id": { type: "string", value: "ID", summary: "The phase; its older names are known" },
    manifest: {
      type: "string",
      value: "PATH",
      summary: "Whose context paths are added; lint it first",
      completes: "file",
    },
    inline: { type: "boolean", summary: "For a phase the session runs itself" },
    "contracts-dir": {
      type: "string",
      value: "DIR",
      summary: "Your own bundles; all seven have to be there",
      completes: "directory",
    },
    "descriptor-json": {
      type: "string",
      value: "PATH",
      summary: "A descriptor, a list of them or a Resolution; - is standard input. For inserted phases",
      completes: "file",
    },
    pipeline: { type: "string", value: "PATH", summary: "Another pipeline file", completes: "file" },
  },
  exitCodes: [
    [0, "the block is printed"],
    [1, null],
    [2, "an unknown phase or bundle, a file that cannot be read, or wrong usage"],
  ],
  examples: [
    { command: "jig craft contract-assemble --descriptor-id design", explains: "for an agent" },
    {
      command: "jig craft contract-assemble --descriptor-id smoke --descriptor-json run.json --inline",
      explains: "an inserted phase, from the Resolution of the run",
    },
  ],
  run: async (host, args) => {
    const { manifest, inline, pipeline } = args.flags;
    return (await import("./contract.ts")).contractAssemble(host, {
      id: args.flags["descriptor-id"],
      json: args.flags["descriptor-json"],
      contractsDirectory: args.flags["contracts-dir"],
      manifest,
      inline,
      pipeline,
    });
  },
});
