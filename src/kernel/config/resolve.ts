/** Which layer a config key's value comes from (docs/spec/config.md section 3). Pure, once the layers are parsed. */

import { jsonText, printable } from "../text/printable.ts";
import { type YamlNode, yamlValue } from "../yaml/yaml.ts";
import { isSingleLine, type KeyRule, type KeyType, RETIRED_KEYS, ruleOf } from "./keys.ts";
import { type LayerName, type ParsedLayer, syntaxError } from "./layers.ts";
import { labelled, packEntryValue, readPacksBlock } from "./packs-config.ts";

export type ValueLayer =
  | "override"
  | LayerName
  | "default"
  | "caller-default"
  | "none"
  | "config.yaml+config.local.yaml";

/** Another place that names the key, and why it does not decide. */
export interface Shadowed {
  layer: "override" | LayerName;
  line: number | null;
  value: unknown;
  reason: "invalid" | "empty" | "lower-precedence" | "override-rejected";
}

export interface Resolved {
  key: string;
  /** The text of a scalar; JSON data of a list or map; null when unset. */
  value: unknown;
  set: boolean;
  layer: ValueLayer;
  /** 1-based line of the key. */
  line: number | null;
  type: KeyType;
  shadowed: Shadowed[];
  /** Without the `warning: ` they are printed with. */
  warnings: string[];
}

export interface ResolveOptions {
  /** A caller's value, judged like one in a file; empty is none. */
  override?: string | undefined;
  /** Used, unjudged, when nothing else is set. */
  callerDefault?: string | undefined;
}

/**
 * Resolve an ordinary key or `packs` against the parsed layers, highest precedence last (`docs_root` is resolved by
 * docs-root.ts). Throws `JigError` when a broken file hides a list or map key.
 */
export function resolveKey(
  key: string,
  layers: { repo: ParsedLayer | undefined; local: ParsedLayer | undefined },
  options: ResolveOptions = {},
): Resolved {
  const rule = ruleOf(key);
  const result: Resolved = {
    key,
    value: null,
    set: false,
    layer: "none",
    line: null,
    type: rule?.type ?? "unknown",
    shadowed: [],
    warnings: [],
  };
  const take = (value: unknown, layer: ValueLayer, line: number | null) => {
    if (!result.set) Object.assign(result, { value, layer, line, set: true });
  };
  const override = options.override || undefined;
  const accepted = override === undefined ? undefined : acceptText(rule, override);
  if (accepted !== undefined) take(accepted, "override", null);
  for (const layer of [layers.local, layers.repo]) {
    if (layer !== undefined) considerLayer(layer, rule, result, take);
  }
  const fallback = rule?.kind === "list" ? [] : rule?.kind === "scalar" ? rule.default : undefined;
  if (fallback !== undefined) take(fallback, "default", null);
  if (options.callerDefault !== undefined) take(options.callerDefault, "caller-default", null);
  if (override !== undefined && accepted === undefined) {
    result.shadowed.unshift({ layer: "override", line: null, value: override, reason: "override-rejected" });
    const instead = result.set ? valueText(result.value) : "none";
    result.warnings.unshift(
      `ignored unknown ${key} value '${printable(override)}' - using ${printable(instead)} instead`,
    );
  }
  return result;
}

function considerLayer(
  layer: ParsedLayer,
  rule: KeyRule | undefined,
  result: Resolved,
  take: (value: unknown, layer: LayerName, line: number) => void,
): void {
  const { key } = result;
  const found = findKey(layer, rule, result);
  if (found === undefined) return;
  const { line, value } = found;
  const shadow = (reason: Shadowed["reason"]) => {
    result.shadowed.push({ layer: layer.name, line, value: value.shown, reason });
  };
  if (Object.hasOwn(RETIRED_KEYS, key)) {
    result.warnings.push(`${layer.name}:${line}: ${key} is retired and not read; ${RETIRED_KEYS[key]}`);
    shadow("invalid");
  } else if (result.set) {
    shadow("lower-precedence");
  } else if (value.empty) {
    shadow("empty");
  } else {
    const accepted = accept(rule, value);
    if (accepted === undefined) {
      shadow("invalid");
      result.warnings.push(`${layer.name}:${line}: ${invalidText(key, value.shown, rule)}; it is not used`);
    } else {
      take(accepted, layer.name, line);
    }
  }
}

