import * as v from "valibot";

const LevelSchema = v.picklist(["ok", "note", "finding"]);

/** One thing looked at. */
export const CheckSchema = v.object({
  check: v.pipe(v.string(), v.description("What was looked at, a short name")),
  level: v.pipe(LevelSchema, v.description("`finding`: something is wrong; `note`: worth knowing")),
  message: v.string(),
  mend: v.pipe(v.nullable(v.string()), v.description("The command or step that mends a finding")),
});

export type Check = v.InferOutput<typeof CheckSchema>;

/** What `jig doctor --json` prints. */
export const DoctorReportSchema = v.pipe(
  v.object({ checks: v.array(CheckSchema), findings: v.pipe(v.number(), v.integer()) }),
  v.description("What jig doctor found on this machine"),
);

export type DoctorReport = v.InferOutput<typeof DoctorReportSchema>;

export const schemas = { "doctor-report": DoctorReportSchema };
