/** The entries of a backlog file: Markdown written by people (docs/spec/craft-run.md 8.1). */
import { headingOf } from "../common/heading.ts";

export type EntryState = "open" | "active" | "done";

export interface BacklogEntry {
  /** 1-based. */
  line: number;
  /** The bold label, or the text up to its first dash or colon. */
  title: string;
  label: string | undefined;
  /** What it begins with when that is an identifier: `P7`, `#42`, `ABC-1.2`. */
  id: string | undefined;
  /** The whole text, a paragraph a line. */
  brief: string;
  /** As written, for marks. */
  raw: string;
  state: EntryState;
  /** The headings it stands under, outermost first. */
  headings: readonly string[];
}

const CHECKBOX = /^( *)(?:[-*+]|\d+[.)])[ \t]+\[([ ~xX])\](?:[ \t]+|$)(.*)$/;
const BOLD_ITEM = /^( *)(?:[-*+]|\d+[.)])[ \t]+(\*\*\S.*)$/;
const BOLD_PARAGRAPH = /^( {0,3})(\*\*\S.*)$/;
const LABEL = /^\*\*((?:(?!\*\*).)+)\*\*/;

/** An identifier at the start of a text; the rest of a longer word is none. */
export const IDENTIFIER = String.raw`(?:[A-Za-z]+-?\d+(?:\.\d+)*|#\d+)(?![A-Za-z0-9])`;
const LEADING_IDENTIFIER = new RegExp(`^${IDENTIFIER}`);

interface Open {
  line: number;
  indent: number;
  box: string | undefined;
  /** The first line without its marker. */
  first: string;
  rest: string[];
  headings: readonly string[];
}

/**
 * The entries in file order: checkbox items, and list items and paragraphs that begin with a bold label, each with what
 * follows up to the next entry or heading. What is indented below an entry belongs to it. Fences of code and HTML comments
 * hold none.
 */
export function backlogEntries(text: string): BacklogEntry[] {
  const entries: BacklogEntry[] = [];
  const headings: { level: number; text: string }[] = [];
  let open: Open | undefined;
  let previousBlank = true;
  const close = () => {
    if (open !== undefined) entries.push(finished(open));
    open = undefined;
  };
  for (const { line, text: content, prose } of proseLines(text)) {
    const heading = prose ? headingOf(content) : undefined;
    const start =
      prose && heading === undefined ? startOf(content, previousBlank || open === undefined) : undefined;
    if (heading !== undefined) {
      close();
      while (headings.length > 0 && headings.at(-1)!.level >= heading.level) headings.pop();
      headings.push({ level: heading.level, text: plain(heading.words) });
    } else if (start !== undefined && (open === undefined || start.indent <= open.indent)) {
      close();
      open = { ...start, line, rest: [], headings: headings.map((one) => one.text) };
    } else open?.rest.push(content);
    previousBlank = content.trim() === "";
  }
  close();
  return entries;
}

function startOf(
  line: string,
  mayBeParagraph: boolean,
): Omit<Open, "line" | "rest" | "headings"> | undefined {
  const box = CHECKBOX.exec(line);
  if (box !== null) return { indent: box[1]!.length, box: box[2]!.toLowerCase(), first: box[3]! };
  const item = BOLD_ITEM.exec(line) ?? (mayBeParagraph ? BOLD_PARAGRAPH.exec(line) : null);
  if (item === null || !LABEL.test(item[2]!)) return undefined;
  return { indent: item[1]!.length, box: undefined, first: item[2]! };
}

/** The lines of a text; `prose` is false in fences of code and in comments, whose text is taken out. */
function proseLines(text: string): { line: number; text: string; prose: boolean }[] {
  let fence: string | undefined;
  let comment = false;
  return text.split("\n").map((raw, index) => {
    let content = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const line = index + 1;
    if (fence === undefined) {
      const began = comment;
      [content, comment] = withoutComments(content, comment);
      if (began && content.trim() === "") return { line, text: "", prose: false };
    }
    const marks = /^ *(`{3,}|~{3,})(.*)$/.exec(content);
    if (marks === null) return { line, text: content, prose: fence === undefined };
    if (fence === undefined) fence = marks[1]!;
    else if (marks[1]!.startsWith(fence) && marks[2]!.trim() === "") fence = undefined;
    return { line, text: content, prose: false };
  });
}

function withoutComments(line: string, inside: boolean): [text: string, inside: boolean] {
  let kept = "";
  let at = 0;
  let within = inside;
  while (at <= line.length) {
    const next = line.indexOf(within ? "-->" : "<!--", at);
    if (!within) kept += line.slice(at, next < 0 ? undefined : next);
    if (next < 0) break;
    if (!within && isInCode(kept)) {
      kept += "<!--";
      at = next + 4;
      continue;
    }
    at = next + (within ? 3 : 4);
    within = !within;
  }
  return [kept, within];
}

/** Whether a text ends inside backticks. */
function isInCode(text: string): boolean {
  return text.split("`").length % 2 === 0;
}

function finished({ line, box, first, rest, headings }: Open): BacklogEntry {
  const label = LABEL.exec(first)?.[1]?.trim();
  const named = label === undefined ? undefined : plain(label).replace(/[:.]$/, "");
  const words = plain(first);
  const title = named ?? words.split(/ — |: /, 1)[0]!.trim();
  const after = label === undefined ? "" : first.slice(first.indexOf("**", 2) + 2);
  return {
    line,
    title,
    label: named,
    id: LEADING_IDENTIFIER.exec(named ?? words)?.[0],
    brief: unwrapped([first, ...rest]),
    raw: [first, ...rest].join("\n"),
    state: stateOf(box, after, headings),
    headings,
  };
}

const DONE_WORDS = /^[\s—–:.,()*_-]*(?:delivered|closed|done|retired|won['’]t[- ]do)\b/i;

function stateOf(box: string | undefined, after: string, headings: readonly string[]): EntryState {
  if (box !== undefined) return box === "x" ? "done" : box === "~" ? "active" : "open";
  const closed = headings.some((heading) => /^closed\b/i.test(heading));
  return closed || DONE_WORDS.test(after) ? "done" : "open";
}

/** A paragraph or list item a line; blank lines between paragraphs stay. */
function unwrapped(lines: readonly string[]): string {
  let text = "";
  let startsLine = true;
  for (const line of lines) {
    const words = clean(line.trim());
    const item = /^(?:[-*+]|\d+[.)])\s/.test(words) || /^(?:`{3,}|~{3,})/.test(words);
    if (words === "") {
      text += startsLine ? "" : "\n\n";
      startsLine = true;
    } else {
      text += startsLine ? words : `${item ? "\n" : " "}${words}`;
      startsLine = false;
    }
  }
  return text.trim();
}

/** A text without bold marks, backticks and control characters. */
export function plain(text: string): string {
  return clean(text)
    .replaceAll(/\*\*|`/g, "")
    .trim();
}

const clean = (text: string) =>
  text.replaceAll("\t", " ").replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "");

/** What an entry can be called by: its label, its leading identifier, its title. */
export function namesOf({ label, id, title }: BacklogEntry): Set<string> {
  return new Set([label, id, title].filter((name): name is string => name !== undefined && name !== ""));
}

/** The entries an id means. */
export function entriesWithId(entries: readonly BacklogEntry[], id: string): BacklogEntry[] {
  const wanted = plain(id).replace(/[:.]$/, "");
  return entries.filter((entry) => namesOf(entry).has(wanted));
}
