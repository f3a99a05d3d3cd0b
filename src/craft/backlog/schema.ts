import * as v from "valibot";

/** What `backlog resolve` prints (docs/spec/craft-run.md 8.1). */
export const BacklogItemSchema = v.object({
  title: v.string(),
  brief: v.string(),
  source: v.picklist(["file", "custom"]),
  ref: v.string(),
  line: v.nullable(v.number()),
  state: v.nullable(v.picklist(["open", "active", "done"])),
});
export type BacklogItem = v.InferOutput<typeof BacklogItemSchema>;

/** What `backlog elect` prints (docs/spec/craft-run.md 8.3). */
export const ElectionSchema = v.object({
  elected: v.nullable(
    v.object({
      id: v.pipe(v.nullable(v.string()), v.description("The identifier it begins with")),
      title: v.string(),
      line: v.number(),
      brief: v.string(),
      prompt: v.pipe(v.string(), v.description("Starts the next run; one line")),
    }),
  ),
  skipped: v.array(v.object({ line: v.number(), title: v.string(), reason: v.string() })),
  note: v.pipe(v.nullable(v.string()), v.description("Why nothing was elected")),
});
export type Election = v.InferOutput<typeof ElectionSchema>;
