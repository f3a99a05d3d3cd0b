import { printable } from "../../kernel/text/printable.ts";
import { parseYaml, type YamlMap, type YamlNode, yamlValue } from "../../kernel/yaml/yaml.ts";
import type { Problem } from "../common/problem.ts";
import { ARCHETYPES, EXECUTIONS, isOneOf } from "../common/vocabulary.ts";
import { child, entriesOf, isNull, offending } from "../manifest/nodes.ts";
import { ENGINE_YAML } from "../manifest/read.ts";
import type { Descriptor } from "./descriptor.ts";

/** A pipeline read from a text, or the first thing wrong with it. */
export type PipelineRead = { ok: true; pipeline: Descriptor[] } | { ok: false; problem: Problem };

/** Thrown at the first wrong descriptor. */
class Wrong extends Error {
  readonly node: YamlNode;
  constructor(message: string, node: YamlNode) {
    super(message);
    this.node = node;
  }
}

/** Parse a pipeline file (docs/spec/craft-engine.md 4.1); `file` names it in the problem. */
export async function parsePipeline(file: string, text: string): Promise<PipelineRead> {
  const result = await parseYaml(text, ENGINE_YAML);
  if (!result.ok) {
    const { line, column, message } = result.problems[0];
    return { ok: false, problem: { message, file, line, column } };
  }
  try {
    return { ok: true, pipeline: descriptorsOf(result.root) };
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    const { line, column } = error.node;
    return { ok: false, problem: { message: printable(error.message), file, line, column } };
  }
}

function descriptorsOf(root: YamlNode): Descriptor[] {
  if (root.kind !== "list") throw new Wrong("Pipeline YAML must be a list of descriptor objects.", root);
  return root.items.map((item, index) => {
    if (item.kind === "map") return descriptorOf(item, index);
    throw new Wrong(`Descriptor at index ${index} must be an object, got ${typeName(item)}.`, item);
  });
}

function typeName(node: YamlNode): string {
  if (node.kind === "list") return "array";
  const value = node.kind === "scalar" ? node.value : {};
  return value === null ? "null" : typeof value;
}

function descriptorOf(map: YamlMap, index: number): Descriptor {
  const field = (name: string) => {
    const node = child(map, name);
    return node === undefined || isNull(node) ? undefined : node;
  };
  for (const name of ["id", "archetype", "contract", "procedure"]) {
    if (field(name) === undefined)
      throw new Wrong(`Descriptor at index ${index}: required field "${name}" is missing.`, map);
  }
  const id = scalarText(field("id")!, `Descriptor at index ${index}: id`);
  const at = `Descriptor at index ${index} (id="${id}")`;
  const archetype = scalarText(field("archetype")!, `${at}: archetype`);
  if (!isOneOf(ARCHETYPES, archetype)) {
    const expected = `Must be one of: ${ARCHETYPES.join(", ")}.`;
    throw new Wrong(`${at}: archetype "${archetype}" is not valid. ${expected}`, field("archetype")!);
  }
  const execution = field("execution");
  const mode = execution === undefined ? "agent" : offending(execution);
  if (!isOneOf(EXECUTIONS, mode)) {
    const expected = `Must be one of: ${EXECUTIONS.join(", ")}.`;
    throw new Wrong(`${at}: execution "${mode}" is not valid. ${expected}`, execution!);
  }
  const text = (name: string) => scalarText(field(name)!, `${at}: ${name}`);
  const list = (name: string) => texts(field(name), `${at}: ${name}`);
  return {
    id,
    archetype,
    enabled: enabledOf(field("enabled"), at),
    contract: list("contract"),
    procedure: text("procedure"),
    consumes: list("consumes"),
    self_supply: list("self_supply"),
    produces: list("produces"),
    execution: mode,
    ...(field("role") === undefined ? {} : { role: text("role") }),
    ...(field("gate") === undefined ? {} : { gate: text("gate") }),
    ...(field("harness") === undefined ? {} : { harness: harnessOf(field("harness")!, at) }),
    ...(field("model") === undefined ? {} : { model: text("model") }),
  };
}

function enabledOf(node: YamlNode | undefined, at: string): boolean {
  if (node === undefined) return true;
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  throw new Wrong(`${at}: enabled must be true or false, got "${offending(node)}".`, node);
}

function scalarText(node: YamlNode, what: string): string {
  if (node.kind !== "scalar") throw new Wrong(`${what} must be a string, got ${typeName(node)}.`, node);
  return String(node.value);
}

function texts(node: YamlNode | undefined, what: string): string[] {
  if (node === undefined) return [];
  if (node.kind === "scalar") return [scalarText(node, what)];
  if (node.kind === "list") return node.items.map((item) => scalarText(item, what));
  throw new Wrong(`${what} must be a list of strings, got object.`, node);
}

function harnessOf(node: YamlNode, at: string): Record<string, unknown> {
  if (node.kind !== "map") throw new Wrong(`${at}: harness must be a mapping, got ${typeName(node)}.`, node);
  return Object.fromEntries(entriesOf(node).map(({ key, value }) => [key, yamlValue(value)]));
}
