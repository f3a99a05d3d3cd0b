import { command, type Group } from "../../kernel/call/command.ts";
import { projectFlag, writeWorkflow } from "../common/flags.ts";

/** `jig flow worktree` (docs/spec/flow-worktree.md 2). */
const worktree: Group = {
  name: "flow worktree",
  summary: "Isolate a BUILD workflow in a worktree, and bring its work back under a lock",
  verbs: {
    create: command({
      name: "flow worktree create",
      summary: "Make the worktree of a BUILD workflow, or find the one it has",
      flags: {
        ...projectFlag,
        dir: {
          type: "string",
          value: "NAME",
          summary: "Directory below .claude/worktrees; from the id without",
        },
        branch: { type: "string", value: "NAME", summary: "The worktree's branch; from the id without" },
        base: { type: "string", value: "REF", summary: "Where the branch starts; the current HEAD without" },
        recreate: { type: "boolean", summary: "Check the branch out again where the worktree is gone" },
        strict: { type: "boolean", summary: "Exit 1 when the work has to go into the main tree" },
        "no-exclude": { type: "boolean", summary: "Leave the repository's info/exclude alone" },
      },
      positionals: [writeWorkflow],
      exitCodes: [
        [0, "the worktree's path, or `main tree` when there can be none"],
        [1, "a recorded worktree is not what it was, or is finalized; with --strict also no worktree"],
        [3, "several workflows are meant"],
      ],
      details:
        "A worktree that cannot be made never holds a workflow up: the reason is logged, and the work goes into the main tree.",
      examples: [
        { command: "jig flow worktree create 1a2b3c4d", explains: "prints the worktree's path" },
        {
          command: "jig flow worktree create 1a2b3c4d --json",
          explains: "with the section for every builder and verifier task",
        },
      ],
      run: async (host, { positionals: [wf], flags: { "no-exclude": keepExclude, ...flags } }) =>
        (await import("./create/create.ts")).create(host, { wf: wf!, keepExclude, ...flags }),
    }),
    status: command({
      name: "flow worktree status",
      summary: "Show worktrees, what is left behind, and who holds the merge lock",
      flags: projectFlag,
      positionals: [{ name: "WF", summary: "Only what belongs to this workflow" }],
      exitCodes: [[0, "shown, whatever it is"]],
      examples: [
        { command: "jig flow worktree status", explains: "everything of this project" },
        { command: "jig flow worktree status @latest --json", explains: "the newest workflow's, as JSON" },
      ],
      run: async (host, { positionals: [wf], flags }) =>
        (await import("./status/status.ts")).worktreeStatus(host, { wf, ...flags }),
    }),
    staleness: command({
      name: "flow worktree staleness",
      summary: "Say in one line what to make of a merge lock",
      flags: {},
      positionals: [
        { name: "META", summary: "The lock's metadata.json", required: true, completes: "file" },
        { name: "ROOT", summary: "The project's root", required: true, completes: "directory" },
        { name: "WF", summary: "The asker's own workflow" },
      ],
      exitCodes: [[0, "decided, whatever it is"]],
      examples: [
        {
          command: "jig flow worktree staleness .claude/worktrees/.merge.lock/metadata.json .",
          explains: "CONTENDED wf-…, STALE_INACTIVE wf-…",
        },
        {
          command: "jig flow worktree staleness .claude/worktrees/.merge.lock/metadata.json . --json",
          explains: "the same as JSON",
        },
      ],
      run: async (host, { positionals: [metadata, root, wf] }) =>
        (await import("./staleness.ts")).staleness(host, metadata!, root!, wf),
    }),
    unlock: command({
      name: "flow worktree unlock",
      summary: "Show who holds the merge lock, and remove it when its holder is gone",
      flags: {
        ...projectFlag,
        yes: { type: "boolean", summary: "Remove it although nothing proves that its holder is gone" },
      },
      exitCodes: [
        [0, "removed, or there is no lock"],
        [3, "left: its holder may be alive"],
      ],
      examples: [
        { command: "jig flow worktree unlock", explains: "removes a lock whose holder is proven gone" },
        { command: "jig flow worktree unlock --yes", explains: "also one that nothing is known of" },
      ],
      run: async (host, { flags }) => (await import("./unlock.ts")).unlock(host, flags),
    }),
    finalize: {
      summary: "Bring a workflow's worktree into the main tree, and remove it",
      works: true,
      load: async () => ({ default: (await import("./finalize/verbs.ts")).finalize }),
    },
    "copy-fallback": {
      summary: "Apply a worktree's uncommitted changes to another tree",
      works: true,
      load: async () => ({ default: (await import("./apply/verbs.ts")).copyFallback }),
    },
  },
};

export default worktree;
