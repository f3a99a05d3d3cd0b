import * as v from "valibot";

/** The gates that finalize sets and a rerun of it ends (docs/spec/flow-worktree.md 5.1). */
export const WORKTREE_GATES = [
  "worktree_merge_locked",
  "worktree_dirty_main_tree",
  "worktree_base_branch_changed",
  "worktree_merge_conflict",
  "worktree_merge_unrecognized_failure",
  "worktree_copy_fallback_failed",
  "worktree_cleanup_failed",
] as const;

export type WorktreeGate = (typeof WORKTREE_GATES)[number];

const text = v.nullable(v.string());
const texts = v.array(v.string());

/** What `flow worktree finalize --json` prints (docs/spec/flow-worktree.md 5.2). */
export const FinalizeReportSchema = v.object({
  outcome: v.picklist([
    "merged_and_removed",
    "removed_no_merge_needed",
    "skipped",
    "skipped_worktree_path_missing",
    "skipped_worktree_branch_missing",
    "already_finalized",
    "blocked_by_gate",
    "dry_run",
    ...WORKTREE_GATES,
  ]),
  gate: text,
  holder: text,
  workflow_uuid: v.string(),
  project_root: v.string(),
  worktree_path: text,
  worktree_branch: text,
  merge: v.object({
    result: v.nullable(v.picklist(["up_to_date", "merged", "conflict", "unrecognized", "unknown"])),
    head_before: text,
    head_after: text,
    output: text,
  }),
  copy: v.object({
    ran: v.boolean(),
    applied: v.array(
      v.object({ action: v.picklist(["copy", "remove"]), path: v.string(), from: v.optional(v.string()) }),
    ),
    skipped: v.array(v.object({ path: v.string(), reason: v.string() })),
    diverged: texts,
    backup_dir: text,
  }),
  cleanup: v.object({
    worktree_removed: v.boolean(),
    branch_deleted: v.boolean(),
    failed_command: text,
    output: text,
    trash: text,
    kept_dir: text,
    kept: texts,
    ignored_files_discarded: v.number(),
  }),
  lock: v.object({
    attempts: v.number(),
    waited_ms: v.number(),
    reclaimed: v.array(v.object({ decision: v.string(), metadata: text })),
    decision: text,
  }),
  operation: text,
  would_overwrite: texts,
  ignored_entries: texts,
  warnings: texts,
  message: v.string(),
  next: v.picklist(["memory_finalize", "resolve_and_rerun"]),
});

export type FinalizeReport = v.InferOutput<typeof FinalizeReportSchema>;
