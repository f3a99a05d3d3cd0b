import type { YamlNode } from "../../../kernel/yaml/yaml.ts";
import { isOneOf, KNOBS, RESERVED_KEYS } from "../../common/vocabulary.ts";
import { entriesOf, itemsOf, stringOf, wordOf } from "../nodes.ts";
import type { Context } from "./context.ts";

type Rule = (label: string, node: YamlNode, context: Context) => void;

const RULES: Readonly<Record<(typeof KNOBS)[number], Rule | undefined>> = {
  dimensions: (label, node, { findings }) => {
    const strings = node.kind === "list" && node.items.every((item) => stringOf(item) !== undefined);
    if (!strings) findings.error(`${label}.dimensions must be a list of strings`, node);
  },
  passes: (label, node, { findings }) => {
    if (!isPositiveInteger(node)) findings.error(`${label}.passes must be a positive integer`, node);
  },
  max_cycles: (label, node, { findings }) => {
    if (!isPositiveInteger(node)) findings.error(`${label}.max_cycles must be a positive integer`, node);
  },
  convergence: (label, node, { findings }) => {
    const word = stringOf(node);
    if (word === "low-only" || word === "none" || isNonNegative(node)) return;
    findings.error(`${label}.convergence must be 'low-only', 'none', or a non-negative number`, node);
  },
  scope: (label, node, { findings }) => {
    if (stringOf(node) === undefined) findings.error(`${label}.scope must be a string`, node);
  },
  incremental: undefined,
  techniques: (label, node, context) => {
    if (node.kind !== "list") {
      context.findings.error(`${label}.techniques must be a list`, node);
      return;
    }
    node.items.forEach((item, index) => {
      checkTechnique(`${label}.techniques[${index}]`, item, context);
    });
  },
};

/** The knobs of a harness mapping; `label` is `phases.<id>.harness`. */
export function checkHarness(label: string, node: YamlNode, context: Context): void {
  if (node.kind !== "map") {
    context.findings.error(`${label} must be an object`, node);
    return;
  }
  for (const entry of node.entries) {
    if (isOneOf(RESERVED_KEYS, entry.key)) {
      context.findings.error(`${label}: reserved key "${entry.key}" is not allowed`, entry);
    } else if (isOneOf(KNOBS, entry.key)) RULES[entry.key]?.(label, entry.value, context);
  }
}

const TECHNIQUE_CHOICES: Readonly<Record<string, readonly string[]>> = {
  mode: ["gate", "triage"],
  "run-style": ["background", "sync"],
  scope: ["per-hunk", "per-file"],
};
const TECHNIQUE_TEXTS = ["probe", "run", "triage-procedure", "commit-prefix"];

function checkTechnique(label: string, node: YamlNode, { findings }: Context): void {
  if (node.kind !== "map") {
    findings.error(`${label} must be an object`, node);
    return;
  }
  const id = entriesOf(node).find((entry) => entry.key === "id");
  if (wordOf(id?.value) === undefined) findings.error(`${label}.id must be a non-empty string`, id ?? node);
  for (const { key, value, ...at } of node.entries) {
    if (isOneOf(RESERVED_KEYS, key)) {
      findings.error(`${label}: reserved key "${key}" is not allowed`, at);
    } else if (Object.hasOwn(TECHNIQUE_CHOICES, key)) {
      const choices = TECHNIQUE_CHOICES[key]!;
      if (!isOneOf(choices, stringOf(value)))
        findings.error(`${label}.${key} must be one of: ${choices.join(", ")}`, value);
    } else if (TECHNIQUE_TEXTS.includes(key) && stringOf(value) === undefined) {
      findings.error(`${label}.${key} must be a string`, value);
    }
  }
}

function isPositiveInteger(node: YamlNode): boolean {
  return node.kind === "scalar" && Number.isSafeInteger(node.value) && (node.value as number) > 0;
}

function isNonNegative(node: YamlNode): boolean {
  return node.kind === "scalar" && Number.isFinite(node.value) && (node.value as number) >= 0;
}

/** A review with no dimensions spawns nobody. */
export function warnOfEmptyReview(node: YamlNode, { findings }: Context): void {
  const dimensions = entriesOf(node).find((entry) => entry.key === "dimensions")?.value;
  if (dimensions?.kind === "list" && itemsOf(dimensions).length === 0) {
    findings.warn("phases.review.harness.dimensions is empty: review would spawn no reviewer", dimensions);
  }
}
