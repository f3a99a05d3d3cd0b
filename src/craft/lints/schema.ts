import * as v from "valibot";

/** What `stub-lint --json` and `prose-lint --json` print. */
export const ScanReportSchema = v.object({
  found: v.array(
    v.object({ file: v.string(), entry: v.pipe(v.string(), v.description("WORD@LLINE, or the word")) }),
  ),
  skipped: v.pipe(
    v.array(v.object({ file: v.string(), why: v.string() })),
    v.description("Files that were not read"),
  ),
  waived: v.array(v.string()),
});
export type ScanReport = v.InferOutput<typeof ScanReportSchema>;

/** What `plan-lint --json` prints. */
export const PlanLintReportSchema = v.object({
  ok: v.boolean(),
  parts: v.array(
    v.object({
      heading: v.string(),
      missing: v.array(v.string()),
      files: v.number(),
      overCeiling: v.boolean(),
    }),
  ),
  shared: v.pipe(
    v.array(v.object({ file: v.string(), parts: v.array(v.string()) })),
    v.description("Files that several parts name"),
  ),
});
export type PlanLintReport = v.InferOutput<typeof PlanLintReportSchema>;

/** What `dod-assert` prints. */
export const DodReportSchema = v.object({
  outcomes: v.pipe(
    v.nullable(
      v.array(
        v.object({
          id: v.string(),
          kind: v.picklist(["auto", "judgment"]),
          outcome: v.picklist(["met", "unmet", "judgment"]),
        }),
      ),
    ),
    v.description("null for a definition of done in free text"),
  ),
});
export type DodReport = v.InferOutput<typeof DodReportSchema>;

/** What `hygiene-gate --json` prints. */
export const HygieneGateSchema = v.object({ gate: v.picklist(["advisory", "blocking"]) });
export type HygieneGate = v.InferOutput<typeof HygieneGateSchema>;
