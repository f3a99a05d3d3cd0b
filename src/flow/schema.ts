import type { GenericSchema } from "valibot";
import * as v from "valibot";
import { artifactSchemas } from "./artifact/schema.ts";
import { gateSchemas } from "./gates/schema.ts";
import { HookSettingsSchema } from "./hooks/schema.ts";
import { identitySchemas } from "./identity/schema.ts";
import { memorySchemas } from "./memory/schema.ts";
import { SpecificationsSchema, StatusListSchema, StatusSchema } from "./report/schema.ts";
import { resumeSchemas } from "./resume/schema.ts";
import {
  ContractCheckSchema,
  EscalationSchema,
  FastPathSchema,
  FixVerifySchema,
  IntentSchema,
  RouteSchema,
  TaskCheckSchema,
} from "./routing/schema.ts";
import { CopyFallbackSchema } from "./worktree/apply/schema.ts";
import { FinalizeReportSchema } from "./worktree/run/schema.ts";
import {
  CreateReportSchema,
  StalenessReportSchema,
  UnlockReportSchema,
  WorktreeStatusSchema,
} from "./worktree/schema.ts";

const described = (schema: GenericSchema, text: string): GenericSchema => v.pipe(schema, v.description(text));

/** The files and results of the room (docs/spec/flow.md). */
export const schemas: Record<string, GenericSchema> = {
  ...identitySchemas,
  ...artifactSchemas,
  ...gateSchemas,
  "flow-worktree-staleness": described(StalenessReportSchema, "jig flow worktree staleness --json"),
  "flow-worktree-create": described(CreateReportSchema, "jig flow worktree create --json"),
  "flow-worktree-status": described(WorktreeStatusSchema, "jig flow worktree status --json"),
  "flow-worktree-unlock": described(UnlockReportSchema, "jig flow worktree unlock --json"),
  ...memorySchemas,
  ...resumeSchemas,
  "flow-route": described(RouteSchema, "jig flow route --json"),
  "flow-fast-path": described(FastPathSchema, "jig flow fast-path --json"),
  "flow-escalation": described(EscalationSchema, "jig flow fast-path escalate --json"),
  "flow-fix-verify": described(FixVerifySchema, "jig flow fix-verify --json"),
  "flow-intent": described(IntentSchema, "jig flow intent --json"),
  "flow-task-check": described(TaskCheckSchema, "jig flow task-check --json"),
  "flow-contract-check": described(ContractCheckSchema, "jig flow contract-check"),
  "flow-hook-settings": described(HookSettingsSchema, "jig flow hook print: the host's settings"),
  "flow-worktree-finalize": described(FinalizeReportSchema, "jig flow worktree finalize --json"),
  "flow-worktree-copy-fallback": described(CopyFallbackSchema, "jig flow worktree copy-fallback --json"),
  "flow-status": described(StatusSchema, "jig flow status --json"),
  "flow-status-list": described(StatusListSchema, "jig flow status --all --json"),
  "flow-specifications": described(SpecificationsSchema, "jig flow status --specs --json"),
};
