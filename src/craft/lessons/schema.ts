import * as v from "valibot";

/** What `lessons-hint --json` prints. */
export const LessonsHintSchema = v.object({
  lessons: v.array(
    v.object({
      title: v.string(),
      trigger: v.string(),
      path: v.string(),
      apply: v.pipe(v.array(v.string()), v.description("How to apply, at most six lines")),
    }),
  ),
});
export type LessonsHint = v.InferOutput<typeof LessonsHintSchema>;

/** What `lessons-lint --json` prints. */
export const LessonsLintSchema = v.object({
  faults: v.array(v.object({ path: v.string(), reason: v.string() })),
});
export type LessonsLint = v.InferOutput<typeof LessonsLintSchema>;
