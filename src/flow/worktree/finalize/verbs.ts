import { command } from "../../../kernel/call/command.ts";
import { projectFlag, writeWorkflow } from "../../common/flags.ts";

/** `jig flow worktree finalize` (docs/spec/flow-worktree.md 5). */
export const finalize = command({
  name: "flow worktree finalize",
  summary: "Bring a workflow's worktree into the main tree, and remove it",
  flags: {
    ...projectFlag,
    "onto-current": { type: "boolean", summary: "Merge into what the main tree is on now, whatever it was" },
    "accept-missing": { type: "boolean", summary: "Go on although the worktree's directory is gone" },
    "abort-on-conflict": {
      type: "boolean",
      summary: "Abort a merge that meets a conflict; left for you without",
    },
    "discard-ignored": {
      type: "boolean",
      summary: "Drop what git ignores in the worktree; kept aside without",
    },
    "lock-attempts": {
      type: "number",
      value: "N",
      summary: "How often the merge lock is asked for",
      integer: true,
      min: 1,
      max: 100_000,
      default: "9",
    },
    "lock-interval": {
      type: "number",
      value: "MS",
      summary: "Milliseconds between two attempts",
      integer: true,
      min: 0,
      max: 3_600_000,
      default: "5000",
    },
    "dry-run": { type: "boolean", summary: "Say what a run would meet, and write nothing" },
  },
  positionals: [writeWorkflow],
  exitCodes: [
    [0, "merged and removed, or there was nothing to do"],
    [1, "the artifact must not steer a merge, or could not be written; nothing was changed"],
    [3, "a gate is set: a person must decide, and the same command resumes"],
    [130, "interrupted; the same command goes on"],
    [143, "terminated; the same command goes on"],
  ],
  details:
    "Nothing is touched while a guard fails, and nothing is removed that is not proven to be in the main tree or put aside\n" +
    "under a path it names. After a gate, an interruption or a crash run the same command again.",
  examples: [
    { command: "jig flow worktree finalize 1a2b3c4d", explains: "merge, copy what is uncommitted, clean up" },
    { command: "jig flow worktree finalize 1a2b3c4d --dry-run --json", explains: "what it would meet" },
  ],
  run: async (host, args) =>
    (await import("./finalize.ts")).finalize(host, { wf: args.positionals[0]!, ...args.flags }),
});
