import { isRecord } from "../page/json.ts";
import * as page from "../page/page.ts";
import { hashOf } from "./hash.ts";
import type { Sight } from "./sight.ts";
import { type Key, numbered, siblingsOf, thingsAround } from "./things.ts";

/** What a note keeps to find its target again, texts as hashes (docs/spec/web.md 15.10). */
export interface Print {
  v: 1;
  tag: string;
  own: string;
  /** Elements of the tag with the same own text: in the thing, which of them, and in the document (2: several). */
  count: number;
  nth: number;
  all: number;
  empty: boolean;
  key: Key | null;
  /** From the thing down: tag, place and number of that tag at each step. */
  path: [string, number, number][];
  /** Innermost first. */
  things: ThingPrint[];
}

/** One thing around the target. */
export interface ThingPrint {
  tag: string;
  length: number;
  text: string;
  /** Elements of the tag with the same text: in the document, which of them; the same in the outer thing. */
  count: number;
  nth: number;
  inner: number;
  innerNth: number;
  /** The texts of the elements beside it; null where there is none. */
  before: string | null;
  after: string | null;
  key: Key | null;
  head: string;
  /** Elements in the outer thing, or the document, with this head (2: several). */
  heads: number;
  /** The siblings' texts around it, eight characters each, and its own place among them. */
  siblings: string;
  place: number;
  /** There are more siblings before, or after. */
  cut: [boolean, boolean];
  /** It is the only one of its tag. */
  only: boolean;
}

const PRINT_BYTES = 2048;

/** Make the print of a target as the page is now. */
export function printOf(target: Element, variant: string | null, sight: Sight): Print {
  for (let width = 20; ; width = Math.floor(width / 2)) {
    const print = printWith(target, variant, sight, width);
    if (width === 0 || JSON.stringify(print).length <= PRINT_BYTES) return print;
  }
}

const few = (count: number): number => Math.min(count, 2);

function printWith(target: Element, variant: string | null, sight: Sight, width: number): Print {
  const pool = sight.pool(variant);
  const around = thingsAround(target);
  const [thing] = around;
  const tag = page.tagOf(target);
  const own = sight.ownOf(target);
  const same = pool.inside(thing!, tag).filter((element) => sight.ownOf(element) === own);
  return {
    v: 1,
    tag,
    own: hashOf(own),
    count: same.length,
    nth: same.indexOf(target),
    all: few(pool.of(tag).filter((element) => sight.ownOf(element) === own).length),
    empty: own === "",
    key: pool.keyOf(target),
    path: thing === target ? [] : pathFrom(thing!, target),
    things: around.map((one, at) => thingPrint(one, around[at + 1] ?? null, target, variant, sight, width)),
  };
}

function thingPrint(
  thing: Element,
  outer: Element | null,
  target: Element,
  variant: string | null,
  sight: Sight,
  width: number,
): ThingPrint {
  const pool = sight.pool(variant);
  const tag = page.tagOf(thing);
  const text = sight.textOf(thing);
  const same = pool.withText(tag, text.length, sight.hashOf(thing));
  const within = outer === null ? [] : pool.inside(outer, tag);
  const inner = same.filter((element) => within.includes(element));
  const head = usableHead(thing, sight.headOf(thing, target), sight);
  const siblings = siblingsOf(thing);
  const at = siblings.indexOf(thing);
  const from = Math.max(0, at - width);
  const to = Math.min(siblings.length, at + width + 1);
  const beside = (element: Element | null) => (element === null ? null : sight.hashOf(element));
  return {
    tag,
    length: text.length,
    text: sight.hashOf(thing),
    count: same.length,
    nth: same.indexOf(thing),
    inner: inner.length,
    innerNth: inner.indexOf(thing),
    before: beside(page.previousOf(thing)),
    after: beside(page.nextOf(thing)),
    key: pool.keyOf(thing),
    head: head === "" ? "" : hashOf(head),
    heads:
      head === ""
        ? 0
        : few(pool.inside(outer, tag).filter((element) => sight.headOf(element, null) === head).length),
    siblings: siblings
      .slice(from, to)
      .map((one) => sight.hashOf(one))
      .join(""),
    place: at - from,
    cut: [from > 0, to < siblings.length],
    only: pool.of(tag).length === 1,
  };
}

/** A head that only counts (`Step 3`) says nothing of which thing it is. */
function usableHead(thing: Element, head: string, sight: Sight): string {
  if (head === "") return "";
  const plain = numbered(head);
  const counts = siblingsOf(thing).some((other) => {
    if (other === thing) return false;
    const its = sight.headOf(other, null);
    return its !== head && numbered(its) === plain;
  });
  return counts ? "" : head;
}

function pathFrom(thing: Element, target: Element): Print["path"] {
  const path: Print["path"] = [];
  for (let element: Element | null = target; element !== null && element !== thing; ) {
    const siblings = siblingsOf(element);
    path.unshift([page.tagOf(element), siblings.indexOf(element), siblings.length]);
    element = page.holderOf(element);
  }
  return path;
}

/** A print from a record; null for what is none: records may come from any sender. */
export function readPrint(value: unknown): Print | null {
  if (!isRecord(value) || value["v"] !== 1) return null;
  const { path, things } = value;
  const isLists = Array.isArray(path) && path.every(Array.isArray) && Array.isArray(things);
  return isLists && things.length > 0 && things.every(isThing) ? (value as unknown as Print) : null;
}

const isThing = (value: unknown): boolean =>
  isRecord(value) &&
  ["tag", "text", "siblings", "head"].every((name) => typeof value[name] === "string") &&
  Array.isArray(value["cut"]);