interface FoundValue {
  /** For a scalar its text; undefined for a list or map. */
  text: string | undefined;
  list: boolean;
  empty: boolean;
  /** As it appears in JSON and messages. */
  shown: unknown;
}

/** What a layer says about a key; undefined when it does not name it. Throws when a broken file hides it. */
function findKey(
  layer: ParsedLayer,
  rule: KeyRule | undefined,
  { key, set, warnings }: Resolved,
): { line: number; value: FoundValue } | undefined {
  if (layer.syntax !== undefined) {
    if (rule?.kind !== "scalar") {
      // An unknown key may be a list, and half of one is worse than none. Once decided, the file has no say.
      if (set || Object.hasOwn(RETIRED_KEYS, key)) return undefined;
      throw syntaxError(layer, layer.syntax);
    }
    const { line, column, message } = layer.syntax;
    if (!set) warnings.push(`${layer.name}:${line}: ${message} (column ${column}); read "${key}" by line`);
    const scanned = scanLine(layer.text, key);
    return scanned && { line: scanned.line, value: scalarValue(scanned.text, scanned.text === "") };
  }
  for (const duplicate of layer.duplicates) {
    if (duplicate.topLevel && duplicate.key === key) {
      warnings.push(`${layer.name}:${duplicate.line}: ${duplicate.message}; the first is used`);
    }
  }
  const entry = layer.entries.get(key);
  return entry && { line: entry.line, value: nodeValue(entry.value) };
}

function scalarValue(text: string, empty: boolean): FoundValue {
  return { text, list: false, empty, shown: text };
}

function nodeValue(node: YamlNode): FoundValue {
  if (node.kind !== "scalar") {
    return { text: undefined, list: node.kind === "list", empty: false, shown: yamlValue(node) };
  }
  if (node.value === null) return { text: "", list: false, empty: true, shown: null };
  return scalarValue(node.text, node.text === "");
}

/**
 * The value of a key in a file that is not YAML: the first line that starts with it, up to a comment, outer quotes
 * removed (docs/spec/config.md section 2).
 */
export function scanLine(text: string, key: string): { line: number; text: string } | undefined {
  const lines = text.split("\n");
  for (const [index, raw] of lines.entries()) {
    if (!raw.startsWith(key)) continue;
    const match = /^[ \t]*:(.*)$/.exec(raw.slice(key.length).replace(/\r$/, ""));
    if (match === null) continue;
    const value = match[1]!.replace(/[ \t]#.*$/, "").trim();
    const unquoted = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
    return { line: index + 1, text: unquoted };
  }
  return undefined;
}

function accept(rule: KeyRule | undefined, value: FoundValue): unknown {
  if (rule?.kind === "list") return value.list ? value.shown : undefined;
  if (value.text !== undefined) return acceptText(rule, value.text);
  return rule === undefined ? value.shown : undefined;
}

function acceptText(rule: KeyRule | undefined, text: string): string | undefined {
  if (rule === undefined) return isSingleLine(text) ? text : undefined;
  return rule.kind === "scalar" ? rule.accept(text) : undefined;
}

/** `KEY: 'VALUE' is not valid (expected …)`. */
export function invalidText(key: string, value: unknown, rule: KeyRule | undefined): string {
  const expected =
    rule?.kind === "scalar" ? rule.expected : rule?.kind === "list" ? "a list" : "text on one line";
  const shown = valueText(value);
  const cut = shown.length > 100 ? `${shown.slice(0, 99)}…` : shown;
  return `${key}: '${printable(cut)}' is not valid (expected ${expected})`;
}

/** A value as text mode prints it: a scalar bare, a list or map as one line of JSON. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** `packs`: the entries of both layers, the team's first, as the packs reader parses them. */
export function resolvePacksKey(layers: readonly ParsedLayer[]): Resolved {
  const read = layers.map((layer) => readPacksBlock(layer.text, layer.name));
  const declaring = layers.filter((_, index) => read[index]!.entries.length > 0);
  const entries = read.flatMap((declarations) => declarations.entries);
  return {
    key: "packs",
    value: entries.map(packEntryValue),
    set: true,
    layer: entries.length === 0 ? "default" : (declaring.map((layer) => layer.name).join("+") as ValueLayer),
    line: null,
    type: "list",
    shadowed: [],
    warnings: read
      .flatMap((declarations) => [...declarations.errors, ...declarations.warnings])
      .map(labelled),
  };
}
