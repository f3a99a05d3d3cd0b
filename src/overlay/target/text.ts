/** Text with every run of whitespace as one space, and none at the ends. */
export const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The first `length` UTF-16 units, never half of a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Like `clip`, with an ellipsis for a reader. */
export const ellipsis = (text: string, length: number): string =>
  text.length <= length ? text : `${clip(text, length - 1).trimEnd()}…`;

export const orNull = (text: string): string | null => (text === "" ? null : text);

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** Whether the text of an element may be the text a note was made on (15.10 step 5). */
export function resembles(current: string, stored: string | null): boolean {
  if (stored === null) return true;
  const now = fold(current);
  const then = fold(stored);
  if (then === "" || now === then) return true;
  return now !== "" && (now.includes(then) || then.includes(now));
}

/** Where a quote stands in a text: the place whose surroundings fit best, or null. */
export function findQuote(
  text: string,
  quote: { exact: string; prefix: string; suffix: string },
): { start: number; end: number } | null {
  const { folded, places } = foldWithPlaces(text);
  const exact = fold(quote.exact);
  if (exact === "") return null;
  let best: { at: number; score: number } | null = null;
  for (let at = folded.indexOf(exact); at !== -1; at = folded.indexOf(exact, at + 1)) {
    const score =
      commonEnd(folded.slice(0, at).trimEnd(), fold(quote.prefix)) +
      commonStart(folded.slice(at + exact.length).trimStart(), fold(quote.suffix));
    if (best === null || score > best.score) best = { at, score };
  }
  if (best === null) return null;
  return { start: places[best.at]!, end: places[best.at + exact.length - 1]! + 1 };
}

/** Folded text, and for each of its units the place in the original it came from. */
function foldWithPlaces(text: string): { folded: string; places: number[] } {
  let folded = "";
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const space = /\s/.test(text[at]!);
    if (space && (folded === "" || folded.endsWith(" "))) continue;
    folded += space ? " " : text[at]!;
    places.push(at);
  }
  return { folded, places };
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function commonEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[a.length - 1 - length] === b[b.length - 1 - length])
    length++;
  return length;
}
