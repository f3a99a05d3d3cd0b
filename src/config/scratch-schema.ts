import * as v from "valibot";

/** What `jig scratch --json` prints (spec/config.md section 7). */
export const ScratchSchema = v.pipe(
  v.object({
    dir: v.pipe(v.string(), v.description("The private directory: <root>/SKILL/RUN_ID")),
    root: v.string(),
    fallback: v.pipe(v.boolean(), v.description("True when the primary root could not be used")),
  }),
  v.description("Result of scratch"),
);

export type Scratch = v.InferOutput<typeof ScratchSchema>;

export const schemas = { scratch: ScratchSchema };
