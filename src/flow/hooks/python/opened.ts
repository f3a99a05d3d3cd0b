import { behindBlanks, isPrefix, isRaw, readLiteral } from "./literal.ts";

/** Longest path a system takes is far below this: what is longer names no file. */
const LONGEST_PATH = 8_192;

/** The literals that stand as `open('P'` or `Path('P').write_text(` anywhere in a text, also inside another literal. */
export function openedPaths(text: string): string[] {
  return [...argumentsOf(text, "open", () => true), ...argumentsOf(text, "Path", isWritten)];
}

/** The literal first arguments of a function, where what follows the literal is as wanted. Linear in the text. */
function argumentsOf(text: string, name: string, wanted: (text: string, end: number) => boolean): string[] {
  const found: string[] = [];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const bracket = behindBlanks(text, at + name.length, false);
    if (text[bracket] !== "(") continue;
    const start = behindBlanks(text, bracket + 1, true);
    const quote = quoteAt(text, start);
    if (quote === undefined) continue;
    // Only so far: another quote of the kind may never come.
    const near = text.slice(quote, quote + LONGEST_PATH);
    const { closed, end, value } = readLiteral(near, 0, isRaw(text.slice(start, quote)));
    if (closed && wanted(text, quote + end)) found.push(value);
  }
  return found;
}

/** Where the opening quote stands, behind a prefix or not. */
function quoteAt(text: string, start: number): number | undefined {
  for (let at = start; at <= start + 2; at++) {
    if (text[at] === "'" || text[at] === '"')
      return at === start || isPrefix(text.slice(start, at)) ? at : undefined;
  }
  return undefined;
}

/** `).write_text(` */
function isWritten(text: string, end: number): boolean {
  let at = end;
  for (const part of [")", ".", "write_text", "("]) {
    at = behindBlanks(text, at, true);
    if (!text.startsWith(part, at)) return false;
    at += part.length;
  }
  return true;
}
