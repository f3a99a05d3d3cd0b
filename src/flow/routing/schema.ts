import * as v from "valibot";

const RiskMatchSchema = v.object({
  keyword: v.string(),
  group: v.picklist(["security", "database", "payment", "explicit", "host", "added"]),
  text: v.pipe(v.string(), v.description("As the request spells it")),
  index: v.pipe(v.number(), v.integer(), v.description("Of its first character, in characters")),
  whole_word: v.boolean(),
});

/** `jig flow fast-path --json`. */
export const FastPathSchema = v.object({
  build_mode: v.picklist(["fast_path", "standard"]),
  fast_path_risk_signals: v.array(v.string()),
  matches: v.array(RiskMatchSchema),
  announce: v.string(),
});

/** `jig flow fast-path escalate --json`. */
export const EscalationSchema = v.object({
  workflow_uuid: v.string(),
  build_mode: v.literal("fast_path_escalated"),
  announce: v.string(),
});

const SIGNALS = ["ERROR", "PLAN", "REVIEW", "DEFAULT"] as const;

/** `jig flow route --json`. */
export const RouteSchema = v.object({
  workflow: v.picklist(["DEBUG", "PLAN", "REVIEW", "BUILD"]),
  priority: v.pipe(v.number(), v.integer(), v.description("1 wins over 2, and so on")),
  signal: v.picklist(SIGNALS),
  signals: v.pipe(v.array(v.string()), v.description("Base keywords found; default when there was none")),
  other_signals: v.pipe(
    v.record(v.picklist(SIGNALS), v.array(v.string())),
    v.description("What was found for signals of lower priority"),
  ),
  chain: v.string(),
  announce: v.string(),
  advisory: v.pipe(v.boolean(), v.description("Nothing is changed without another workflow")),
  build: v.nullable(FastPathSchema),
  live_scope_marker: v.pipe(
    v.nullable(v.string()),
    v.description("The workflow whose pending scope decision the next reply answers, before any routing"),
  ),
});

/** `jig flow fix-verify --json`. */
export const FixVerifySchema = v.object({
  fires: v.boolean(),
  keywords: v.array(v.string()),
  source: v.picklist(["text", "workflow_type", "objective", "user_request"]),
});

/** `jig flow intent --json`. */
export const IntentSchema = v.object({
  workflow_uuid: v.string(),
  intent: v.record(v.string(), v.unknown()),
  plan_file_stem: v.nullable(v.string()),
  bakeoff_n_requested: v.nullable(v.number()),
  verdict: v.pipe(
    v.nullable(v.picklist(["READY", "DECOMPOSE", "HALT_CONTRADICTION", "ASK_SPECIFICITY"])),
    v.description("Null without --check"),
  ),
  failing: v.array(
    v.object({
      condition: v.picklist(["context_bounded", "contradiction_free", "specific"]),
      item: v.string(),
      reason: v.string(),
    }),
  ),
});

/** `jig flow task-check --json`. */
export const TaskCheckSchema = v.object({
  valid: v.boolean(),
  errors: v.array(v.string()),
  warnings: v.array(v.string()),
  metadata: v.record(v.string(), v.string()),
});

/** `jig flow contract-check`. */
export const ContractCheckSchema = v.object({
  valid: v.boolean(),
  errors: v.array(v.string()),
});
