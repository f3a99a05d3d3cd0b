import { printable } from "../../kernel/text/printable.ts";
import {
  type YamlEntry,
  type YamlList,
  type YamlMap,
  type YamlNode,
  type YamlScalar,
  yamlValue,
} from "../../kernel/yaml/yaml.ts";

/** The line of what came from the command line, where a file has none. */
export const COMMAND_LINE = 0;

export function isNull(node: YamlNode): boolean {
  return node.kind === "scalar" && node.value === null;
}

/** The string a node is; undefined for anything else. */
export function stringOf(node: YamlNode | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

/** The string of a node when something other than blanks stands in it. */
export function wordOf(node: YamlNode | undefined): string | undefined {
  const text = stringOf(node);
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** The value of one key; undefined when the node is no mapping or has no such key. */
export function child(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return node?.kind === "map" ? node.entries.find((entry) => entry.key === key)?.value : undefined;
}

/** The elements of a list; none for anything else. */
export function itemsOf(node: YamlNode | undefined): readonly YamlNode[] {
  return node?.kind === "list" ? node.items : [];
}

/** The entries of a mapping; none for anything else. */
export function entriesOf(node: YamlNode | undefined): readonly YamlEntry[] {
  return node?.kind === "map" ? node.entries : [];
}

const LONGEST_QUOTE = 120;

/** A wrong value as an error shows it, on one line. */
export function offending(node: YamlNode): string {
  const value = yamlValue(node);
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  return printable(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text);
}

/** A value given on the command line, as a node. */
export function givenScalar(value: string | number | boolean): YamlScalar {
  const quoted = typeof value === "string";
  return { kind: "scalar", value, text: String(value), quoted, line: COMMAND_LINE, column: COMMAND_LINE };
}

export function givenList(items: readonly YamlNode[]): YamlList {
  return { kind: "list", items, line: COMMAND_LINE, column: COMMAND_LINE };
}

/** A mapping with one entry replaced or added; where a new key comes from the command line it has no line. */
export function withEntry(map: YamlMap, key: string, value: YamlNode): YamlMap {
  const at = map.entries.findIndex((entry) => entry.key === key);
  const { line, column } = at < 0 ? value : map.entries[at]!;
  const entry: YamlEntry = { key, value, line, column };
  const entries = at < 0 ? [...map.entries, entry] : map.entries.with(at, entry);
  return { ...map, entries };
}

/** A mapping without entries. */
export function emptyMap(line = 1): YamlMap {
  return { kind: "map", entries: [], line, column: 1 };
}
