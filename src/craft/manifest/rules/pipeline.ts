import type { YamlEntry, YamlMap, YamlNode } from "../../../kernel/yaml/yaml.ts";
import { child, entriesOf, isNull, stringOf, wordOf } from "../nodes.ts";
import type { Context } from "./context.ts";
import { checkEntryFields } from "./entries.ts";

const KEYS = ["profile", "skip", "insert", "reorder"];

/** The built-in execution profiles, in the order a message lists them (docs/spec/craft-engine.md 7.1). */
export const PROFILE_NAMES = ["solo", "full", "lean"] as const;

/** What is wrong with a profile name nobody defines. */
export function unknownProfile(name: string): string {
  return `Unknown profile "${name}". Supported profiles: ${PROFILE_NAMES.join(", ")}.`;
}

/** `pipeline` of a manifest (docs/spec/craft-engine.md 3.2). */
export function checkPipeline(entry: YamlEntry, context: Context): void {
  const { findings, reader } = context;
  if (isNull(entry.value)) return;
  if (entry.value.kind !== "map") {
    findings.error("pipeline must be a mapping", entry.value);
    return;
  }
  for (const part of entry.value.entries) {
    if (part.key === "profile") checkProfile(part.value, context);
    else if (part.key === "skip") checkSkip(part.value, context);
    else if (part.key === "insert") checkInserts(part.value, context);
    else if (part.key === "reorder") checkReorder(part.value, context);
    else if (reader === "lint")
      findings.error(`unknown pipeline key: ${part.key}`, part, findings.meant(part.key, KEYS));
  }
}

function checkProfile(node: YamlNode, { findings, reader, root }: Context): void {
  if (isNull(node)) return;
  const name = stringOf(node);
  if (name === undefined) {
    findings.error("pipeline.profile must be a string", node);
    return;
  }
  if (reader === "resolve") return;
  const custom = entriesOf(child(child(root, "extends"), "profiles")).map(({ key }) => key);
  const known = [...PROFILE_NAMES, ...custom];
  if (!known.includes(name)) findings.error(unknownProfile(name), node, findings.meant(name, known));
}

function checkSkip(node: YamlNode, context: Context): void {
  if (isNull(node)) return;
  if (node.kind !== "list" || node.items.some((item) => stringOf(item) === undefined)) {
    context.findings.error("pipeline.skip must be a list of phase ids", node);
    return;
  }
  for (const item of node.items) {
    const name = stringOf(item)!;
    if (!context.knowsPhase(name)) {
      context.findings.warn(`pipeline.skip: "${name}" matches no phase`, item);
    }
  }
}

function checkReorder(node: YamlNode, { findings }: Context): void {
  if (node.kind !== "list") {
    findings.error("pipeline.reorder must be a list of phase ids", node);
    return;
  }
  node.items.forEach((item, index) => {
    if (stringOf(item) !== undefined) return;
    const type = item.kind === "scalar" && item.value !== null ? typeof item.value : "object";
    findings.error(`pipeline.reorder[${index}]: expected a string id, got ${type}`, item);
  });
}

function checkInserts(node: YamlNode, context: Context): void {
  if (isNull(node)) return;
  if (node.kind !== "list") {
    context.findings.error("pipeline.insert must be a list of insert entries", node);
    return;
  }
  node.items.forEach((item, index) => {
    checkInsert(item, index, context);
  });
}

/** How messages name an insert: its id, else its anchor, else its place in the list. */
export function insertLabel(node: YamlNode, index: number): string {
  const id = stringOf(child(node, "id"));
  if (id !== undefined) return id;
  const after = stringOf(child(node, "after"));
  if (after !== undefined) return `after:${after}`;
  const before = stringOf(child(node, "before"));
  return before === undefined ? String(index) : `before:${before}`;
}

function checkInsert(node: YamlNode, index: number, context: Context): void {
  const { findings } = context;
  const label = `pipeline.insert[${insertLabel(node, index)}]`;
  if (node.kind !== "map") {
    findings.error(`${label} must be an object`, node);
    return;
  }
  const nested = node.entries.find(({ key }) => key === "phase");
  if (nested !== undefined) {
    const flat = "use the flat shape { after|before, id, procedure, … }";
    findings.error(`${label}: nested "phase:" form is not supported — ${flat}`, nested);
    return;
  }
  if (wordOf(child(node, "id")) === undefined)
    findings.error(`${label}.id must be a non-empty string`, child(node, "id") ?? node);
  checkProcedure(label, node, context);
  checkEntryFields(label, node, context);
}

function checkProcedure(label: string, node: YamlMap, { findings }: Context): void {
  const procedure = child(node, "procedure");
  if (procedure !== undefined && wordOf(procedure) === undefined) {
    findings.error(`${label}.procedure must be a non-empty string`, procedure);
  } else if (procedure === undefined && child(node, "gate") === undefined) {
    findings.warn(`${label}: neither procedure nor gate — the walk has nothing to run`, node);
  }
}
