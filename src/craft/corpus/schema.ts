import * as v from "valibot";

const Skipped = v.array(v.object({ page: v.string(), reason: v.string() }));

/** What `intention consult` prints (docs/spec/craft-run.md 6.2). */
export const IntentionSchema = v.object({
  entries: v.array(
    v.object({
      path: v.string(),
      purpose: v.string(),
      subjects: v.optional(v.pipe(v.array(v.string()), v.description("With --all"))),
    }),
  ),
  skipped: Skipped,
});
export type Intention = v.InferOutput<typeof IntentionSchema>;

/** What `intention assert-fresh` prints (docs/spec/craft-run.md 6.3). */
export const FreshnessSchema = v.object({
  lessons: v.optional(v.array(v.object({ changedPaths: v.array(v.string()), lesson: v.string() }))),
  note: v.optional(v.string()),
  schemaVersion: v.literal(1),
  skipped: Skipped,
  stale: v.array(v.object({ changedPaths: v.array(v.string()), page: v.string(), waived: v.boolean() })),
  uncovered: v.array(v.object({ scope: v.string() })),
});
export type Freshness = v.InferOutput<typeof FreshnessSchema>;

/** What `living-corpus --json` and `governing-corpus --json` print. */
export const CorpusSchema = v.object({ files: v.array(v.string()) });
export type CorpusFiles = v.InferOutput<typeof CorpusSchema>;
