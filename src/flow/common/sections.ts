import { trimEndOf } from "../../kernel/text/trim-end.ts";

/** One level-2 section of a Markdown text, as offsets into it (docs/spec/flow.md 9.1). */
export interface Section {
  /** The heading's exact text: what follows `## `, trailing blanks off. */
  name: string;
  /** First character of the heading line. */
  start: number;
  /** First character below the heading line. */
  body: number;
  /** First character of the next level-2 heading line, or the length of the text. */
  end: number;
}

/** One line of a text. */
export interface Line {
  /** Without its `\n`. */
  text: string;
  /** Of its first character. */
  start: number;
  /** Whether it is part of a fenced code block, its fences included. */
  fenced: boolean;
}

/**
 * The level-2 sections of a text in order: lines that begin with `## `, outside fenced code. A fence that is never closed
 * fences nothing, so that one forgotten line does not hide all headings below it. Linear.
 */
export function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  for (const line of linesOf(text)) {
    if (line.fenced || !line.text.startsWith("## ")) continue;
    const last = sections.at(-1);
    if (last !== undefined) last.end = line.start;
    sections.push({
      name: trimEndOf(line.text.slice(3), /[ \t\r]/),
      start: line.start,
      body: Math.min(line.start + line.text.length + 1, text.length),
      end: text.length,
    });
  }
  return sections;
}

/** The first section of this name; undefined when there is none. */
export function findSection(text: string, name: string): Section | undefined {
  return sectionsOf(text).find((section) => section.name === name);
}

/** What stands below the first heading of this name; undefined when there is none. */
export function sectionBody(text: string, name: string): string | undefined {
  const section = findSection(text, name);
  return section === undefined ? undefined : text.slice(section.body, section.end);
}

/** The lines of a text, cut at `\n` alone, each with whether it is fenced code. What follows the last `\n` is a line too. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    lines.push({ text: text.slice(start, end), start, fenced: false });
    start = end + 1;
  }
  markFences(lines);
  return lines;
}

interface Fence {
  mark: "`" | "~";
  length: number;
  /** Nothing but blanks follows: it can close. */
  bare: boolean;
  /** It can open: an info string after backticks holds none of them. */
  opens: boolean;
}

function markFences(lines: readonly Line[]): void {
  const fences = new Map<number, Fence>();
  for (const [index, { text }] of lines.entries()) {
    const fence = fenceOf(text);
    if (fence !== undefined) fences.set(index, fence);
  }
  if (fences.size === 0) return;
  const lastCloser = lastClosers(fences);
  let open: Fence | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = fences.get(index);
    if (open !== undefined) {
      line.fenced = true;
      if (fence?.bare && fence.mark === open.mark && fence.length >= open.length) open = undefined;
    } else if (fence?.opens && lastCloser(fence) > index) {
      line.fenced = true;
      open = fence;
    }
  }
}

/** For a fence, the last line that would close it: known beforehand, so that no opening fence is ever taken back. */
function lastClosers(fences: ReadonlyMap<number, Fence>): (fence: Fence) => number {
  const byMark = new Map<string, number[]>();
  for (const [index, { bare, length, mark }] of fences) {
    if (!bare) continue;
    const last = byMark.get(mark) ?? [];
    last[length] = index;
    byMark.set(mark, last);
  }
  for (const last of byMark.values()) {
    for (let length = last.length - 2; length >= 0; length--) {
      last[length] = Math.max(last[length] ?? -1, last[length + 1] ?? -1);
    }
  }
  return ({ length, mark }) => byMark.get(mark)?.[length] ?? -1;
}

const SHORTEST_FENCE = 3;
const DEEPEST_FENCE = 3;

function fenceOf(line: string): Fence | undefined {
  let at = 0;
  while (at < DEEPEST_FENCE && line[at] === " ") at++;
  const mark = line[at];
  if (mark !== "`" && mark !== "~") return undefined;
  const first = at;
  while (line[at] === mark) at++;
  const length = at - first;
  if (length < SHORTEST_FENCE) return undefined;
  const rest = line.slice(at);
  return { mark, length, bare: rest.trim() === "", opens: mark === "~" || !rest.includes("`") };
}
