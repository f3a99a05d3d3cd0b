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
