/**
 * YAML 1.2 (core schema) as a tree that knows where everything stands. The parser is loaded on the first call only,
 * so importing this module costs nothing.
 */
import type { YamlEntry, YamlNode, YamlOptions, YamlProblem, YamlResult } from "./yaml-tree.ts";

export type {
  YamlDuplicate,
  YamlEntry,
  YamlList,
  YamlMap,
  YamlNode,
  YamlOptions,
  YamlProblem,
  YamlResult,
  YamlScalar,
} from "./yaml-tree.ts";

/**
 * Parse one YAML document. An empty one is a null scalar. Everything the text can get wrong comes back as a problem
 * with its place: syntax, a second document, a tag outside the core schema, too many alias expansions, nesting or size.
 */
export async function parseYaml(text: string, options: YamlOptions = {}): Promise<YamlResult> {
  const { parseYamlText } = await import("./yaml-parser.ts");
  return parseYamlText(text, options);
}

/** `FILE:LINE:COLUMN: message`. */
export function describeProblem(file: string, problem: YamlProblem): string {
  return `${file}:${problem.line}:${problem.column}: ${problem.message}`;
}

/** The entry of a key; undefined when the node is no mapping or has no such key. */
export function yamlEntry(node: YamlNode, key: string): YamlEntry | undefined {
  return node.kind === "map" ? node.entries.find((entry) => entry.key === key) : undefined;
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
