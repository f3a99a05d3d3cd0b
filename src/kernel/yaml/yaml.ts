/**
 * YAML 1.2 (core schema) as a tree that knows where everything stands. The parser is loaded on the first call only,
 * so importing this module costs nothing.
 */
import { JigError } from "../call/errors.ts";

interface Position {
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 units. */
  column: number;
}

export interface YamlScalar extends Position {
  kind: "scalar";
  value: string | number | boolean | null;
  /** As written: the source of a plain scalar, the content of a quoted or block one. */
  text: string;
  /** Whether it was written in quotes or as a block, so that it can only be a string. */
  quoted: boolean;
}

export interface YamlList extends Position {
  kind: "list";
  items: readonly YamlNode[];
}

export interface YamlMap extends Position {
  kind: "map";
  /** In file order, keys unique; the position is the key's. */
  entries: readonly YamlEntry[];
}

export interface YamlEntry extends Position {
  key: string;
  value: YamlNode;
}

export type YamlNode = YamlScalar | YamlList | YamlMap;

/** Something wrong at a place in the text; the file is the caller's to name. */
export interface YamlProblem extends Position {
  message: string;
}

/** A key that was there before in the same mapping; the first one counts. */
export interface YamlDuplicate extends YamlProblem {
  key: string;
  /** Whether it stands in the outermost mapping. */
  topLevel: boolean;
}

export interface YamlOptions {
  /** Line number of the text's first line in its file; 1 unless given. */
  firstLine?: number;
  /** How often aliases may be expanded in all, those inside aliased values counted too; 100 unless given. */
  maxAliases?: number;
  /** `report`: keep the first of equal keys and list the rest. A problem unless given. */
  duplicates?: "refuse" | "report";
  /** Whether `<<` takes over the keys of the mapping (or mappings) it names. It is an ordinary key unless given. */
  merge?: boolean;
  /** How many lexical tokens are read; `MAX_YAML_TOKENS` unless given. For texts whose size has a cap of its own. */
  maxTokens?: number;
  /** `none` refuses even the tags of the core schema (`!!str`). Other tags are always refused. */
  tags?: "core" | "none";
}

export type YamlResult =
  | { ok: true; root: YamlNode; duplicates: readonly YamlDuplicate[] }
  | { ok: false; problems: readonly [YamlProblem, ...YamlProblem[]] };

/** Deepest nesting read. Far beyond what a person writes, far below what overflows a stack. */
export const MAX_YAML_DEPTH = 100;

/** Most lexical tokens read, about ten thousand lines: bounds the memory that a hostile text can ask for. */
export const MAX_YAML_TOKENS = 50_000;

/**
 * Parse one YAML document. An empty one is a null scalar. Everything the text can get wrong comes back as a problem
 * with its place: syntax, a second document, a tag outside the core schema, too many alias expansions, nesting or size.
 */
export async function parseYaml(text: string, options: YamlOptions = {}): Promise<YamlResult> {
  const { parseYamlText } = await import("./yaml-parser.ts");
  return parseYamlText(text, options);
}

/** Parse a document that has to be right. Throws `JigError` (exit 1) that names file, line and column of the first problem. */
export async function requireYaml(file: string, text: string, options: YamlOptions = {}): Promise<YamlNode> {
  const result = await parseYaml(text, options);
  if (!result.ok) throw new JigError(describeProblem(file, result.problems[0]));
  return result.root;
}

/** `FILE:LINE:COLUMN: message`. */
export function describeProblem(file: string, problem: YamlProblem): string {
  return `${file}:${problem.line}:${problem.column}: ${problem.message}`;
}

/** The entry of a key; undefined when the node is no mapping or has no such key. */
export function yamlEntry(node: YamlNode, key: string): YamlEntry | undefined {
  return node.kind === "map" ? node.entries.find((entry) => entry.key === key) : undefined;
}

/** The node that a path of keys and indices leads to, or the last one on the way that exists: where to point for it. */
export function nearestYamlNode(root: YamlNode, path: readonly (string | number)[]): YamlNode {
  let node = root;
  for (const step of path) {
    const next = node.kind === "list" ? node.items[Number(step)] : yamlEntry(node, String(step))?.value;
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

/**
 * The plain value of a node. A key such as `__proto__` becomes an ordinary property. A number that JavaScript or JSON
 * cannot hold exactly (`.inf`, an id of twenty digits) stays the text it was written as.
 */
export function yamlValue(node: YamlNode): unknown {
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "number" && !isExact(node.value) ? node.text : node.value;
    case "list":
      return node.items.map(yamlValue);
    case "map":
      return Object.fromEntries(node.entries.map((entry) => [entry.key, yamlValue(entry.value)]));
  }
}

function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}
