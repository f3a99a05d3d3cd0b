/** What `gate`, `phase`, `remfix` and `just-go` print (docs/spec/flow.md 6.5, 6.6 and 7). */
import * as v from "valibot";

const Workflow = { workflow_uuid: v.string() };
const OptionalText = v.nullable(v.string());

const GateStateSchema = v.object({
  pending_gate: OptionalText,
  pending_gate_detail: v.nullable(v.looseObject({})),
});
export type GateState = v.InferOutput<typeof GateStateSchema>;

const GateSchema = v.object({
  ...GateStateSchema.entries,
  ...Workflow,
  /** Where the whole output is, when it was too long for the event. */
  output_path: v.optional(OptionalText),
  /** The gate that was cleared. */
  cleared: v.optional(OptionalText),
});

const CheckResultSchema = v.object({
  ...Workflow,
  check: v.string(),
  result: v.picklist(["pass", "fail"]),
  reasons: v.array(v.string()),
  notes: v.array(v.string()),
});
export type CheckResult = v.InferOutput<typeof CheckResultSchema>;

const LoadedPhasesSchema = v.object({
  ...Workflow,
  phases: v.array(v.string()),
  dropped: v.array(v.string()),
  kept: v.array(v.string()),
  phase_cursor: OptionalText,
});
export type LoadedPhases = v.InferOutput<typeof LoadedPhasesSchema>;

const AddedStepSchema = v.object({
  ...Workflow,
  key: v.string(),
  after: v.array(v.string()),
  before: v.array(v.string()),
});
export type AddedStep = v.InferOutput<typeof AddedStepSchema>;

const Kind = v.picklist(["plan", "step"]);

const ChangedPhaseSchema = v.object({
  ...Workflow,
  key: v.string(),
  kind: Kind,
  from: v.string(),
  to: v.string(),
});
export type ChangedPhase = v.InferOutput<typeof ChangedPhaseSchema>;

const AdvancedSchema = v.object({
  ...Workflow,
  advanced: v.boolean(),
  from: OptionalText,
  to: OptionalText,
  reasons: v.array(v.string()),
});
export type Advanced = v.InferOutput<typeof AdvancedSchema>;

const PhaseListSchema = v.object({
  ...Workflow,
  phase_cursor: OptionalText,
  phases: v.array(
    v.object({
      key: v.string(),
      kind: Kind,
      status: v.string(),
      runnable: v.boolean(),
      waits_for: v.array(v.string()),
    }),
  ),
});
export type PhaseList = v.InferOutput<typeof PhaseListSchema>;

const RemediationSchema = v.object({ ...Workflow, remfix_count: v.number(), broken: v.boolean() });
export type Remediation = v.InferOutput<typeof RemediationSchema>;

const JustGoSchema = v.object({
  just_go: v.boolean(),
  settings: v.record(v.string(), v.string()),
  warnings: v.array(v.string()),
  gate: v.optional(v.string()),
  answer: v.optional(v.picklist(["auto", "ask"])),
});
export type JustGo = v.InferOutput<typeof JustGoSchema>;

const described = (schema: v.GenericSchema, text: string) => v.pipe(schema, v.description(text));

export const gateSchemas: Readonly<Record<string, v.GenericSchema>> = {
  "flow-gate": described(GateSchema, "jig flow gate WF set|clear|show --json"),
  "flow-gate-check": described(CheckResultSchema, "jig flow gate WF check NAME --json"),
  "flow-phases-loaded": described(LoadedPhasesSchema, "jig flow phase WF load --json"),
  "flow-phase-added": described(AddedStepSchema, "jig flow phase WF add --json"),
  "flow-phase-changed": described(ChangedPhaseSchema, "jig flow phase WF set --json"),
  "flow-phase-next": described(
    v.object({ ...Workflow, runnable: v.array(v.string()) }),
    "jig flow phase WF next --json",
  ),
  "flow-phase-advanced": described(AdvancedSchema, "jig flow phase WF advance --json"),
  "flow-phases": described(PhaseListSchema, "jig flow phase WF list --json"),
  "flow-remediation": described(RemediationSchema, "jig flow remfix --json"),
  "flow-just-go": described(JustGoSchema, "jig flow just-go --json"),
};
