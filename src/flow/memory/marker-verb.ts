import { command } from "../../kernel/call/command.ts";
import { projectFlag, writeWorkflow } from "../common/flags.ts";
import type { MarkerName } from "./marker.ts";

/** `jig flow marker` (docs/spec/flow.md 8.3). */
export const marker = command({
  name: "flow marker",
  summary: "Mark in a workflow's memory where a build, a bug hunt or a plan begins",
  flags: projectFlag,
  positionals: [
    writeWorkflow,
    {
      name: "MARKER",
      summary: "What begins; a bug hunt may begin more than once",
      required: true,
      choices: ["build-start", "debug-reset", "plan-start"],
    },
  ],
  exitCodes: [
    [1, "no such workflow, or its memory cannot be read or written"],
    [3, "several workflows are meant"],
  ],
  examples: [
    { command: "jig flow marker 1a2b3c4d build-start", explains: "once" },
    { command: "jig flow marker 1a2b3c4d debug-reset", explains: "before each new line of inquiry" },
  ],
  run: async (host, args) => {
    const [wf, name] = args.positionals;
    return (await import("./marker.ts")).marker(host, wf!, name as MarkerName, args.flags.project);
  },
});
