import { byCodePoint } from "../../../kernel/text/code-point-order.ts";
import { CONCERNS, type Concern } from "../store/concerns.ts";
import { dateOf, type Entry } from "../store/entry.ts";
import { emptyBytes, entryBytes } from "../store/write-store.ts";

/** Of how many of the newest entries the least sure one has to go. */
const WINDOW = 50;

export interface Caps {
  maxEntries: number;
  /** Bytes of the whole file. */
  maxBytes: number;
}

/** Takes entries out until the store is within its caps (docs/spec/craft-run.md 5.4); gives how many. */
export function evictOverCap(entries: Record<Concern, Entry[]>, { maxEntries, maxBytes }: Caps): number {
  const all = CONCERNS.flatMap((concern) => entries[concern]);
  const place = new Map(all.map((entry, index) => [entry, index]));
  // Newest first; of one day, those that come first in the file.
  const newest = all.toSorted((a, b) => byCodePoint(dateOf(b), dateOf(a)) || place.get(a)! - place.get(b)!);
  const left = new Map<Concern, number>(CONCERNS.map((concern) => [concern, entries[concern].length]));
  const isEmpty = (concern: Concern) => left.get(concern) === 0;
  let bytes = Number.isFinite(maxBytes) ? newest.reduce((sum, entry) => sum + entryBytes(entry), 0) : 0;
  const gone = new Set<Entry>();
  const window = newest.slice(0, WINDOW);
  let next = window.length;
  const isOver = () => newest.length - gone.size > maxEntries || bytes + emptyBytes(isEmpty) > maxBytes;
  while (window.length > 0 && isOver()) {
    const least = window.reduce((a, b) => (goesFirst(b, a) ? b : a));
    window.splice(window.indexOf(least), 1);
    if (next < newest.length) window.push(newest[next++]!);
    gone.add(least);
    left.set(least.concern, left.get(least.concern)! - 1);
    if (Number.isFinite(maxBytes)) bytes -= entryBytes(least);
  }
  for (const concern of CONCERNS) entries[concern] = entries[concern].filter((entry) => !gone.has(entry));
  return gone.size;

  function goesFirst(a: Entry, b: Entry): boolean {
    if (a.confidence !== b.confidence) return a.confidence < b.confidence;
    return (byCodePoint(dateOf(a), dateOf(b)) || place.get(a)! - place.get(b)!) < 0;
  }
}
