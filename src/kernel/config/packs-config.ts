/**
 * The `packs:` block of a config file (docs/spec/packs.md section 4), read by line for a documented subset of YAML so that
 * trouble elsewhere in the file does not hide packs. Shared by `packs`, and by `config get packs` and `config check`.
 */

export const PACK_ENTRY_KEYS = ["id", "pack", "path", "ref", "source"] as const;

export type PackEntryKey = (typeof PACK_ENTRY_KEYS)[number];

/** Text; a boolean where one string was meant; a list from `[a, b]` or, for `pack`, from `- item` lines. */
export type PackValue = string | boolean | string[];

export interface PackEntry {
  /** Name of the config file. */
  file: string;
  /** 1-based line of the entry's `-`. */
  line: number;
  values: Partial<Record<PackEntryKey, PackValue>>;
  /** A value outside the subset was reported; the entry counts but installs nothing. */
  unusable: boolean;
}

export interface PackProblem {
  file: string;
  line: number;
  /** Passwords in URLs are masked. */
  message: string;
}

export interface PackDeclarations {
  entries: PackEntry[];
  errors: PackProblem[];
  warnings: PackProblem[];
}

/** `<file>:<line>: <message>`, the form every message about an entry has. */
export function labelled(problem: PackProblem): string {
  return `${problem.file}:${problem.line}: ${problem.message}`;
}

/** The password of `scheme://user:password@` replaced by `***`, wherever a URL stands in the text. */
export function maskPasswords(text: string): string {
  // Not from the scheme on: each letter of a long word would begin one.
  return text.replaceAll(/(:\/\/[^\s/:@]*):[^\s/]*@/g, "$1:***@");
}

