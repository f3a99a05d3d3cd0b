/** Whether a piece of Markdown keeps within the limits, judged from its lines before a parser sees it. */
import {
  BeyondLimit,
  LONG_TEXT,
  MAX_MARKDOWN_DEPTH,
  MAX_MARKS,
  MAX_MARKS_IN_LONG_TEXT,
  MAX_QUOTE_CHANGES,
  MAX_RUN,
  MAX_UNDERLINES,
} from "../limits.ts";

/** Check nesting, quotations and underlines of `lines` from index `start` to `end`. Throws `BeyondLimit`. */
export function checkBlocks(lines: readonly string[], start: number, end: number): void {
  const indents: number[] = [];
  let quotes = 0;
  let changes = 0;
  let underlines = 0;
  for (let index = start; index < end; index++) {
    const line = lines[index]!;
    const markers = markersOf(line);
    if (markers.quotes !== quotes && ++changes > MAX_QUOTE_CHANGES)
      throw new BeyondLimit(index + 1, `more than ${MAX_QUOTE_CHANGES} changes into and out of quotations`);
    quotes = markers.quotes;
    if (/^[\s>]*(?:=+|-+)\s*$/.test(line) && ++underlines > MAX_UNDERLINES)
      throw new BeyondLimit(index + 1, `more than ${MAX_UNDERLINES} lines of only = or -`);
    const [first] = markers.lists;
    if (first !== undefined) {
      // An item further to the left ends those it does not stand in.
      while (indents.length > 0 && indents.at(-1)! >= first) indents.pop();
      indents.push(...markers.lists.slice(0, MAX_MARKDOWN_DEPTH + 1));
    }
    if (indents.length + quotes > MAX_MARKDOWN_DEPTH)
      throw new BeyondLimit(
        index + 1,
        `lists and quotations nested deeper than ${MAX_MARKDOWN_DEPTH} levels`,
      );
  }
}

const THEMATIC = /^[\s>]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** The quotation marks at the beginning of a line, and the columns of its list markers. */
function markersOf(line: string): { quotes: number; lists: number[] } {
  let quotes = 0;
  const lists: number[] = [];
  const isBreak = THEMATIC.test(line);
  let column = 0;
  for (let at = 0; at < line.length; ) {
    const character = line[at]!;
    const length = character === ">" ? 1 : isBreak ? 0 : listMarkerLength(line, at);
    if (character === "\t") column += 4 - (column % 4);
    else if (character === " ") column += 1;
    else if (length === 0) break;
    else if (character === ">") quotes += 1;
    else lists.push(column);
    column += Math.max(0, length);
    at += Math.max(1, length);
  }
  return { quotes, lists };
}

/** Length of a bullet or number with something to set it off behind it; 0 when there is none. */
function listMarkerLength(line: string, at: number): number {
  const character = line[at]!;
  if (character === "-" || character === "*" || character === "+") return isSetOff(line, at + 1) ? 1 : 0;
  let end = at;
  while (end < at + 9 && line[end]! >= "0" && line[end]! <= "9") end += 1;
  if (end === at || (line[end] !== "." && line[end] !== ")")) return 0;
  return isSetOff(line, end + 1) ? end + 1 - at : 0;
}

function isSetOff(line: string, at: number): boolean {
  return at >= line.length || line[at] === " " || line[at] === "\t";
}

const KINDS = ["emphasis marks (* _ ~)", "brackets", "< signs", "backticks"] as const;
const KIND: Readonly<Record<string, number>> = {
  "*": 0,
  _: 0,
  "~": 0,
  "[": 1,
  "]": 1,
  "<": 2,
  "`": 3,
};

/** Whether a text has so few marks that no part of it can have too many. */
export function hasFewMarks(text: string): boolean {
  if (text.length > LONG_TEXT) return false;
  let count = 0;
  for (let at = 0; at < text.length; at++) if (KIND[text[at]!] !== undefined) count += 1;
  return count <= MAX_MARKS;
}

/** Check the marks of one paragraph, heading or cell. Throws `BeyondLimit`. */
export function checkMarks(text: string, line: number): void {
  const counts = [0, 0, 0, 0];
  const most = text.length > LONG_TEXT ? MAX_MARKS_IN_LONG_TEXT : MAX_MARKS;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = KIND[text[at]!];
    run = kind === 0 && text[at] === text[at - 1] ? run + 1 : 1;
    if (kind === undefined) continue;
    if (kind === 0 && run > MAX_RUN)
      throw new BeyondLimit(line, `more than ${MAX_RUN} '${text[at]}' in a row in a text`);
    counts[kind]! += 1;
    if (counts[kind]! > most)
      throw new BeyondLimit(line, `more than ${most} ${KINDS[kind]} in one paragraph`);
  }
}
