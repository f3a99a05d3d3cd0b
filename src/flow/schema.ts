import type { GenericSchema } from "valibot";
import * as v from "valibot";
import { MergeSchema } from "./memory/schema.ts";
import { StalenessReportSchema, UnlockReportSchema } from "./worktree/schema.ts";

const described = (schema: GenericSchema, text: string): GenericSchema => v.pipe(schema, v.description(text));

export const schemas: Record<string, GenericSchema> = {
  "flow-worktree-staleness": described(StalenessReportSchema, "jig flow worktree staleness --json"),
  "flow-worktree-unlock": described(UnlockReportSchema, "jig flow worktree unlock --json"),
  "flow-memory-merge": described(MergeSchema, "jig flow memory merge --json"),
};