/** Read the block of one file. Never throws; problems carry the offending line. */
export function readPacksBlock(text: string, file: string): PackDeclarations {
  const entries: PackEntry[] = [];
  const errors: PackProblem[] = [];
  const warnings: PackProblem[] = [];
  let inBlock = false;
  let blocks = 0;
  let entry: PackEntry | undefined;
  /** The list of an entry's bare `pack:`, while its `- item` lines may follow. */
  let items: string[] | undefined;

  const source = text.startsWith("\ufeff") ? text.slice(1) : text;
  source.split("\n").forEach((raw, index) => {
    const line = withoutComment(raw).trimEnd();
    if (line.trim() !== "") readLine(line, index + 1);
  });
  return { entries, errors, warnings };

  function report(line: number, message: string): void {
    errors.push({ file, line, message: maskPasswords(message) });
  }

  /** A construct outside the subset: the entry stays counted and installs nothing. */
  function unsupported(line: number, what: string): void {
    report(line, `unsupported YAML under packs: ${what}`);
    if (entry !== undefined) entry.unusable = true;
  }

  function readLine(line: string, number: number): void {
    const text = line.trim();
    if (!/^[ \t-]/.test(line)) {
      readTopLevel(line, number);
    } else if (!inBlock) {
      // Another key's value.
    } else if (/^-([ \t]|$)/.test(text)) {
      readDash(text, number);
    } else if (entry === undefined) {
      report(number, `unrecognized line under packs: ${quoted(text)} -- expected a \`- source: ...\` entry`);
    } else if (!text.includes(":")) {
      report(number, `unrecognized line under packs: ${quoted(text)} -- expected \`key: value\``);
    } else {
      readKey(entry, text, number);
    }
  }

  function readTopLevel(line: string, number: number): void {
    inBlock = false;
    entry = undefined;
    items = undefined;
    if (/^(["'])packs\1[ \t]*:/.test(line)) unsupported(number, "quoted packs key");
    const value = /^packs[ \t]*:(.*)$/.exec(line)?.[1]?.trim();
    if (value === undefined) return;
    if (++blocks > 1) {
      const message = "a second `packs:` block, read as a continuation of the first";
      warnings.push({ file, line: number, message });
    }
    inBlock = value === "" || value === "[]";
    if (!inBlock) {
      report(number, `\`packs:\` must be a block list of \`- source: ...\` entries (got ${quoted(line)})`);
    }
  }

  function readDash(text: string, number: number): void {
    const rest = text.slice(1).trim();
    if (items !== undefined && rest !== "" && !rest.includes(":")) {
      const value = readValue(rest, number);
      if (value !== undefined) items.push(typeof value === "string" ? value : rest);
      return;
    }
    entry = { file, line: number, values: {}, unusable: false };
    entries.push(entry);
    items = undefined;
    if (rest.includes(":")) readKey(entry, rest, number);
    else if (rest !== "") {
      report(number, `unrecognized packs entry ${quoted(text)} -- expected \`key: value\``);
    }
  }

  function readKey(into: PackEntry, text: string, number: number): void {
    items = undefined;
    const colon = text.indexOf(":");
    const key = text.slice(0, colon).trim();
    const raw = text.slice(colon + 1).trim();
    if (!isEntryKey(key)) {
      const accepted = PACK_ENTRY_KEYS.join(", ");
      report(number, `unknown packs entry key ${quoted(`${key}:`)} -- accepted keys: ${accepted}`);
    } else if (into.values[key] !== undefined) {
      unsupported(number, "duplicate key");
    } else if (key === "id" && unquoted(raw) === "") {
      unsupported(number, "empty id");
    } else if (key === "pack" && raw === "") {
      items = [];
      into.values.pack = items;
    } else {
      const value = readValue(raw, number);
      // An id may well be called true; only the single-string keys mind (shapeProblem).
      if (value !== undefined) into.values[key] = key === "pack" && typeof value === "boolean" ? raw : value;
    }
  }

  /** Undefined after a problem was reported. */
  function readValue(raw: string, number: number): PackValue | undefined {
    const construct = constructOf(raw);
    if (construct !== undefined) {
      unsupported(number, construct);
      return undefined;
    }
    if (!isFlowList(raw)) return scalar(raw);
    const parts = splitFlowList(raw.slice(1, -1));
    const strange = parts.map(constructOf).find((found) => found !== undefined);
    if (strange !== undefined) {
      unsupported(number, strange);
      return undefined;
    }
    return parts.map(unquoted);
  }
}

/** Offending text in backticks, cut so that one line stays one line; a cut password could not be told any more. */
function quoted(text: string): string {
  const masked = maskPasswords(text);
  return `\`${masked.length > 200 ? `${masked.slice(0, 199)}…` : masked}\``;
}

function isEntryKey(key: string): key is PackEntryKey {
  return (PACK_ENTRY_KEYS as readonly string[]).includes(key);
}

const CONSTRUCTS: Record<string, string> = {
  "|": "block scalar",
  ">": "block scalar",
  "&": "anchor",
  "*": "alias",
  "!": "tag",
  "{": "flow mapping",
};

/** What kind of YAML outside the subset a value begins, undefined for a value of the subset. */
function constructOf(raw: string): string | undefined {
  const first = raw.charAt(0);
  if (Object.hasOwn(CONSTRUCTS, first)) return CONSTRUCTS[first];
  const closes = first === "[" ? closesList(raw) : !isQuote(first) || raw.indexOf(first, 1) > 0;
  return closes ? undefined : "multi-line value";
}

function closesList(raw: string): boolean {
  let closed = false;
  scanText(raw, (character) => {
    if (character === "]") closed = true;
  });
  return closed;
}

function isFlowList(raw: string): boolean {
  return raw.startsWith("[") && raw.endsWith("]");
}

function scalar(raw: string): string | boolean {
  if (/^true$/i.test(raw)) return true;
  if (/^false$/i.test(raw)) return false;
  return unquoted(raw);
}

/** One pair of surrounding equal quotes removed; what is inside is plain text. */
function unquoted(raw: string): string {
  const first = raw.charAt(0);
  return raw.length > 1 && isQuote(first) && raw.endsWith(first) ? raw.slice(1, -1) : raw;
}

function splitFlowList(inner: string): string[] {
  const parts: string[] = [];
  let start = 0;
  scanText(inner, (character, at) => {
    if (character !== ",") return;
    parts.push(inner.slice(start, at));
    start = at + 1;
  });
  parts.push(inner.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** The line up to its comment: a `#` at the start or after a blank, outside quotes. */
function withoutComment(line: string): string {
  let end = line.length;
  scanText(line, (character, at) => {
    if (character === "#" && at < end && (at === 0 || isBlank(line.charAt(at - 1)))) end = at;
  });
  return line.slice(0, end);
}

/**
 * Visit the characters outside quotes. A quote opens only at the start or after a blank, `[`, `,` or `:`, and only when
 * it also closes: an apostrophe inside a word is text.
 */
function scanText(text: string, visit: (character: string, at: number) => void): void {
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (isQuote(character) && (at === 0 || /[ \t[,:]/.test(text.charAt(at - 1)))) {
      const end = text.indexOf(character, at + 1);
      if (end > 0) {
        at = end;
        continue;
      }
    }
    visit(character, at);
  }
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'";
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}

/** The shape checks of docs/spec/packs.md 5.1: the first failure of an entry, or undefined. Unusable entries are not checked. */
export function shapeProblem(entry: PackEntry): PackProblem | undefined {
  if (entry.unusable) return undefined;
  const problem = (message: string) => ({
    file: entry.file,
    line: entry.line,
    message: maskPasswords(message),
  });
  for (const key of ["source", "ref", "path", "id"] as const) {
    const value = entry.values[key];
    if (value !== undefined && typeof value !== "string") {
      return problem(`\`${key}:\` must be a single string (got ${JSON.stringify(value)})`);
    }
    // What the file has there was replaced when it was read, and would name something else.
    if (value?.includes("\ufffd")) return problem(`\`${key}:\` is not valid UTF-8`);
  }
  return entry.values.source ? undefined : problem("entry has no `source:`");
}

/** The entry as `config get packs` prints it: the declared keys alone, passwords masked. */
export function packEntryValue(entry: PackEntry): Record<string, PackValue> {
  const masked = (value: PackValue) => {
    if (typeof value === "boolean") return value;
    return typeof value === "string" ? maskPasswords(value) : value.map(maskPasswords);
  };
  return Object.fromEntries(Object.entries(entry.values).map(([key, value]) => [key, masked(value)]));
}
