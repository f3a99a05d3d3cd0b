/** Globs over repository-relative paths (docs/spec/craft-run.md 6.1): linear in the path for every pattern. */

type Token =
  | { any: "star" }
  | { any: "one" }
  | { in: readonly (readonly [string, string])[]; not: boolean }
  | string;

/** `**` alone in a segment, or what one segment has to look like. */
type Segment = "deep" | readonly Token[];

/** Alternatives that braces may stand for; more is no pattern of a person. */
const MOST_ALTERNATIVES = 256;
const LONGEST_PATTERN = 4_096;

/** Whether a path is meant by a pattern; an invalid pattern means none. */
export type Matcher = (path: string) => boolean;

/**
 * A pattern as a test of paths: `*` and `?` inside one segment, `**` across segments (`a/**` is below `a`, not `a`),
 * `[…]`, `{a,b}`, a backslash before what is meant as it is. No wildcard takes the leading dot of a segment; case counts.
 */
export function compileGlob(pattern: string): Matcher {
  const alternatives = pattern.length > LONGEST_PATTERN ? undefined : expandBraces(pattern);
  const compiled = (alternatives ?? []).map(segmentsOf);
  if (compiled.includes(undefined)) return () => false;
  const whole = compiled as readonly (readonly Segment[])[];
  const head = pattern.replace(/^\.\//, "").replace(/[*?[{\\].*$/s, "");
  return (path) => {
    if (!path.startsWith(head)) return false;
    const parts = path.split("/").map((part) => [...part]);
    return whole.some((segments) => matchSegments(segments, parts));
  };
}

/** The literal beginning of a pattern, before its first wildcard. */
export function literalPrefix(pattern: string): string {
  const at = pattern.search(/[*?[{]/);
  return at < 0 ? pattern : pattern.slice(0, at);
}

/** Every text that the braces of a pattern stand for; undefined when one is not closed, or they are too many. */
function expandBraces(pattern: string): string[] | undefined {
  let pending = [pattern];
  const done: string[] = [];
  while (pending.length > 0) {
    if (pending.length + done.length > MOST_ALTERNATIVES) return undefined;
    const next: string[] = [];
    for (const text of pending) {
      const brace = firstBrace(text);
      if (brace === "unclosed") return undefined;
      if (brace === undefined) done.push(text);
      else {
        const [head, tail] = [text.slice(0, brace.start), text.slice(brace.end + 1)];
        for (const choice of brace.choices) next.push(head + choice + tail);
      }
      if (next.length + done.length > MOST_ALTERNATIVES) return undefined;
    }
    pending = next;
  }
  return done;
}

interface Brace {
  start: number;
  end: number;
  choices: string[];
}

function firstBrace(text: string): Brace | "unclosed" | undefined {
  let start = -1;
  let depth = 0;
  let from = 0;
  const choices: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "[") at = classEnd(text, at) ?? at;
    else if (character === "{") {
      if (depth++ === 0) [start, from] = [at, at + 1];
    } else if (depth > 0 && character === "}") {
      if (--depth > 0) continue;
      choices.push(text.slice(from, at));
      return { start, end: at, choices };
    } else if (depth === 1 && character === ",") {
      choices.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return depth > 0 ? "unclosed" : undefined;
}

/** Where the `]` of a class stands that opens at `start`; the first character inside may be one itself. */
function classEnd(text: string, start: number): number | undefined {
  let at = start + 1;
  if (text[at] === "!" || text[at] === "^") at++;
  if (text[at] === "]") at++;
  for (; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "]") return at;
    else if (text[at] === "/") return undefined;
  }
  return undefined;
}

function segmentsOf(pattern: string): readonly Segment[] | undefined {
  const text = pattern.startsWith("./") ? pattern.slice(2) : pattern;
  const segments: Segment[] = [];
  for (const part of text.split("/")) {
    if (part === "**") {
      if (segments.at(-1) !== "deep") segments.push("deep");
      continue;
    }
    const tokens = tokensOf(part);
    if (tokens === undefined) return undefined;
    segments.push(tokens);
  }
  return segments;
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  const characters = [...text];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*") {
      const last = tokens.at(-1);
      if (typeof last !== "object" || !("any" in last) || last.any !== "star") tokens.push({ any: "star" });
    } else if (character === "?") tokens.push({ any: "one" });
    else if (character === "[") {
      const read = classOf(characters, at);
      if (read === undefined) return undefined;
      tokens.push(read.token);
      at = read.end;
    } else if (character === "\\") {
      const next = characters[++at];
      if (next === undefined) return undefined;
      tokens.push(next);
    } else tokens.push(character);
  }
  return tokens;
}

function classOf(characters: readonly string[], start: number): { token: Token; end: number } | undefined {
  let at = start + 1;
  const not = characters[at] === "!" || characters[at] === "^";
  if (not) at++;
  const ranges: [string, string][] = [];
  for (let first = true; at < characters.length; first = false) {
    if (characters[at] === "]" && !first) return { token: { in: ranges, not }, end: at };
    const from = characters[at] === "\\" ? characters[++at] : characters[at];
    if (from === undefined) return undefined;
    at++;
    if (characters[at] !== "-" || characters[at + 1] === "]" || characters[at + 1] === undefined) {
      ranges.push([from, from]);
      continue;
    }
    const to = characters[at + 1] === "\\" ? characters[at++ + 2] : characters[at + 1];
    if (to === undefined || to.codePointAt(0)! < from.codePointAt(0)!) return undefined;
    ranges.push([from, to]);
    at += 2;
  }
  return undefined;
}

/** A path against the segments: where the last `**` was, it may take one more. */
function matchSegments(segments: readonly Segment[], parts: readonly (readonly string[])[]): boolean {
  let [segment, part] = [0, 0];
  let deep = -1;
  let taken = 0;
  while (part < parts.length) {
    const wanted = segments[segment];
    if (wanted === "deep") {
      // Below a directory means at least one more segment.
      if (segment === segments.length - 1)
        return parts.slice(part).every((one) => one[0] !== "." && one.length > 0);
      [deep, taken] = [segment++, part];
    } else if (wanted !== undefined && matchSegment(wanted, parts[part]!)) {
      segment++;
      part++;
    } else if (deep >= 0 && parts[taken]![0] !== ".") {
      segment = deep + 1;
      part = ++taken;
    } else return false;
  }
  return segment === segments.length;
}

function matchSegment(tokens: readonly Token[], text: readonly string[]): boolean {
  // No wildcard takes a leading dot.
  if (text[0] === "." && tokens[0] !== ".") return false;
  let [token, at] = [0, 0];
  let star = -1;
  let taken = 0;
  while (at < text.length) {
    const wanted = tokens[token];
    if (typeof wanted === "object" && "any" in wanted && wanted.any === "star") {
      [star, taken] = [token++, at];
    } else if (wanted !== undefined && matchOne(wanted, text[at]!)) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++taken;
    } else return false;
  }
  while (isStar(tokens[token])) token++;
  return token === tokens.length;
}

function isStar(token: Token | undefined): boolean {
  return typeof token === "object" && "any" in token && token.any === "star";
}

function matchOne(token: Token, character: string): boolean {
  if (typeof token === "string") return token === character;
  if ("any" in token) return true;
  const code = character.codePointAt(0)!;
  return (
    token.in.some(([from, to]) => from.codePointAt(0)! <= code && code <= to.codePointAt(0)!) !== token.not
  );
}
