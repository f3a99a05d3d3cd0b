import * as v from "valibot";

/** What `contracts-lint --json` prints. */
export const ContractsReportSchema = v.object({
  ok: v.literal(true),
  bundles: v.number(),
  directory: v.pipe(v.nullable(v.string()), v.description("Absolute; null for the embedded set")),
});
export type ContractsReport = v.InferOutput<typeof ContractsReportSchema>;

/** What `contract-assemble --json` prints. */
export const ContractSchema = v.object({
  id: v.string(),
  bundles: v.array(v.string()),
  execution: v.picklist(["agent", "inline"]),
  text: v.pipe(v.string(), v.description("The block that goes before a worker's task")),
});
export type Contract = v.InferOutput<typeof ContractSchema>;
