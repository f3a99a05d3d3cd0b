/** Every top-level key of a manifest and the rule that judges it (docs/spec/craft-engine.md 3.2). */
import type { YamlEntry, YamlMap, YamlNode } from "../../../kernel/yaml/yaml.ts";
import { EXECUTIONS, isOneOf, ROLES } from "../../common/vocabulary.ts";
import { entriesOf, isNull, offending, stringOf } from "../nodes.ts";
import { type Context, declaredPhases } from "./context.ts";
import { checkExtends } from "./extends.ts";
import { checkPhases } from "./phases.ts";
import { checkPipeline } from "./pipeline.ts";
import { checkPolicy } from "./policy.ts";
import { checkGateWord, checkSource } from "./sources.ts";

type Rule = (entry: YamlEntry, context: Context) => void;

const SHAPES: Readonly<Record<string, Rule>> = {
  execution: (entry, { findings, reader }) => {
    if (reader === "lint" && !isOneOf(EXECUTIONS, stringOf(entry.value)))
      findings.error("execution must be one of: agent, inline", entry.value);
  },
  pipeline: checkPipeline,
  phases: checkPhases,
  extends: checkExtends,
};

const RULES: Readonly<Record<string, Rule>> = {
  context: (entry, context) => context.ref("context", entry.value),
  paths: checkPaths,
  gates: checkGates,
  pr: (entry, context) => {
    const map = mapping("pr", entry, context);
    onlyKeys("pr", map, ["creator", "pre-pr-gate"], context);
    for (const { key, value } of entriesOf(map)) {
      if (key === "pre-pr-gate") warnUnlessCommand("pr.pre-pr-gate", value, context);
    }
  },
  scripts: (entry, context) => {
    const map = mapping("scripts", entry, context);
    onlyKeys("scripts", map, ["post-setup", "pre-teardown"], context);
    for (const { key, value } of entriesOf(map)) context.ref(`scripts.${key}`, value);
  },
  models: checkModels,
  retrieval: () => {},
  backlog: checkSource,
  memory: checkSource,
  intention: checkSource,
  policy: (entry, { findings }) => checkPolicy(entry.value, findings),
  hygiene: checkHygiene,
  lessons: checkLessons,
  ...SHAPES,
};

/** All of a manifest, for its lint. */
export function checkManifest(context: Context): void {
  for (const entry of context.root.entries) {
    if (Object.hasOwn(RULES, entry.key)) RULES[entry.key]!(entry, context);
    else {
      const hint = context.findings.meant(entry.key, Object.keys(RULES));
      context.findings.error(`unknown top-level key: ${entry.key}`, entry, hint);
    }
  }
}

/** What resolving stands on: the shape of `pipeline`, `phases`, `extends` and every harness knob (5.2 stage 5). */
export function checkShape(context: Context): void {
  for (const entry of context.root.entries) {
    if (Object.hasOwn(SHAPES, entry.key)) SHAPES[entry.key]!(entry, context);
  }
}

/** The mapping a key holds; null is an empty one, anything else an error. */
function mapping(name: string, { value }: YamlEntry, { findings }: Context): YamlMap | undefined {
  if (value.kind === "map") return value;
  if (!isNull(value)) findings.error(`${name} must be a mapping`, value);
  return undefined;
}

function onlyKeys(
  name: string,
  map: YamlMap | undefined,
  known: readonly string[],
  { findings }: Context,
): void {
  for (const { key, ...at } of entriesOf(map)) {
    if (!known.includes(key)) findings.error(`unknown ${name} field: ${key}`, at, findings.meant(key, known));
  }
}

function checkPaths(entry: YamlEntry, context: Context): void {
  for (const { key, value } of entriesOf(mapping("paths", entry, context))) {
    if (key === "dod") context.ref("paths.dod", value);
  }
}

function checkGates(entry: YamlEntry, context: Context): void {
  const known = ["part", "phase", "review-batch"];
  const inserted = new Set(declaredPhases(context.root));
  for (const { key, value, ...at } of entriesOf(mapping("gates", entry, context))) {
    if (!known.includes(key)) {
      const hint = inserted.has(key)
        ? `give the phase a gate of its own`
        : context.findings.meant(key, known);
      context.findings.error(`unknown gates field: ${key}`, at, hint);
    } else {
      warnUnlessCommand(`gates.${key}`, value, context);
    }
  }
}

function warnUnlessCommand(label: string, node: YamlNode, { findings }: Context): void {
  if (isCommand(node)) return;
  findings.warn(`${label} must be a command string or a list of command strings`, node);
}

function isCommand(node: YamlNode): boolean {
  if (node.kind === "list") return node.items.every((item) => stringOf(item) !== undefined);
  return isNull(node) || stringOf(node) !== undefined;
}

const TIERS = ["opus", "sonnet", "haiku"];

function checkModels(entry: YamlEntry, context: Context): void {
  const { findings } = context;
  const known = ["fallback", ...ROLES];
  for (const { key, value, ...at } of entriesOf(mapping("models", entry, context))) {
    if (key === "validation-triager") {
      findings.error("models key 'validation-triager' was renamed — use 'harness-triager'", at);
    } else if (!known.includes(key)) {
      const what = `unknown models key: ${key} (expected an agent name or 'fallback')`;
      findings.error(what, at, findings.meant(key, known));
    } else if (stringOf(value) === undefined) {
      findings.error(`models.${key} must be a string`, value);
    } else if (!isOneOf(TIERS, stringOf(value))) {
      const what = `models.${key}: "${offending(value)}" is not a known tier (${TIERS.join(", ")})`;
      findings.warn(what, value);
    }
  }
}

function checkHygiene(entry: YamlEntry, context: Context): void {
  const { findings } = context;
  if (entry.value.kind !== "map") {
    findings.error("hygiene must be an object { gate }", entry.value);
    return;
  }
  for (const { key, value, ...at } of entry.value.entries) {
    if (key === "gate") checkGateWord("hygiene", value, context);
    else findings.error(`unknown hygiene field: ${key}`, at, findings.meant(key, ["gate"]));
  }
}

function checkLessons(entry: YamlEntry, { findings }: Context): void {
  if (entry.value.kind !== "map") {
    findings.error("lessons must be an object { max_injected }", entry.value);
    return;
  }
  for (const { key, value, ...at } of entry.value.entries) {
    if (key !== "max_injected") {
      findings.error(`unknown lessons field: ${key}`, at, findings.meant(key, ["max_injected"]));
    } else if (value.kind !== "scalar" || !Number.isSafeInteger(value.value) || (value.value as number) < 0) {
      findings.error("lessons.max_injected must be a non-negative integer", value);
    }
  }
}
