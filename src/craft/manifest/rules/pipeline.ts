import type { YamlEntry, YamlMap, YamlNode } from "../../../kernel/yaml/yaml.ts";
import { PROFILE_NAMES, unknownProfile } from "../../common/vocabulary.ts";
import { insertLabel } from "../manifest.ts";
import { child, entriesOf, isNull, stringOf, wordOf } from "../nodes.ts";
import type { Context } from "./context.ts";
import { checkEntryFields } from "./entries.ts";

const KEYS = ["profile", "skip", "insert", "reorder"];

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
