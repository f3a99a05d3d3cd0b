import type { Alias, ParsedNode, YAMLError } from "yaml";
import { Composer, type Document, isAlias, isMap, isScalar, Lexer, LineCounter, Parser } from "yaml";
import {
  MAX_YAML_DEPTH,
  MAX_YAML_TOKENS,
  type YamlDuplicate,
  type YamlEntry,
  type YamlNode,
  type YamlOptions,
  type YamlProblem,
  type YamlResult,
} from "./yaml-tree.ts";

// The library prints to stdout when it finds these, and stdout is the result.
delete process.env["LOG_TOKENS"];
delete process.env["LOG_STREAM"];

const DEFAULT_MAX_ALIASES = 100;

/** What alias expansion may add to a value, in characters and nodes; a few aliases of one huge string are a bomb too. */
const MAX_ALIASED_SIZE = 1 << 20;

/** Problems reported of one text; a broken file may have thousands that follow from the first. */
const MAX_PROBLEMS = 20;

const CORE_TAG = /^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$|^!$/;

/** Ends the parse at an offset: what follows is not looked at. */
class Stop extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** `parseYaml` for callers that have this module loaded already (kernel/yaml/yaml.ts has the promises). */
export function parseYamlText(text: string, options: YamlOptions = {}): YamlResult {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text;
  const lines = new LineCounter();
  // What is missing at the end is missing after the last word, not on a line that is not there.
  const end = source.trimEnd().length;
  const place = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, end));
    return { line: Math.max(1, line) + (options.firstLine ?? 1) - 1, column: col };
  };
  try {
    const document = compose(source, lines, options.maxTokens ?? MAX_YAML_TOKENS);
    const problems = syntaxProblems(document, options);
    if (problems.length === 0) {
      const duplicates: YamlDuplicate[] = [];
      const root = build(document, options, place, duplicates);
      if (options.duplicates === "report" || duplicates.length === 0) return { ok: true, root, duplicates };
      return failure(duplicates);
    }
    return failure(problems.map(({ offset, message }) => ({ ...place(offset), message })));
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return failure([{ ...place(error.offset), message: error.message }]);
  }
}

function failure(problems: readonly YamlProblem[]): YamlResult {
  const [first, ...rest] = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ line, column, message }) => ({ line, column, message }));
  return { ok: false, problems: [first!, ...rest] };
}

function compose(source: string, lines: LineCounter, maxTokens: number): Document.Parsed {
  // Equal keys are found below: the library compares every pair of them.
  const composer = new Composer({
    version: "1.2",
    uniqueKeys: false,
    prettyErrors: false,
    resolveKnownTags: false,
  });
  const documents = composer.compose(tokens(source, lines, maxTokens), true, source.length);
  const first = documents.next().value as Document.Parsed;
  const second = documents.next();
  if (!second.done) throw new Stop("a second YAML document begins; expected one", second.value.range[0]);
  return first;
}

function* tokens(source: string, lines: LineCounter, maxTokens: number) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(source)) {
    if (++count > maxTokens) {
      throw new Stop(`too much YAML: more than ${maxTokens} tokens`, parser.offset);
    }
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_YAML_DEPTH) {
      throw new Stop(`nested deeper than ${MAX_YAML_DEPTH} levels`, parser.offset);
    }
  }
  yield* parser.end();
}

function syntaxProblems(
  document: Document.Parsed,
  options: YamlOptions,
): { offset: number; message: string }[] {
  const of = (error: YAMLError) => ({ offset: error.pos[0], message: oneLine(error.message) });
  const problems = document.errors.map(of);
  for (const warning of document.warnings) {
    const tag = /^Unresolved tag: (.*)$/s.exec(warning.message)?.[1];
    problems.push(
      tag === undefined ? of(warning) : { offset: warning.pos[0], message: unknownTag(tag, options) },
    );
  }
  const version = document.directives.yaml.explicit ? document.directives.yaml.version : "1.2";
  if (version !== "1.2")
    problems.push({ offset: 0, message: `%YAML ${version} is not read; expected YAML 1.2` });
  return problems.sort((a, b) => a.offset - b.offset);
}

function unknownTag(tag: string, options: YamlOptions): string {
  const expected = options.tags === "none" ? "no tags" : "no tag but those of the YAML core schema";
  return `tag ${oneLine(tag)}; expected ${expected}`;
}

