import * as v from "valibot";
import { SEVERITIES, STATUSES } from "./finding.ts";

/** One finding in the canonical form, keys in the order they are printed (docs/spec/craft-engine.md 15). */
export const FindingSchema = v.object({
  file: v.string(),
  line: v.pipe(v.number(), v.integer(), v.minValue(0), v.description("From 1; 0 is the file as a whole")),
  severity: v.picklist(SEVERITIES),
  finding: v.string(),
  fix: v.optional(v.string()),
  status: v.pipe(v.optional(v.picklist(STATUSES)), v.description("Without one a finding is actionable")),
});

export const FindingsSchema = v.array(FindingSchema);
