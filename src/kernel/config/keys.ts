/** The known config keys and what is valid for each (docs/spec/config.md section 4). */

export type KeyType = "enum" | "boolean" | "integer" | "text" | "list" | "path" | "unknown";

interface ScalarRule {
  kind: "scalar";
  type: "enum" | "boolean" | "integer" | "text";
  default?: string;
  /** What a person is told when a value is not valid. */
  expected: string;
  /** The value as it is printed, undefined when the text is not valid. */
  accept(text: string): string | undefined;
}

interface ListRule {
  kind: "list";
  type: "list";
}

interface PathRule {
  kind: "path";
  type: "path";
}

export type KeyRule = ScalarRule | ListRule | PathRule;

function oneOf(values: readonly string[], fallback?: string): ScalarRule {
  return {
    kind: "scalar",
    type: "enum",
    expected: values.join(", "),
    accept: (text) => (values.includes(text) ? text : undefined),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** As `oneOf`, in any letter case; printed in lower case. */
function oneOfAnyCase(values: readonly string[], fallback: string): ScalarRule {
  const exact = oneOf(values, fallback);
  return { ...exact, accept: (text) => exact.accept(text.toLowerCase()) };
}

function boolean(fallback: "true" | "false"): ScalarRule {
  return { ...oneOfAnyCase(["true", "false"], fallback), type: "boolean", expected: "true or false" };
}

function count(fallback: number): ScalarRule {
  const accept = (text: string) => (/^0*[1-9][0-9]{0,14}$/.test(text) ? text : undefined);
  return {
    kind: "scalar",
    type: "integer",
    default: String(fallback),
    expected: "a whole number from 1",
    accept,
  };
}

function text(expected: string, test: (text: string) => boolean): ScalarRule {
  return { kind: "scalar", type: "text", expected, accept: (value) => (test(value) ? value : undefined) };
}

/** Non-empty text on one line: no control characters, so that it can be printed as it is. */
export function isSingleLine(value: string): boolean {
  return value !== "" && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value);
}

const any = text("text on one line", isSingleLine);
const model = text("a model alias of letters, digits and . _ -, at most 64", (value) =>
  /^[A-Za-z0-9._-]{1,64}$/.test(value),
);

function commaList(expected: string, test: (items: string[]) => boolean): ScalarRule {
  return text(expected, (value) => isSingleLine(value) && test(commaItems(value)));
}

function commaItems(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

const list: ListRule = { kind: "list", type: "list" };

export const HARNESSES = ["codex", "claude", "grok", "cursor"] as const;

/** Every known key, by name. */
export const KEYS: Readonly<Record<string, KeyRule>> = {
  docs_root: { kind: "path", type: "path" },
  brainstorm_output: oneOfAnyCase(["md", "html"], "md"),
  plan_output: oneOfAnyCase(["md", "html"], "md"),
  ideate_output: oneOfAnyCase(["md", "html"], "html"),
  brainstorm_model: model,
  plan_model: model,
  packs: list,
  plan_skip_scoping_confirm: boolean("false"),
  work_engine_mode: oneOf(["off", "prefer", "require"], "off"),
  work_engine_preferences: list,
  cross_model_review_mode: oneOf(["auto", "off"], "auto"),
  cross_model_peer: oneOf([...HARNESSES, "composer"]),
  cross_model_model: any,
  cross_model_effort: oneOf(["minimal", "low", "medium", "high", "xhigh", "max"]),
  pr_teaching_section: boolean("true"),
  pr_teaching_archive: boolean("false"),
  auto_babysit: boolean("true"),
  ce_promote_spiral_optout: oneOf(["true"]),
  pulse_product_name: any,
  pulse_primary_event: any,
  pulse_value_event: any,
  pulse_quality_dimension: any,
  pulse_lookback_default: oneOf(["1h", "24h", "7d", "30d"], "24h"),
  pulse_completion_events: commaList("at most 3 items between commas", (items) => items.length <= 3),
  pulse_quality_scoring: boolean("false"),
  pulse_db_enabled: boolean("false"),
  pulse_analytics_source: oneOf(["posthog", "mixpanel", "custom"]),
  pulse_tracing_source: oneOf(["sentry", "datadog", "custom"]),
  pulse_payments_source: oneOf(["stripe", "custom"]),
  pulse_metric_sources: commaList("metric=source items between commas", (items) =>
    items.every((item) => {
      const [metric = "", source = "", ...more] = item.split("=");
      return more.length === 0 && metric.trim() !== "" && source.trim() !== "";
    }),
  ),
  pulse_pending_metrics: commaList("items between commas", () => true),
  pulse_excluded_metrics: commaList("items between commas", () => true),
  feedback_sources: list,
  sweep_state_path: any,
  sweep_ack_cap: count(25),
  sweep_lease_ttl_minutes: count(60),
  sweep_shared_branch: boolean("false"),
};

/** Keys no longer read, with what to do instead. */
export const RETIRED_KEYS: Readonly<Record<string, string>> = {
  plan_use_fable: "use plan_model",
  brainstorm_use_fable: "use brainstorm_model",
  fable_nudge: "remove it, there is no replacement",
  work_engine_target: "use work_engine_preferences",
  work_engine_model: "use work_engine_preferences",
};

/** The rule of a key; undefined for an unknown one (`__proto__` included). */
export function ruleOf(key: string): KeyRule | undefined {
  return Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
}
