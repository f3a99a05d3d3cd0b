import { command, type Group } from "../../kernel/call/command.ts";
import { projectFlag, writeWorkflow } from "../common/flags.ts";
import { usageErrors } from "../common/usage.ts";

/** What a project, its workflows and its workspace remember (docs/spec/flow.md 9). */
const memory: Group = {
  name: "flow memory",
  summary: "Read and write what a project, a workflow and a workspace remember",
  verbs: {
    load: command({
      name: "flow memory load",
      summary: "Print what is remembered, merged from all tiers; missing files and sections are made",
      flags: {
        ...projectFlag,
        wf: { type: "string", value: "WF", summary: "Also this workflow's own memory" },
        "no-heal": { type: "boolean", summary: "Write nothing" },
        full: { type: "boolean", summary: "Show files over 50000 bytes whole" },
      },
      exitCodes: [
        [1, "a file of the project cannot be read or its directory not be made; other tiers only get a note"],
        [3, "several workflows are meant"],
      ],
      examples: [
        { command: "jig flow memory load", explains: "at the start of a session" },
        { command: "jig flow memory load --wf 1a2b3c4d --json", explains: "with a workflow's own, as JSON" },
      ],
      run: async (host, args) => (await import("./load/load.ts")).load(host, args.flags),
    }),
    heal: command({
      name: "flow memory heal",
      summary: "Add the sections that a tier's files have to have; nothing else is changed",
      flags: {
        ...projectFlag,
        tier: {
          type: "string",
          value: "TIER",
          summary: "Which files",
          choices: ["project", "workspace", "workflow"],
          default: "project, or workflow with --wf",
        },
        wf: { type: "string", value: "WF", summary: "The workflow whose files are meant" },
        check: { type: "boolean", summary: "Write nothing, exit 1 when something is missing" },
      },
      exitCodes: [
        [1, "something is missing (--check), or a file cannot be read or written"],
        [3, "several workflows are meant"],
      ],
      examples: [
        { command: "jig flow memory heal", explains: "the project's files" },
        { command: "jig flow memory heal --wf 1a2b3c4d --check", explains: "what a workflow's files lack" },
      ],
      run: async (host, args) => (await import("./heal.ts")).heal(host, args.flags),
    }),
    add: command({
      name: "flow memory add",
      summary: "Add one bullet to a section: a decision, a clarification, a step of a bug hunt",
      flags: {
        ...projectFlag,
        from: {
          type: "string",
          value: "FILE",
          summary: "Read the text from FILE; - is standard input",
          completes: "file",
        },
        tier: {
          type: "string",
          value: "TIER",
          summary: "Whose file",
          choices: ["project", "workflow"],
          default: "project",
        },
        wf: { type: "string", value: "WF", summary: "The workflow, for --tier workflow" },
      },
      positionals: [
        {
          name: "SECTION",
          summary: "A required section, as its heading or as recent-changes",
          required: true,
        },
        { name: "TEXT", summary: "The bullet's text" },
      ],
      exitCodes: [
        [1, "no such workflow, or the file cannot be read or written"],
        [3, "several workflows are meant"],
      ],
      details:
        "The text stays as it is, newlines become blanks. A bullet that is there already is not repeated.",
      examples: [
        { command: "jig flow memory add decisions --from answer.txt", explains: "keep a user's answer" },
        {
          command:
            'jig flow memory add recent-changes "[DEBUG-1]: cache is cold" --tier workflow --wf 1a2b3c4d',
          explains: "a step of a bug hunt, in the workflow's own memory",
        },
      ],
      run: async (host, args) => {
        const [section, text] = args.positionals;
        return (await import("./add.ts")).add(host, { ...args.flags, section: section!, text });
      },
    }),
    permit: command({
      name: "flow memory permit",
      summary: "Allow a workflow's memory files to be written by hand, take it back, or show who may",
      flags: projectFlag,
      positionals: [
        { name: "ACTION", summary: "What to do", required: true, choices: ["set", "clear", "show"] },
        { name: "WF", summary: "The workflow, for set" },
      ],
      exitCodes: [
        [1, "show: there is no permit; or it cannot be written"],
        [3, "several workflows are meant"],
      ],
      details:
        "memory finalize sets and clears it by itself. Hooks deny edits of memory files while there is none.",
      examples: [
        { command: "jig flow memory permit set 1a2b3c4d", explains: "before edits by hand" },
        { command: "jig flow memory permit clear", explains: "after them" },
      ],
      run: async (host, args) => {
        const [action, wf] = args.positionals;
        return (await import("./permit.ts")).permit(host, action!, wf, args.flags.project);
      },
    }),
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
    finalize: command({
      name: "flow memory finalize",
      summary: "Put what a workflow learned into memory and record that it is done",
      flags: {
        ...projectFlag,
        from: {
          type: "string",
          value: "FILE",
          summary: "What it learned, a JSON object; - is standard input",
          required: true,
          completes: "file",
        },
      },
      positionals: [writeWorkflow],
      exitCodes: [
        [1, "a file cannot be read or written; what was written stays, and a rerun repeats nothing"],
        [3, "a gate is set, the worktree is not merged, or several workflows are meant; nothing was written"],
      ],
      details:
        "Fields: learnings, promote, patterns (notes); verification, deferred, tasks, retractions (texts); summary,\n" +
        "debug_result (one line each).",
      examples: [
        {
          command: "jig flow memory finalize 1a2b3c4d --from learned.json",
          explains: "at the end of a workflow",
        },
        {
          command: "jig flow memory finalize 1a2b3c4d --from - < learned.json",
          explains: "from standard input",
        },
      ],
      run: async (host, args) =>
        (await import("./finalize/finalize.ts")).finalize(host, { wf: args.positionals[0]!, ...args.flags }),
    }),
    repair: command({
      name: "flow memory repair",
      summary: "Mend three memory files whose headings and bullets were once torn apart",
      flags: {
        "target-dir": {
          type: "string",
          value: "DIR",
          summary: "The directory of the three files",
          required: true,
          completes: "directory",
        },
        apply: { type: "boolean", summary: "Write the files, after a backup beside the directory" },
      },
      // Its callers look for the same words under each of its names.
      usageError: (problem, synopsis, prefix, invokedAs) =>
        usageErrors(problem, synopsis, prefix, invokedAs ?? "jig flow memory repair"),
      exitCodes: [[1, "a file or a heading is missing, or the backup failed; nothing was written"]],
      examples: [
        {
          command: "jig flow memory repair --target-dir .craftflow/state/project",
          explains: "show what would change",
        },
        {
          command: "jig flow memory repair --target-dir .craftflow/state/project --apply",
          explains: "write it",
        },
      ],
      run: async (host, args) => (await import("./repair/repair.ts")).repair(host, args.flags),
    }),
  },
};

export default memory;
