import * as page from "../page/page.ts";
import { isPlainClass } from "./names.ts";

/** Elements whose border is none for the reader: no space in the text around them. */
export const STANDS_IN_TEXT = new Set(
  "a abbr b code em i kbd label mark q s small span strong sub sup time u".split(" "),
);
/** Elements whose text is not said, or is what somebody typed. */
export const SILENT = new Set("script style template noscript textarea select".split(" "));
const ITEMS = new Set("tr li option article dt".split(" "));
const ITEM_ROLES = new Set("row listitem option article treeitem".split(" "));
const NEVER = new Set("td th body html button input img svg canvas video audio".split(" "));

/** A name and value that tell an element from the others of its tag. */
export type Key = readonly [name: string, value: string];

const shapeOf = (element: Element): string =>
  `${page.tagOf(element)} ${page.classesOf(element).filter(isPlainClass).sort().join(".")}`;

/** Whether an element is one of several: a row, a card, a paragraph (docs/spec/web.md 15.10). */
function repeats(element: Element): boolean {
  const tag = page.tagOf(element);
  if (tag === "td" || tag === "th" || tag === "body" || tag === "html") return false;
  if (ITEMS.has(tag) || ITEM_ROLES.has(page.attribute(element, "role") ?? "")) return true;
  if (STANDS_IN_TEXT.has(tag) || NEVER.has(tag)) return false;
  const shape = shapeOf(element);
  return siblingsOf(element).some((other) => other !== element && shapeOf(other) === shape);
}

const MOST_THINGS = 3;

/** The innermost things around a target within its variant, itself first if it is one; the target itself when there is none. */
export function thingsAround(target: Element): Element[] {
  const found: Element[] = [];
  const document = page.documentOf(target);
  for (
    let element: Element | null = target;
    element !== null && found.length < MOST_THINGS && page.documentOf(element) === document;
    element = page.attribute(element, "data-ce-variant") ? null : page.holderOf(element)
  )
    if (repeats(element)) found.push(element);
  return found.length === 0 ? [target] : found;
}

/** The elements of an element's tag that have its parent, itself among them. */
export function siblingsOf(element: Element): Element[] {
  const parent = page.parentOf(element);
  if (parent === null) return [element];
  const tag = page.tagOf(element);
  const found: Element[] = [];
  for (let child = page.firstChildOf(parent); child !== null; child = page.nextOf(child))
    if (page.tagOf(child) === tag) found.push(child);
  return found;
}

/** A text with all numbers replaced: what is left of `row-3` when rows are counted. */
export const numbered = (text: string): string => text.replace(/\d+/g, "#");

const KEY_NAMES = new Set(["id", "href", "name", "for", "aria-label"]);

/** Attributes that may tell an element from others. */
export const keyNames = (element: Element): string[] =>
  page
    .attributeNames(element)
    .filter((name) => KEY_NAMES.has(name) || (name.startsWith("data-") && !name.startsWith("data-ce-")));

const HEADS = "h1,h2,h3,h4,h5,h6,[role=heading],th,dt,summary,legend,strong";
const HEAD_LENGTH = 80;
const LETTER = /\p{L}/u;

/** What a thing is headed by, outside the target; empty for nothing. */
export function headOf(thing: Element, target: Element | null, textOf: (element: Element) => string): string {
  const isOutside = (element: Element) =>
    target === null ||
    (!page.contains(element, target) && (target === thing || !page.contains(target, element)));
  const isHead = (element: Element) => isOutside(element) && LETTER.test(textOf(element));
  let head = page.queryWithin(thing, HEADS).find(isHead);
  if (head === undefined && page.tagOf(thing) === "tr") {
    for (let cell = page.firstChildOf(thing); cell !== null && head === undefined; cell = page.nextOf(cell))
      if (isHead(cell)) head = cell;
  }
  return head === undefined ? "" : textOf(head).slice(0, HEAD_LENGTH);
}
