import { command } from "../../../kernel/call/command.ts";

/** `jig flow worktree copy-fallback` (docs/spec/flow-worktree.md 6.3). */
export const copyFallback = command({
  name: "flow worktree copy-fallback",
  summary: "Apply a worktree's uncommitted changes to another tree",
  flags: {},
  positionals: [
    { name: "WORKTREE", summary: "Where the changes are", required: true, completes: "directory" },
    { name: "ROOT", summary: "Where they are to be applied", required: true, completes: "directory" },
  ],
  exitCodes: [[1, "git failed, a status is not carried over, or a file could not be written"]],
  details:
    "Nothing is added or committed, and newer work at the destination is not looked for: worktree finalize does\n" +
    "both the safe way.",
  examples: [
    {
      command: "jig flow worktree copy-fallback .claude/worktrees/login-1a2b3c4d .",
      explains: "one line for each change that was applied",
    },
    {
      command: "jig flow worktree copy-fallback .claude/worktrees/login-1a2b3c4d . --json",
      explains: "the same as JSON",
    },
  ],
  run: async (host, args) => {
    const [worktree, root] = args.positionals;
    return (await import("./copy-fallback.ts")).copyFallback(host, { worktree: worktree!, root: root! });
  },
});
