import { isNameCode } from "../shell/marks.ts";

/** A string literal of Python. */
export interface Literal {
  /** Its text; escapes that make no blank, quote or backslash stay as they are written. */
  value: string;
  /** Where it ends, behind its closing quote; before the newline that ends one left open. */
  end: number;
  closed: boolean;
}

const BLANKS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** The literal whose opening quote stands here; `raw` as after the prefix `r`. */
export function readLiteral(text: string, from: number, raw: boolean): Literal {
  const single = text[from]!;
  const quote = text.startsWith(single.repeat(3), from) ? single.repeat(3) : single;
  const long = quote.length === 3;
  const pieces: string[] = [];
  let at = from + quote.length;
  let run = at;
  while (at < text.length) {
    const character = text[at]!;
    if (character === "\\") {
      const next = text[at + 1] ?? "";
      if (!raw && isEscape(next)) {
        pieces.push(text.slice(run, at), next === "\n" ? "" : (BLANKS[next] ?? next));
        run = at + 2;
      }
      at += 2;
    } else if (character === single && (!long || text.startsWith(quote, at))) {
      pieces.push(text.slice(run, at));
      return { value: pieces.join(""), end: at + quote.length, closed: true };
    } else if (character === "\n" && !long) break;
    else at++;
  }
  const end = Math.min(at, text.length);
  pieces.push(text.slice(run, end));
  return { value: pieces.join(""), end, closed: false };
}

function isEscape(next: string): boolean {
  return next === "\\" || next === "'" || next === '"' || next === "\n" || Object.hasOwn(BLANKS, next);
}

/** Whether a name right before a quote is the prefix of a literal: `r`, `b`, `f`, `u` and two of them together. */
export function isPrefix(name: string): boolean {
  if (name.length > 2) return false;
  for (const letter of name) if (!"rbfuRBFU".includes(letter)) return false;
  return name !== "";
}

export const isRaw = (prefix: string) => prefix.includes("r") || prefix.includes("R");

/** Where a dotted name that begins here ends: `os.path.join`. */
export function dottedEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const start = at;
    while (at < text.length && isNameCode(text.charCodeAt(at), at === start)) at++;
    if (text[at] !== "." || !isNameCode(text.charCodeAt(at + 1), true)) return at;
    at++;
  }
}

/** Where something else than a blank follows; `lines` skips newlines too. */
export function behindBlanks(text: string, from: number, lines: boolean): number {
  let at = from;
  for (; at < text.length; at++) {
    const character = text[at];
    if (character === " " || character === "\t" || (lines && (character === "\n" || character === "\r")))
      continue;
    break;
  }
  return at;
}
