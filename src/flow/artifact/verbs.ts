import { command } from "../../kernel/call/command.ts";
import { projectFlag, readWorkflow } from "../common/flags.ts";

/** `jig flow show` (docs/spec/flow.md 6.2). */
export const show = command({
  name: "flow show",
  summary: "Print a workflow's artifact, or one value of it",
  flags: {
    ...projectFlag,
    field: { type: "string", value: "PATH", summary: "A value by its path, keys and places joined by dots" },
  },
  positionals: [readWorkflow],
  exitCodes: [
    [1, "no such workflow or field, or the artifact cannot be read"],
    [3, "several workflows are meant"],
  ],
  readOnly: ["*"],
  examples: [
    { command: "jig flow show @latest", explains: "the newest workflow's artifact" },
    { command: "jig flow show wf-login-20260706-141203-1a2b3c4d --field intent.goal", explains: "one value" },
  ],
  run: async (host, args) =>
    (await import("./show.ts")).show(host, { wf: args.positionals[0]!, ...args.flags }),
});
