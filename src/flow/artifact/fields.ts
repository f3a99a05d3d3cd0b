/**
 * The artifact, schema v10 (docs/spec/flow.md 4): each field with its type, its value at creation, and who may change it.
 * The order of this table is the order of the keys.
 */

/** What a field may hold. */
export type Kind =
  | { is: "string"; nullable?: true; oneOf?: readonly string[] }
  | { is: "integer" | "number"; nullable?: true; min?: number; max?: number; neverDecreases?: true }
  | { is: "boolean"; neverReverts?: true }
  /** `"unknown"`, true or false; upstream also wrote the two as words. */
  | { is: "answer"; words?: readonly string[] }
  | { is: "array"; of?: "string" | "object" }
  /** With `fields`: those, and others as they come. `each`: what every other member is. */
  | { is: "object"; nullable?: true; fields?: Readonly<Record<string, Kind>>; each?: Kind }
  /** A pending gate: jig writes a name, upstream's newer form is an object with a reason. */
  | { is: "gate" };

export interface Field {
  kind: Kind;
  /** A fresh value at creation, as plain JSON. Absent: the field is written only when there is something to say. */
  init?: () => unknown;
  /** A valid artifact has it. */
  required?: true;
  /** Written at creation alone. */
  immutable?: true;
  /** Only ever appended to. */
  appendOnly?: true;
  /** The command that changes it; `set` does so only with `--owned`. */
  owner?: string;
}

export const WORKFLOW_TYPES = ["BUILD", "DEBUG", "REVIEW", "PLAN"] as const;
export type WorkflowType = (typeof WORKFLOW_TYPES)[number];
export const PLAN_MODES = ["direct", "execution_plan", "decision_rfc"] as const;
export const RIGORS = ["standard", "critical_path"] as const;
export const PROOF_STATUSES = ["passed", "gaps_found", "human_needed"] as const;
export const PHASE_STATUSES = [
  "pending",
  "in_progress",
  "completed",
  "partial",
  "blocked",
  "skipped",
] as const;
export type PhaseStatus = (typeof PHASE_STATUSES)[number];
export const CHECKPOINT_TYPES = ["none", "human_verify", "decision", "human_action"] as const;
export const BUILD_MODES = ["fast_path", "fast_path_escalated", "standard"] as const;
/** The modes jig writes; two more are read. */
export const WORKTREE_MODES = ["auto_created", "merged_and_removed", "removed_no_merge_needed"] as const;

const text: Kind = { is: "string" };
const textOrNull: Kind = { is: "string", nullable: true };
const texts: Kind = { is: "array", of: "string" };
const objects: Kind = { is: "array", of: "object" };
const anything: Kind = { is: "array" };
const flag: Kind = { is: "boolean" };
const answer: Kind = { is: "answer" };
const seconds: Kind = { is: "number", min: 0 };
const counter: Kind = { is: "integer", min: 0, neverDecreases: true };
const agentResult: Kind = { is: "object", nullable: true };
const quality: Kind = { is: "string", oneOf: ["none", "low", "medium", "high"] };

const nothing = () => null;
const emptyList = () => [];
const members = (names: string, kind: Kind) =>
  Object.fromEntries(names.split(" ").map((name) => [name, kind])) as Record<string, Kind>;
const filled = (names: string, value: () => unknown) => () =>
  Object.fromEntries(names.split(" ").map((name) => [name, value()]));

const CAPABILITIES =
  "brightdata_available octocode_available websearch_available webfetch_available task_tools_available";
const EVIDENCE = "builder investigator reviewer hunter verifier planning_reviewer";
const TRACES = "requirements phases verification remediation";
const TIMED_AGENTS = "builder investigator reviewer hunter verifier planner";
const WORKLOADS = "tests build scan reconcile reasoning";

