/** What the verbs of the artifact print, and the artifact itself as its table describes it (docs/spec/flow.md 4 and 6). */
import * as v from "valibot";
import { FIELDS, type Kind } from "./fields.ts";

/** A value of a kind. What the page has no name for may be there all the same. */
function schemaOf(kind: Kind): v.GenericSchema {
  const schema = plainSchemaOf(kind);
  return "nullable" in kind && kind.nullable ? v.nullable(schema) : schema;
}

function plainSchemaOf(kind: Kind): v.GenericSchema {
  switch (kind.is) {
    case "string":
      return v.string();
    case "integer":
      return v.pipe(v.number(), v.integer());
    case "number":
      return v.number();
    case "boolean":
      return v.boolean();
    case "answer":
      return v.union([v.boolean(), v.string()]);
    case "array":
      return v.array(kind.of === undefined ? v.unknown() : kind.of === "string" ? v.string() : Anything);
    case "object":
      return v.objectWithRest(
        Object.fromEntries(
          Object.entries(kind.fields ?? {}).map(([name, of]) => [name, v.optional(schemaOf(of))]),
        ),
        kind.each === undefined ? v.unknown() : schemaOf(kind.each),
      );
    case "gate":
      return v.nullable(v.union([v.string(), Anything]));
  }
}

const Anything = v.looseObject({});

/** The file `{wf}.json`, and what `show` prints. */
const ArtifactSchema = v.looseObject(
  Object.fromEntries(
    Object.entries(FIELDS).map(([name, { kind, required }]) => [
      name,
      required ? schemaOf(kind) : v.optional(schemaOf(kind)),
    ]),
  ),
);

const OptionalText = v.nullable(v.string());

const FindingSchema = v.object({
  level: v.picklist(["error", "warning"]),
  /** A key of the artifact, or the file. */
  path: v.string(),
  message: v.string(),
});
export type Finding = v.InferOutput<typeof FindingSchema>;

const CheckReportSchema = v.object({
  valid: v.boolean(),
  errors: v.number(),
  warnings: v.number(),
  workflows: v.array(v.object({ workflow_uuid: v.string(), findings: v.array(FindingSchema) })),
});
export type CheckReport = v.InferOutput<typeof CheckReportSchema>;

const WorkflowRowSchema = v.object({
  workflow_uuid: v.string(),
  workflow_type: OptionalText,
  state: v.picklist(["BLOCKED", "DONE", "RUNNING", "IDLE", "UNREADABLE"]),
  phase_cursor: OptionalText,
  pending_gate: OptionalText,
  updated_at: OptionalText,
  /** When the artifact's file was written. */
  mtime: v.string(),
  session_id: OptionalText,
  /** Why it cannot be read. */
  error: OptionalText,
});
export type WorkflowRow = v.InferOutput<typeof WorkflowRowSchema>;

const ChangedSchema = v.object({
  workflow_uuid: v.string(),
  changed: v.array(v.string()),
  updated_at: v.string(),
});
export type Changed = v.InferOutput<typeof ChangedSchema>;

const ClosedSchema = v.object({
  workflow_uuid: v.string(),
  event: v.string(),
  /** It had ended before; only the event was appended. */
  was_done: v.boolean(),
});
export type Closed = v.InferOutput<typeof ClosedSchema>;

const CapabilitySchema = v.object({
  /** The workflow it was recorded for. */
  workflow_uuid: OptionalText,
  task_tools_available: v.union([v.boolean(), v.literal("unknown")]),
  /** True until now, and false since a call failed. */
  flipped: v.boolean(),
});
export type Capability = v.InferOutput<typeof CapabilitySchema>;

/** A line of the event log. */
const EventSchema = v.looseObject({
  ts: v.string(),
  wf: v.string(),
  event: v.string(),
  phase: OptionalText,
  task_id: OptionalText,
  agent: OptionalText,
  decision: OptionalText,
  reason: OptionalText,
});

const described = (schema: v.GenericSchema, text: string) => v.pipe(schema, v.description(text));

export const artifactSchemas: Readonly<Record<string, v.GenericSchema>> = {
  "flow-artifact": described(ArtifactSchema, "{wf}.json, and jig flow show --json"),
  "flow-event": described(
    EventSchema,
    "A line of {wf}.events.jsonl, and what jig flow event and history print with --json",
  ),
  "flow-history": described(v.array(v.looseObject({})), "jig flow history WF --json"),
  "flow-list": described(v.array(WorkflowRowSchema), "jig flow list --json"),
  "flow-check": described(CheckReportSchema, "jig flow check --json"),
  "flow-set": described(ChangedSchema, "jig flow set --json"),
  "flow-closed": described(ClosedSchema, "jig flow close --json"),
  "flow-capability": described(CapabilitySchema, "jig flow capability --json"),
};
