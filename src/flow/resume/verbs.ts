import { command } from "../../kernel/call/command.ts";
import { projectFlag } from "../common/flags.ts";

/** `jig flow resume` (docs/spec/flow.md 8.1). */
export const resume = command({
  name: "flow resume",
  summary: "Say which workflow goes on and what may run now, or that it cannot be told",
  flags: {
    ...projectFlag,
    "session-id": {
      type: "string",
      value: "S",
      summary: "The session that asks: the workflow it began is meant",
      default: "CLAUDE_CODE_SESSION_ID",
    },
  },
  positionals: [
    { name: "WF", summary: "Workflow: its id, the last 8 digits of it, a unique beginning, or @latest" },
  ],
  exitCodes: [
    [0, "RESUME: one workflow is meant"],
    [1, "NONE: no workflow is open; or its state cannot be read"],
    [3, "AMBIGUOUS: several may be meant; they are listed on stderr"],
  ],
  details: "Artifact and event log alone decide; how new a file is decides nothing. Nothing is written.",
  examples: [
    { command: "jig flow resume --json", explains: "at the start of a session" },
    { command: "jig flow resume 1a2b3c4d", explains: "when several are open" },
  ],
  run: async (host, args) =>
    (await import("./resume.ts")).resume(host, { wf: args.positionals[0], ...args.flags }),
});