/** Every field that the page names. */
export const FIELDS: Readonly<Record<string, Field>> = {
  workflow_uuid: { kind: text, required: true, immutable: true },
  workflow_id: { kind: text, required: true, immutable: true },
  workflow_type: { kind: { is: "string", oneOf: WORKFLOW_TYPES }, required: true, immutable: true },
  state_root: { kind: text, init: () => ".craftflow/state", required: true, immutable: true },
  user_request: { kind: text, immutable: true },
  plan_file: { kind: textOrNull, init: nothing },
  design_file: { kind: textOrNull, init: nothing },
  research_files: { kind: texts, init: emptyList },
  approved_decisions: { kind: anything, init: emptyList },
  plan_mode: { kind: { is: "string", nullable: true, oneOf: PLAN_MODES }, init: nothing, required: true },
  verification_rigor: { kind: { is: "string", oneOf: RIGORS }, init: () => "standard", required: true },
  proof_status: { kind: { is: "string", oneOf: PROOF_STATUSES }, init: () => "gaps_found", required: true },
  plan_file_stem: { kind: textOrNull, init: nothing },
  bakeoff_n: { kind: { is: "integer", nullable: true, min: 0, max: 4 }, init: nothing },
  bakeoff_n_requested: { kind: { is: "integer", nullable: true, min: 2, max: 4 }, init: nothing },
  bakeoff_models: { kind: texts, init: emptyList },
  bakeoff_triggered: { kind: flag, init: () => false },
  bakeoff_all_failed: { kind: flag, init: () => false },
  bakeoff_candidate_failures: { kind: objects, init: emptyList },
  traceability: {
    kind: { is: "object", fields: members(TRACES, anything) },
    init: filled(TRACES, emptyList),
    required: true,
  },
  intent: {
    kind: {
      is: "object",
      fields: {
        goal: textOrNull,
        ...members("non_goals constraints acceptance_criteria open_decisions", anything),
      },
    },
    init: () => ({
      goal: null,
      non_goals: [],
      constraints: [],
      acceptance_criteria: [],
      open_decisions: [],
    }),
    required: true,
  },
  normalized_phases: { kind: objects, init: emptyList, owner: "phase" },
  phase_cursor: { kind: textOrNull, init: nothing, required: true, owner: "phase" },
  capabilities: {
    kind: { is: "object", fields: members(CAPABILITIES, answer) },
    init: filled(CAPABILITIES, () => "unknown"),
  },
  research_rounds: { kind: anything, init: emptyList },
  research_backend_history: { kind: anything, init: emptyList },
  research_quality: {
    kind: { is: "object", fields: members("web github overall", quality) },
    init: filled("web github overall", () => "none"),
  },
  task_ids: {
    kind: { is: "object", fields: { plan_bakeoff_candidates: { is: "object" } } },
    init: () => ({
      planner_create: null,
      planning_review_pass1: null,
      planner_replan: null,
      planning_review_pass2: null,
      memory_finalize: null,
      plan_bakeoff_candidates: {},
      plan_bakeoff_judge: null,
    }),
    required: true,
  },
  phase_status: {
    kind: { is: "object", each: { is: "string", oneOf: PHASE_STATUSES } },
    init: () => ({}),
    owner: "phase",
  },
  results: {
    kind: {
      is: "object",
      fields: {
        ...members("builder investigator reviewer hunter verifier planner planning_reviewer", agentResult),
        research: { is: "object" },
        bakeoff: anything,
        plan_bakeoff_judge: agentResult,
        doc_syncer: agentResult,
      },
    },
    init: () => ({
      builder: null,
      investigator: null,
      reviewer: null,
      hunter: null,
      verifier: null,
      planner: null,
      planning_reviewer: null,
      research: { web: null, github: null, synthesis: null },
      bakeoff: [],
      plan_bakeoff_judge: null,
    }),
    required: true,
  },
  evidence: {
    kind: { is: "object", fields: members(EVIDENCE, anything) },
    init: filled(EVIDENCE, emptyList),
    required: true,
  },
  telemetry: {
    kind: {
      is: "object",
      fields: {
        task_metrics_available: { is: "answer", words: ["event_log"] },
        workflow_wall_clock_seconds: seconds,
        agent_wall_clock_seconds: { is: "object", each: seconds },
        loop_counts: { is: "object", each: counter },
        verifier: {
          is: "object",
          fields: {
            ...members("phase_exit_proof_runs extended_audit_runs", { is: "integer", min: 0 }),
            workload_seconds: { is: "object", each: seconds },
          },
        },
        effort: { is: "object", each: { is: "string", oneOf: ["low", "medium", "high"] } },
      },
    },
    init: () => ({
      task_metrics_available: "unknown",
      workflow_wall_clock_seconds: 0,
      agent_wall_clock_seconds: filled(TIMED_AGENTS, () => 0)(),
      loop_counts: { re_review: 0, re_hunt: 0, re_verify: 0 },
      verifier: {
        phase_exit_proof_runs: 0,
        extended_audit_runs: 0,
        workload_seconds: filled(WORKLOADS, () => 0)(),
      },
    }),
  },
  quality: {
    kind: {
      is: "object",
      fields: {
        confidence: { is: "number", nullable: true },
        evidence_complete: flag,
        scenario_coverage: { is: "number", min: 0 },
        research_quality: quality,
        convergence_state: { is: "string", oneOf: ["pending", "needs_iteration", "stable"] },
      },
    },
    init: () => ({
      confidence: null,
      evidence_complete: false,
      scenario_coverage: 0,
      research_quality: "none",
      convergence_state: "pending",
    }),
    required: true,
  },
  planning_review_runs: {
    kind: { is: "integer", min: 0, max: 2, neverDecreases: true },
    init: () => 0,
  },
  planning_review_findings: { kind: anything, init: emptyList },
  planning_review_status: {
    kind: {
      is: "string",
      oneOf: ["not_started", "pending_review", "passed", "findings_received", "needs_clarification"],
    },
    init: () => "not_started",
  },
  build_mode: {
    kind: { is: "string", nullable: true, oneOf: BUILD_MODES },
    init: nothing,
    owner: "fast-path",
  },
  fast_path_risk_signals: { kind: texts, init: emptyList, owner: "fast-path" },
  fast_path_escalated: { kind: flag, init: () => false, owner: "fast-path" },
  worktree_mode: {
    kind: {
      is: "string",
      nullable: true,
      oneOf: [...WORKTREE_MODES, "existing_worktree", "skipped_main_tree"],
    },
    init: nothing,
    owner: "worktree",
  },
  worktree_path: { kind: textOrNull, init: nothing, owner: "worktree" },
  worktree_branch: { kind: textOrNull, init: nothing, owner: "worktree" },
  workspace_writable_paths: { kind: texts, init: emptyList, immutable: true },
  memory_notes: { kind: anything, init: emptyList },
  pending_gate: { kind: { is: "gate" }, init: nothing, owner: "gate" },
  circuit_breaker: {
    kind: {
      is: "object",
      fields: { remfix_count: counter, broken: { is: "boolean", neverReverts: true } },
    },
    init: () => ({ remfix_count: 0, broken: false }),
    owner: "remfix",
  },
  status_history: { kind: objects, init: emptyList, required: true, appendOnly: true },
  remediation_history: { kind: objects, init: emptyList, required: true, appendOnly: true },
  created_at: { kind: text, immutable: true },
  updated_at: { kind: text, immutable: true },
  session_id: { kind: textOrNull, immutable: true },
  pending_gate_detail: { kind: { is: "object", nullable: true }, owner: "gate" },
  phase_after: { kind: { is: "object", each: texts }, owner: "phase" },
  worktree_base: {
    kind: { is: "object", fields: { branch: textOrNull, commit: textOrNull } },
    owner: "worktree",
  },
  worktree_finalize: { kind: { is: "object", nullable: true }, owner: "worktree" },
};

/** The keys that a valid artifact has. */
export const REQUIRED_FIELDS: readonly string[] = Object.keys(FIELDS).filter(
  (name) => FIELDS[name]!.required,
);