function oneLine(message: string): string {
  const line = message.replaceAll(/\s*[\r\n]\s*/g, " ");
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

interface Anchored {
  node: YamlNode;
  /** What one expansion adds. */
  aliases: number;
  size: number;
}

/** The library's nodes as ours: aliases resolved (shared, not copied), keys as text, merge keys applied. */
function build(
  document: Document.Parsed,
  options: YamlOptions,
  place: (offset: number) => { line: number; column: number },
  duplicates: YamlDuplicate[],
): YamlNode {
  const maxAliases = options.maxAliases ?? DEFAULT_MAX_ALIASES;
  // undefined: the anchor's own value is still being read.
  const anchors = new Map<string, Anchored | undefined>();
  let aliases = 0;
  let size = 0;
  let aliasedSize = 0;

  function convert(node: ParsedNode | null, depth: number): YamlNode {
    if (node === null) return { kind: "scalar", value: null, text: "", quoted: false, ...place(0) };
    const offset = node.range[0];
    if (isAlias(node)) return expand(node, offset);
    // An alias of `*a: …` reads `a:` as its name; anchors are read the same way, so nothing is lost.
    const anchor = node.anchor;
    if (anchor !== undefined) anchors.set(anchor, undefined);
    const before = { aliases, size };
    const result = convertOwn(node, offset, depth);
    if (anchor !== undefined) {
      anchors.set(anchor, { node: result, aliases: aliases - before.aliases, size: size - before.size });
    }
    return result;
  }

  function expand(alias: Alias, offset: number): YamlNode {
    if (!anchors.has(alias.source))
      throw new Stop(`alias *${oneLine(alias.source)} has no anchor before it`, offset);
    const target = anchors.get(alias.source);
    if (target === undefined)
      throw new Stop(`alias *${oneLine(alias.source)} stands inside its own anchor`, offset);
    aliases += 1 + target.aliases;
    size += target.size;
    aliasedSize += target.size;
    if (aliases > maxAliases) {
      throw new Stop(
        maxAliases === 0 ? "aliases are not allowed" : `more than ${maxAliases} alias expansions`,
        offset,
      );
    }
    if (aliasedSize > MAX_ALIASED_SIZE) throw new Stop("aliases expand to more than 1 MiB", offset);
    return target.node;
  }

  function convertOwn(node: Exclude<ParsedNode, Alias.Parsed>, offset: number, depth: number): YamlNode {
    size++;
    const tag = node.tag;
    if (tag !== undefined && (options.tags === "none" || !CORE_TAG.test(tag))) {
      throw new Stop(unknownTag(tag, options), offset);
    }
    if (isScalar(node)) {
      const value = node.value as string | number | boolean | null;
      const quoted = node.type !== "PLAIN";
      const text = node.source;
      size += text.length;
      return { kind: "scalar", value, text, quoted, ...place(offset) };
    }
    if (isMap(node)) {
      const entries = mapEntries(
        node.items as { key: ParsedNode; value: ParsedNode | null }[],
        offset,
        depth,
      );
      return { kind: "map", entries, ...place(offset) };
    }
    const items = (node.items as ParsedNode[]).map((item) => convert(item, depth + 1));
    return { kind: "list", items, ...place(offset) };
  }

  function mapEntries(pairs: { key: ParsedNode; value: ParsedNode | null }[], offset: number, depth: number) {
    const own = new Map<string, YamlEntry>();
    const merged = new Map<string, YamlEntry>();
    for (const pair of pairs) {
      const keyOffset = pair.key?.range[0] ?? offset;
      const keyNode = convert(pair.key, depth + 1);
      if (keyNode.kind !== "scalar")
        throw new Stop("a key is a list or a mapping; expected a scalar", keyOffset);
      // A key without a value (`{a}`, `? a`) has a node of its own or none at all.
      const value = pair.value === null ? emptyAt(keyOffset) : convert(pair.value, depth + 1);
      const key = keyNode.text;
      if (options.merge && key === "<<" && !keyNode.quoted) {
        for (const entry of mergeEntries(value, keyOffset)) {
          if (!merged.has(entry.key)) merged.set(entry.key, entry);
        }
        continue;
      }
      const first = own.get(key);
      if (first === undefined) {
        own.set(key, { key, value, ...place(keyOffset) });
      } else {
        const message = `duplicate key ${JSON.stringify(oneLine(key))}, first in line ${first.line}`;
        duplicates.push({ key, message, topLevel: depth === 0, ...place(keyOffset) });
      }
    }
    return [...own.values(), ...[...merged.values()].filter((entry) => !own.has(entry.key))];
  }

  function mergeEntries(value: YamlNode, offset: number): readonly YamlEntry[] {
    const sources = value.kind === "list" ? value.items : [value];
    return sources.flatMap((source) => {
      if (source.kind !== "map")
        throw new Stop("<< names no mapping; expected one or a list of them", offset);
      return source.entries;
    });
  }

  function emptyAt(offset: number): YamlNode {
    return { kind: "scalar", value: null, text: "", quoted: false, ...place(offset) };
  }

  return convert(document.contents, 0);
}
