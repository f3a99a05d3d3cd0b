import * as v from "valibot";

/** What `flow worktree copy-fallback --json` prints. */
export const CopyFallbackSchema = v.object({
  applied: v.array(
    v.object({
      action: v.picklist(["copied", "deleted", "rename_or_copy"]),
      path: v.string(),
      from: v.optional(v.string()),
    }),
  ),
});
