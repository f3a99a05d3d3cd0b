import * as v from "valibot";

/** What `jig scratch --json` prints (docs/spec/config.md section 7). */
export const ScratchSchema = v.object({
  dir: v.pipe(v.string(), v.description("The private directory: <root>/SKILL/RUN_ID")),
  root: v.string(),
  fallback: v.pipe(v.boolean(), v.description("True when the primary root could not be used")),
});

export type Scratch = v.InferOutput<typeof ScratchSchema>;

/** For `jig schema`. */
export const schemas = {
  scratch: v.pipe(ScratchSchema, v.description("jig scratch --json")),
};
