import * as page from "../page/page.ts";
import type { Anchor } from "../types.ts";
import { snippetOf } from "./describe.ts";
import { hashOf } from "./hash.ts";
import { type Finder, matchAnchor } from "./match-anchor.ts";
import { type Print, readPrint } from "./print.ts";
import { rangeOf, readingOf } from "./quotes.ts";
import { refind, refindThing } from "./refind.ts";
import { createSight, type Sight } from "./sight.ts";
import { fold } from "./text.ts";
import { headOf } from "./things.ts";

/** Where a note's target is now. */
export interface Found {
  element: Element;
  /** The quoted text of a text note, when it still stands. */
  range: Range | null;
  /** False: it may be another one than was meant; the person is asked to look. */
  sure: boolean;
  /** What must stay as it is for the element to be the same thing still; null when that cannot be told. */
  guard: Guard | null;
}

interface Guard {
  thing: Element;
  target: Element;
  key: Print["key"];
  head: string;
}

/** One look at the page for all notes: each text is read once, however many ask (15.10). */
export interface Search {
  find(anchor: Anchor): Found | null;
}

export function createSearch(): Search {
  const sights = new Map<Document, Sight>();
  const sightOf = (owner: Document): Sight => {
    const known = sights.get(owner);
    if (known !== undefined) return known;
    const made = createSight(owner);
    sights.set(owner, made);
    return made;
  };

  const find = (anchor: Anchor): Found | null => {
    const print = readPrint(anchor.context.print);
    const owner = documentFor(anchor);
    if (owner === null) return null;
    const quote = anchor.context.kind === "text" ? anchor.context.quote : undefined;
    if (print === null) return quote === undefined ? unprinted(anchor) : quoted(anchor, null, sightOf(owner));
    const sight = sightOf(owner);
    const [variant, gone] = variantIn(anchor, sight);
    if (quote !== undefined) return quoted(anchor, { print, variant, gone }, sight);
    const found = refind(print, variant, sight, anchor.context.kind === "region");
    if (found === null) return null;
    const { element, thing } = found;
    return { element, range: null, sure: found.sure && !gone, guard: guardOf(thing, element, print, sight) };
  };
  return { find };
}

/** A single target, by a look of its own. */
export const findTarget = (anchor: Anchor): Found | null => createSearch().find(anchor);

/** Whether what was found still stands for the note: in the document, and not another thing in the same elements. */
export function isStill({ element, guard }: Found): boolean {
  if (!page.isConnected(element)) return false;
  if (guard === null) return true;
  const { thing, target, key, head } = guard;
  if (key !== null && page.attribute(thing, key[0]) !== key[1]) return false;
  return head === "" || hashOf(headOf(thing, target, shownHead)) === head;
}

const shownHead = (element: Element): string => readingOf(element).folded;

function guardOf(thing: Element, target: Element, { things }: Print, sight: Sight): Guard {
  const [first] = things;
  const { key } = first!;
  const head = sight.headOf(thing, target);
  return {
    thing,
    target,
    // A thing that was found although its key had changed is not watched by it.
    key: key !== null && page.attribute(thing, key[0]) === key[1] ? key : null,
    head: head === "" ? "" : hashOf(head),
  };
}

/** The variant that restricts the search; one that the page no longer has restricts nothing, and nothing is sure then. */
function variantIn({ variant }: Anchor, sight: Sight): [variant: string | null, gone: boolean] {
  const innermost = variant?.[variant.length - 1] ?? null;
  if (innermost === null) return [null, false];
  const stands = page
    .queryAll(sight.document, "[data-ce-variant]")
    .some((element) => page.attribute(element, "data-ce-variant") === innermost);
  return stands ? [innermost, false] : [null, true];
}

/** The document a target is in: the page's own, or that of the frame which shows its file. */
function documentFor({ selector, context }: Anchor): Document | null {
  const { frame } = context;
  if (frame === undefined) return document;
  const named = page.query(document, selector);
  const inner = named === null ? null : page.frameDocumentOf(named);
  const isIt = (one: Document | null) => one !== null && page.windowOf(one)?.location.pathname === frame.page;
  if (isIt(inner)) return inner;
  const others = page.queryAll(document, "iframe").map(page.frameDocumentOf).filter(isIt);
  return others.length === 1 ? others[0]! : inner;
}

/** A text note is where its quote is: in its thing, or, where that is lost, in the one place that reads like it. */
function quoted(
  anchor: Anchor,
  by: { print: Print; variant: string | null; gone: boolean } | null,
  sight: Sight,
): Found | null {
  const quote = anchor.context.quote!;
  const thing = by === null ? null : refindThing(by.print, by.variant, sight);
  if (by !== null && thing !== null) {
    const range = rangeOf(thing.element, quote);
    return range === null
      ? null
      : { element: holderOf(range), range, sure: thing.sure && !by.gone, guard: null };
  }
  const direct = by === null ? bySelector(anchor) : null;
  if (direct !== null) {
    const range = rangeOf(direct, quote);
    if (range !== null) return { element: direct, range, sure: true, guard: null };
  }
  // Away from its element a quote counts only when nothing else reads like it.
  const body = page.bodyOf(sight.document);
  if (body === null || readingOf(body).folded.split(fold(quote.exact)).length !== 2) return null;
  const range = rangeOf(body, quote);
  return range === null ? null : { element: holderOf(range), range, sure: by === null, guard: null };
}

function holderOf(range: Range): Element {
  const holder = range.commonAncestorContainer;
  return page.isElement(holder) ? holder : page.parentElementOf(holder)!;
}

/** Follow an anchor's selectors through frame and shadow roots. */
function bySelector(anchor: Anchor): Element | null {
  const { frame, shadow = [] } = anchor.context;
  let element = page.query(document, anchor.selector);
  if (element !== null && frame !== undefined) {
    const inner = page.frameDocumentOf(element);
    element = inner === null ? null : page.query(inner, frame.selector);
  }
  for (const selector of shadow) {
    const root = element === null ? null : page.shadowOf(element);
    element = root === null ? null : page.query(root, selector);
  }
  return element;
}

function inVariant(element: Element, variant: string[]): boolean {
  const innermost = variant[variant.length - 1]!;
  for (let holder: Element | null = element; holder !== null; holder = page.holderOf(holder))
    if (page.attribute(holder, "data-ce-variant") === innermost) return true;
  return false;
}

const finder: Finder<Element> = {
  bySelector,
  textOf: (element) => snippetOf(element) ?? "",
  tagOf: page.tagOf,
  byTag: (tag, variant) =>
    page.queryAll(document, tag).filter((element) => variant === null || inVariant(element, variant)),
};

/** A note of another sender, or of the first edition: found by its selector and text. */
function unprinted(anchor: Anchor): Found | null {
  const element = matchAnchor(anchor, finder);
  return element === null ? null : { element, range: null, sure: true, guard: null };
}
