import * as v from "valibot";

const AnchorSource = v.picklist(["cwd-inference", "askuserquestion", "task-scope"]);

/** `.cafleet-base-dir.json`, version 1 (docs/spec/base-dir.md section 7). Unknown keys are ignored. */
export const AnchorSchema = v.pipe(
  v.looseObject({
    version: v.literal(1),
    base: v.pipe(
      v.string(),
      v.minLength(1),
      v.description("Absolute path of the directory holding the anchor"),
    ),
    source: v.pipe(AnchorSource, v.description("How the directory was decided when the anchor was written")),
    resolved_at: v.optional(
      v.pipe(
        v.string(),
        v.description("UTC time of writing, YYYY-MM-DDTHH:MM:SS.ffffff+00:00; not checked on read"),
      ),
    ),
  }),
  v.description("Anchor file .cafleet-base-dir.json"),
);

const Resolved = {
  status: v.literal("resolved"),
  base: v.string(),
  anchor: v.pipe(
    v.nullable(v.string()),
    v.description("The anchor file; null in a dry run that would write it"),
  ),
};

/** What `jig base-dir resolve --json` prints (docs/spec/base-dir.md 5.1). */
export const ResolutionSchema = v.pipe(
  v.union([
    v.object({ ...Resolved, source: v.picklist(["cwd-inference", "anchor"]) }),
    v.object({ ...Resolved, source: v.picklist(["task-scope", "anchor"]), task_name: v.string() }),
    v.object({
      status: v.literal("unset"),
      base: v.null(),
      source: v.literal("absolute-path-arg"),
      anchor: v.null(),
      task_name: v.string(),
    }),
    v.object({
      status: v.literal("needs-user-input"),
      base: v.null(),
      source: v.null(),
      candidates: v.pipe(
        v.array(v.string()),
        v.description("The temp candidate, then the working directory"),
      ),
    }),
  ]),
  v.description("Result of base-dir resolve"),
);

export type Resolution = v.InferOutput<typeof ResolutionSchema>;

/** What `jig base-dir record --json` prints. */
export const RecordedSchema = v.pipe(
  v.object({ anchor: v.string() }),
  v.description("Result of base-dir record"),
);

export type Recorded = v.InferOutput<typeof RecordedSchema>;

export const schemas = {
  "base-dir-anchor": AnchorSchema,
  "base-dir-resolution": ResolutionSchema,
  "base-dir-record": RecordedSchema,
};
