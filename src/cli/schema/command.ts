import { command } from "../../kernel/call/command.ts";

export default command({
  name: "schema",
  summary: "Print the JSON Schema of a file format or a --json result",
  positionals: [{ name: "NAME", summary: "A schema of the list (without: the list itself)" }],
  flags: {},
  examples: [
    { command: "jig schema", explains: "list every schema with its group" },
    { command: "jig schema job-meta", explains: "the schema of a job's meta.json (JSON Schema 2020-12)" },
  ],
  run: async (_host, args) => (await import("./schemas.ts")).schema(args.positionals[0]),
});
