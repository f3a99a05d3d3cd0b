import * as v from "valibot";

const PathSchema = v.object({ path: v.string() });

/** What `init-config --json`, `init-emit --json` and `init-land --json` print. */
export const InitPathSchema = PathSchema;

/** What `init --json` prints. */
export const InitReportSchema = v.object({
  path: v.string(),
  written: v.pipe(v.boolean(), v.description("false with --dry-run")),
  manifest: v.string(),
});
export type InitReport = v.InferOutput<typeof InitReportSchema>;

/** What `promote-plan --json` prints. */
export const PromotionSchema = v.object({
  source: v.string(),
  dest: v.string(),
  scope: v.picklist(["local", "user"]),
});
export type Promotion = v.InferOutput<typeof PromotionSchema>;
