import type { Quote } from "../../kernel/shared/annotate-wire.ts";
import * as page from "../page/page.ts";
import { findQuote, fold } from "./text.ts";
import { SILENT, STANDS_IN_TEXT } from "./things.ts";

/** What an element says in the order it is read, and where each piece stands. */
interface Reading {
  /** Whitespace folded. */
  folded: string;
  /** As it stands, a line break where a block ends. */
  whole: string;
  pieces: { node: Text; start: number }[];
}

/** Read an element, or the part of it that a range covers. */
export function readingOf(element: Node, within: Range | null = null): Reading {
  const pieces: Reading["pieces"] = [];
  let whole = "";
  const breakLine = () => {
    if (whole !== "" && !whole.endsWith("\n")) whole += "\n";
  };
  const visit = (node: Node) => {
    if (page.isText(node)) {
      const [from, to] = within === null ? [0, node.data.length] : coveredOf(node, within);
      if (to <= from) return;
      pieces.push({ node, start: whole.length - from });
      // Line breaks of the source are spaces to the reader.
      whole += node.data.slice(from, to).replace(/[\n\r]/g, " ");
    } else if (page.isElement(node)) {
      const tag = page.tagOf(node);
      if (SILENT.has(tag) || page.isMount(node)) return;
      const breaks = !STANDS_IN_TEXT.has(tag);
      if (breaks) breakLine();
      for (let child = page.firstNodeOf(node); child !== null; child = page.nextNodeOf(child)) visit(child);
      if (breaks) breakLine();
    }
  };
  visit(element);
  return { folded: fold(whole), whole, pieces };
}

/** From where to where a range covers a text node. */
function coveredOf(node: Text, range: Range): [from: number, to: number] {
  if (!range.intersectsNode(node)) return [0, 0];
  const from = range.startContainer === node ? range.startOffset : 0;
  const to = range.endContainer === node ? range.endOffset : node.data.length;
  return [from, to];
}

/** What a selection says, each line folded, a line break where a block ends. */
export function linesOf(range: Range): string {
  const common = range.commonAncestorContainer;
  const { whole } = readingOf(common, range);
  return linesIn(whole);
}

const linesIn = (text: string): string =>
  text
    .split("\n")
    .map(fold)
    .filter((line) => line !== "")
    .join("\n");

/** Where a quote stands in an element now; null when it does not. */
export function rangeOf(element: Element, quote: Quote): Range | null {
  const { whole, pieces } = readingOf(element);
  const place = findQuote(whole, quote);
  if (place === null) return null;
  const range = page.createRange(page.documentOf(element)!);
  const pieceAt = (at: number) =>
    pieces.findLast(({ node, start }) => start <= at && at < start + node.data.length);
  const first = pieceAt(place.start);
  const last = pieceAt(place.end - 1);
  if (first === undefined || last === undefined) return null;
  range.setStart(first.node, place.start - first.start);
  range.setEnd(last.node, place.end - last.start);
  return range;
}

const MOST_RECTS = 60;

/** The boxes of a range's letters: blocks it covers whole have boxes of their own, which reach further. */
export function textRects(range: Range): DOMRect[] {
  const owner = page.documentOf(range.startContainer);
  const { pieces } = readingOf(range.commonAncestorContainer, range);
  const found: DOMRect[] = [];
  for (const { node } of pieces) {
    if (owner === null || found.length >= MOST_RECTS) break;
    const [from, to] = coveredOf(node, range);
    if (node.data.slice(from, to).trim() === "") continue;
    const part = page.createRange(owner);
    part.setStart(node, from);
    part.setEnd(node, to);
    found.push(...Array.from(part.getClientRects()).filter((rect) => rect.width > 0));
  }
  return found;
}
