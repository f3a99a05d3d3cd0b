import * as page from "../page/page.ts";
import type { Anchor } from "../types.ts";
import { snippetOf } from "./describe.ts";
import { type Finder, matchAnchor } from "./match-anchor.ts";
import { findQuote, fold } from "./text.ts";

/** Where a note's target is now. */
export interface Found {
  element: Element;
  /** The quoted text of a text note, when it still stands. */
  range: Range | null;
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

/** Find a note's target on the page as it is now; null means that it changed beyond recognition. */
export function findTarget(anchor: Anchor): Found | null {
  if (anchor.context.kind === "text" && anchor.context.quote !== undefined) return findText(anchor);
  const element = matchAnchor(anchor, finder);
  return element === null ? null : { element, range: null };
}

function findText(anchor: Anchor): Found | null {
  const quote = anchor.context.quote!;
  const direct = bySelector(anchor);
  if (direct !== null) {
    const range = rangeOf(direct, quote);
    if (range !== null) return { element: direct, range };
  }
  // Away from its element a quote counts only when nothing else reads like it.
  const body = page.bodyOf(document);
  const text = fold(body === null ? "" : (body.textContent ?? ""));
  if (body === null || text.split(fold(quote.exact)).length !== 2) return null;
  const range = rangeOf(body, quote);
  if (range === null) return null;
  const holder = range.commonAncestorContainer;
  return { element: page.isElement(holder) ? holder : page.parentElementOf(holder)!, range };
}

function rangeOf(element: Element, quote: { exact: string; prefix: string; suffix: string }): Range | null {
  const texts: Text[] = [];
  let whole = "";
  const visit = (node: Node) => {
    if (page.isText(node)) {
      texts.push(node);
      whole += node.data;
    } else if (page.isElement(node) && !/^(?:script|style|template)$/.test(page.tagOf(node)))
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
