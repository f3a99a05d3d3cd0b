import { command } from "../../kernel/call/command.ts";

export default command({
  name: "version",
  summary: "Print the version, platform and commit",
  flags: {},
  examples: [
    { command: "jig version", explains: "one line, for people and bug reports" },
    { command: "jig version --json", explains: "with the runtime and how it was built" },
  ],
  run: async () => (await import("./version.ts")).version(),
});
