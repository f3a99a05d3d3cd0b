import * as v from "valibot";

const StepReportSchema = v.object({
  step: v.string(),
  title: v.string(),
  status: v.picklist(["done", "skipped", "failed"]),
  result: v.pipe(v.string(), v.description("What the step showed, or why it did not run")),
  milliseconds: v.pipe(v.number(), v.integer()),
});

export type StepReport = v.InferOutput<typeof StepReportSchema>;

/** What `jig demo --json` prints. */
export const DemoReportSchema = v.pipe(
  v.object({
    ok: v.boolean(),
    steps: v.array(StepReportSchema),
    screen: v.pipe(v.nullable(v.string()), v.description("Address of the kept screen, with --keep")),
  }),
  v.description("How each step of jig demo went"),
);

export type DemoReport = v.InferOutput<typeof DemoReportSchema>;

export const schemas = { "demo-report": DemoReportSchema };
