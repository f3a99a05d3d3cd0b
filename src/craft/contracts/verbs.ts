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
