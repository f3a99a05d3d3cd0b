import { shownText, snippetOf } from "./describe.ts";
import * as page from "./page.ts";
import { type Finder, refind } from "./refind.ts";
import { findQuote } from "./text.ts";
import type { Anchor } from "./types.ts";

/** Where a note's target is now. */
export interface Found {
  element: Element;
  /** The quoted text of a text note, when it still stands. */
  range: Range | null;
}

function inside(root: page.Root, selectors: readonly string[]): Element | null {
  let current: page.Root | null = root;
  let element: Element | null = null;
  for (const selector of selectors) {
    element = current === null ? null : page.query(current, selector);
    if (element === null) return null;
    current = page.shadowOf(element);
  }
  return element;
}

/** Follow an anchor's selectors through frame and shadow roots. */
function bySelector(anchor: Anchor): Element | null {
  const { frame, shadow = [] } = anchor.context;
  const outer = page.query(document, anchor.selector);
  if (outer === null || frame === undefined) {
    if (outer === null || shadow.length === 0) return outer;
    const root = page.shadowOf(outer);
    return root === null ? null : inside(root, shadow);
  }
  const inner = page.frameDocumentOf(outer);
  if (inner === null) return null;
  const framed = page.query(inner, frame.selector);
  if (framed === null || shadow.length === 0) return framed;
  const root = page.shadowOf(framed);
  return root === null ? null : inside(root, shadow);
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

/** Find a note's target on the page as it is now; null means that it changed beyond recognition. */
export function findTarget(anchor: Anchor): Found | null {
  if (anchor.context.kind === "text" && anchor.context.quote !== undefined) return findText(anchor);
  const element = refind(anchor, finder);
  return element === null ? null : { element, range: null };
}

function findText(anchor: Anchor): Found | null {
  const quote = anchor.context.quote!;
  const direct = bySelector(anchor);
  if (direct !== null) {
    const range = rangeOf(direct, quote);
    if (range !== null) return { element: direct, range };
  }
  const body = page.bodyOf(document);
  const range = body === null ? null : rangeOf(body, quote);
  if (range === null || !surroundingsFit(range, quote)) return null;
  const holder = range.commonAncestorContainer;
  return { element: page.isElement(holder) ? holder : page.parentElementOf(holder)!, range };
}

/** Away from its element a quote counts only with some of the text that stood around it. */
function surroundingsFit(range: Range, quote: { exact: string; prefix: string; suffix: string }): boolean {
  if (quote.exact.length >= 24) return true;
  const holder = page.bodyOf(document)!;
  const text = shownText(holder, 200_000);
  const exact = quote.exact;
  const first = text.indexOf(exact);
  return first !== -1 && text.indexOf(exact, first + 1) === -1 && range.toString() !== "";
}

function rangeOf(element: Element, quote: { exact: string; prefix: string; suffix: string }): Range | null {
  const texts: Text[] = [];
  let whole = "";
  const visit = (node: Node) => {
    if (page.isText(node)) {
      texts.push(node);
      whole += node.data;
    } else if (page.isElement(node) && !/^(?:script|style|template|ce-annotate-host)$/.test(page.tagOf(node)))
      for (const child of Array.from(page.childNodesOf(node))) visit(child);
  };
  visit(element);
  const place = findQuote(whole, quote);
  if (place === null) return null;
  const range = page.createRange(document);
  let at = 0;
  for (const text of texts) {
    const end = at + text.data.length;
    if (place.start >= at && place.start < end) range.setStart(text, place.start - at);
    if (place.end > at && place.end <= end) {
      range.setEnd(text, place.end - at);
      return range;
    }
    at = end;
  }
  return null;
}
