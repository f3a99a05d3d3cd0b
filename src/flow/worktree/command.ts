import { command, type Group } from "../../kernel/call/command.ts";
import { projectFlag } from "../common/flags.ts";

/** `jig flow worktree` (docs/spec/flow-worktree.md 2). */
const worktree: Group = {
  name: "flow worktree",
  summary: "Isolate a BUILD workflow in a worktree, and bring its work back under a lock",
  verbs: {
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
    "copy-fallback": {
      summary: "Apply a worktree's uncommitted changes to another tree",
      works: true,
      load: async () => ({ default: (await import("./apply/verbs.ts")).copyFallback }),
    },
  },
};

export default worktree;
