import * as v from "valibot";

/** What `jig flow worktree staleness` prints (docs/spec/flow-worktree.md 4.1). */
export const StalenessReportSchema = v.object({
  decision: v.string(),
  subject: v.pipe(v.string(), v.description("The holding workflow, `unknown`, or what went wrong")),
  reclaimable: v.boolean(),
});
export type StalenessReport = v.InferOutput<typeof StalenessReportSchema>;

/** What `jig flow worktree unlock` prints (docs/spec/flow-worktree.md 7). */
export const UnlockReportSchema = v.object({
  lock: v.pipe(v.string(), v.description("The lock directory")),
  held: v.pipe(v.boolean(), v.description("Whether the lock is still there")),
  removed: v.boolean(),
  decision: v.nullable(v.string()),
  age_seconds: v.nullable(v.number()),
  metadata: v.pipe(
    v.nullable(v.union([v.string(), v.record(v.string(), v.unknown())])),
    v.description("What the lock said of its holder; text when it was no JSON object"),
  ),
});
export type UnlockReport = v.InferOutput<typeof UnlockReportSchema>;

const BaseSchema = v.nullable(
  v.object({
    branch: v.pipe(v.nullable(v.string()), v.description("Branch of the main tree; null when detached")),
    commit: v.string(),
  }),
);

/** What `jig flow worktree create` prints (docs/spec/flow-worktree.md 3). */
export const CreateReportSchema = v.object({
  outcome: v.picklist(["created", "reused", "recreated", "fallback"]),
  worktree_path: v.nullable(v.string()),
  worktree_branch: v.nullable(v.string()),
  worktree_base: BaseSchema,
  excluded: v.pipe(v.array(v.string()), v.description("Lines added to info/exclude")),
  warnings: v.array(v.string()),
  reason: v.pipe(v.nullable(v.string()), v.description("Why the work goes into the main tree")),
  prompt_section: v.pipe(v.nullable(v.string()), v.description("For every builder and verifier task")),
});
export type CreateReport = v.InferOutput<typeof CreateReportSchema>;

/** What `jig flow worktree status` prints (docs/spec/flow-worktree.md 7). */
export const WorktreeStatusSchema = v.object({
  project_root: v.string(),
  worktrees: v.array(
    v.object({
      path: v.string(),
      branch: v.nullable(v.string()),
      workflow: v.nullable(v.string()),
      mode: v.nullable(v.string()),
      exists: v.boolean(),
      registered: v.boolean(),
      head_on_branch: v.nullable(v.boolean()),
      ahead: v.pipe(v.nullable(v.number()), v.description("Commits that the main tree lacks")),
      behind: v.nullable(v.number()),
      uncommitted: v.nullable(v.number()),
      gate: v.nullable(v.string()),
      stage: v.pipe(v.nullable(v.string()), v.description("Of an interrupted finalize")),
    }),
  ),
  findings: v.array(
    v.object({
      kind: v.picklist([
        "no-workflow",
        "branch-left",
        "directory-gone",
        "lock-left",
        "trash-left",
        "unreadable",
      ]),
      what: v.pipe(v.string(), v.description("The path, branch or workflow")),
      workflow: v.nullable(v.string()),
      merged: v.pipe(
        v.nullable(v.boolean()),
        v.description("Of a branch: whether the main tree has its commits"),
      ),
      message: v.string(),
    }),
  ),
  lock: v.nullable(
    v.object({ holder: v.string(), age_seconds: v.nullable(v.number()), decision: v.string() }),
  ),
});
export type WorktreeStatus = v.InferOutput<typeof WorktreeStatusSchema>;
