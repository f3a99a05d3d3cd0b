import { command, type Group } from "../../kernel/call/command.ts";
import { projectFlag } from "../common/flags.ts";

/** What a project, its workflows and its workspace remember (docs/spec/flow.md 9). */
const memory: Group = {
  name: "flow memory",
  summary: "Read and write what a project, a workflow and a workspace remember",
  verbs: {
    merge: command({
      name: "flow memory merge",
      summary: "Merge notes into a section: retractions, notes by their confidence, a cap",
      flags: {
        ...projectFlag,
        from: {
          type: "string",
          value: "FILE",
          summary: "The payload, a JSON object; - is standard input",
          default: "-",
          completes: "file",
        },
        apply: {
          type: "string",
          value: "FILE",
          summary: "Merge into FILE itself; needs the permit (jig flow memory permit)",
          completes: "file",
        },
      },
      exitCodes: [[1, "a payload of the wrong shape, no such section, or no permit; nothing was written"]],
      details:
        "The payload has file_text and section (or section_text alone), notes, retractions, max_bullets and archive.\n" +
        "Without --apply the merged text is printed and nothing is written.",
      examples: [
        { command: "jig flow memory merge < payload.json", explains: "print the merged file" },
        {
          command: "jig flow memory merge --from payload.json --apply .craftflow/state/project/patterns.md",
          explains: "write it, during a memory finalization",
        },
      ],
      run: async (host, args) => (await import("./merge/merge.ts")).merge(host, args.flags),
    }),
  },
};

export default memory;
