/**
 * The shape of a descriptor that a manifest brings: an insert or a registered phase
 * (docs/spec/craft-engine.md 6.4, 8.1).
 */
import type { YamlEntry, YamlMap, YamlNode } from "../../../kernel/yaml/yaml.ts";
import { ARCHETYPES, BUNDLES, EXECUTIONS, isOneOf, phaseId, RESERVED_KEYS } from "../../common/vocabulary.ts";
import { child, offending, stringOf } from "../nodes.ts";
import type { Context } from "./context.ts";
import { checkHarness } from "./harness.ts";

type FieldRule = (label: string, node: YamlNode, context: Context) => void;

const text: FieldRule = (label, node, { findings }) => {
  if (stringOf(node) === undefined) findings.error(`${label} must be a string`, node);
};

const texts: FieldRule = (label, node, { findings }) => {
  if (node.kind !== "list") {
    findings.error(`${label} must be an array`, node);
    return;
  }
  node.items.forEach((item, index) => {
    if (stringOf(item) === undefined) findings.error(`${label}[${index}] must be a string`, item);
  });
};

const FIELDS: Readonly<Record<string, FieldRule>> = {
  archetype: (label, node, { findings }) => {
    if (isOneOf(ARCHETYPES, stringOf(node))) return;
    const hint = findings.meant(offending(node), ARCHETYPES);
    findings.error(`${label}, when present, must be one of ${ARCHETYPES.join(", ")}`, node, hint);
  },
  contract: (label, node, { findings }) => {
    if (node.kind !== "list") {
      findings.error(`${label} must be an array`, node);
      return;
    }
    node.items.forEach((item, index) => {
      const name = stringOf(item);
      if (isOneOf(BUNDLES, name)) return;
      findings.error(
        `${label}[${index}]: "${offending(item)}" is not a known bundle (expected one of ${BUNDLES.join(", ")})`,
        item,
        findings.meant(offending(item), BUNDLES),
      );
    });
  },
  consumes: texts,
  produces: texts,
  self_supply: texts,
  role: text,
  gate: text,
  model: text,
  after: text,
  before: text,
  enabled: (label, node, { findings }) => {
    if (node.kind !== "scalar" || typeof node.value !== "boolean")
      findings.error(`${label} must be a boolean`, node);
  },
  // Resolving refuses a wrong mode at a stage of its own.
  execution: (label, node, { findings, reader }) => {
    if (reader === "lint" && !isOneOf(EXECUTIONS, stringOf(node)))
      findings.error(`${label} must be one of: agent, inline`, node);
  },
  harness: checkHarness,
};

/** A name that means another phase everywhere else. */
function warnOfAlias(label: string, map: YamlMap, { findings }: Context): void {
  const id = stringOf(child(map, "id"));
  if (id === undefined || phaseId(id) === id) return;
  const meant = phaseId(id);
  findings.warn(
    `${label}: id "${id}" is an alias of ${meant}: skip, phases and anchors of that name mean ${meant}`,
    map,
  );
}

/** The fields of an entry, apart from `id` and `procedure`, whose need differs. */
export function checkEntryFields(label: string, map: YamlMap, context: Context): void {
  warnOfAlias(label, map, context);
  for (const { key, value, ...at } of map.entries as readonly YamlEntry[]) {
    if (isOneOf(RESERVED_KEYS, key)) {
      context.findings.error(`${label}: reserved key "${key}" is not allowed`, at);
    } else if (Object.hasOwn(FIELDS, key)) FIELDS[key]!(`${label}.${key}`, value, context);
  }
}
