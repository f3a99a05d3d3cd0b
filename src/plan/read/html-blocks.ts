/** The text of an HTML document as blocks and headings, in one walk over its tree. */
import type { DefaultTreeAdapterTypes } from "parse5";
import { blockOf } from "./block.ts";
import {
  type Block,
  type BlockKind,
  collapse,
  type Heading,
  type HtmlElement,
  type Item,
} from "./document.ts";
import {
  CODE,
  GROUPS,
  headingText,
  ITEMS,
  isDecoration,
  kindOf,
  OPAQUE,
  OUTSIDE,
  SECTIONING,
  SPANS,
} from "./html-elements.ts";
import {
  ancestors,
  attribute,
  closest,
  endLine,
  INLINE,
  INVISIBLE,
  isElement,
  isText,
  startLine,
  walk,
} from "./html-tree.ts";
import { append, startRun, type TextRun } from "./text-run.ts";

interface Building {
  blocks: Block[];
  headings: Heading[];
  items: Item[];
  /** The text of the block being read. */
  run: TextRun;
  owner: HtmlElement | undefined;
  opened: Set<HtmlElement | Item>;
  /** Inline elements open in the run: where they began. */
  open: { element: HtmlElement; start: number }[];
  /** Depths of the states that change what text means. */
  code: number;
  outside: number;
  picture: number;
  quotes: number;
  lists: number;
  /** Lists and tables so far, and those around the place that is read. */
  groups: number;
  around: number[];
  ends: Map<HtmlElement, number>;
  hidden: number;
}

/** Read every block of a tree, with the sections that headings open still to be nested (`nest`). */
export function readBlocks(root: DefaultTreeAdapterTypes.Document): { blocks: Block[]; headings: Heading[] } {
  const to: Building = {
    blocks: [],
    headings: [],
    items: [],
    run: startRun(),
    owner: undefined,
    opened: new Set(),
    open: [],
    code: 0,
    outside: 0,
    picture: 0,
    quotes: 0,
    lists: 0,
    groups: 0,
    around: [],
    ends: new Map(),
    hidden: 0,
  };
  walk(
    root,
    (node) => {
      if (isText(node)) addText(to, node);
      return isElement(node) ? enter(to, node) : undefined;
    },
    (element) => leave(to, element),
  );
  flush(to);
  const first = new Map<HtmlElement, Heading>();
  for (const heading of to.headings) place(heading, first, to.ends);
  return { blocks: to.blocks, headings: to.headings };
}

/** A heading's section ends with the sectioning element it opens, whose id is the heading's anchor when it has none. */
function place(
  heading: Heading,
  first: Map<HtmlElement, Heading>,
  ends: ReadonlyMap<HtmlElement, number>,
): void {
  const element = heading.element!;
  const container = closest(element, SECTIONING);
  heading.anchor = attribute(element, "id") ?? null;
  if (container === undefined) return;
  heading.end = ends.get(container) ?? heading.end;
  heading.endLine = endLine(container);
  if (first.has(container)) return;
  first.set(container, heading);
  heading.anchor ??= attribute(container, "id") ?? null;
}

function enter(to: Building, element: HtmlElement): boolean | undefined {
  const { tagName } = element;
  if (INVISIBLE.has(tagName)) return false;
  if (tagName === "br") {
    append(to.run, "\n", startLine(element));
    return undefined;
  }
  if (tagName === "svg" || tagName === "figure") to.picture += 1;
  if (CODE.has(tagName)) to.code += 1;
  if (INLINE.has(tagName) && tagName !== "svg") {
    if (tagName === "img") addOpaque(to, element);
    to.open.push({ element, start: to.run.text.length });
    return undefined;
  }
  flush(to);
  if (OUTSIDE.has(tagName)) to.outside += 1;
  if (tagName === "pre") to.hidden += 1;
  if (tagName === "blockquote") to.quotes += 1;
  if (GROUPS.has(tagName)) to.around.push(++to.groups);
  if (tagName === "ul" || tagName === "ol") to.lists += 1;
  const kind = ITEMS[tagName];
  if (kind !== undefined) {
    to.items.push({
      kind,
      depth: to.lists,
      parent: to.items.at(-1),
      group: to.around.at(-1) ?? 0,
      line: startLine(element),
      endLine: endLine(element),
    });
  }
  if (OPAQUE.has(tagName)) addOpaque(to, element);
  to.owner = element;
  return undefined;
}

function leave(to: Building, element: HtmlElement): void {
  const { tagName } = element;
  if (INVISIBLE.has(tagName) || tagName === "br") return;
  if (CODE.has(tagName)) to.code -= 1;
  if (INLINE.has(tagName) && tagName !== "svg") {
    const start = to.open.pop()!.start;
    span(to.run, element, start);
    return;
  }
  flush(to);
  if (tagName === "svg" || tagName === "figure") to.picture -= 1;
  if (OUTSIDE.has(tagName)) to.outside -= 1;
  if (tagName === "pre") to.hidden -= 1;
  if (tagName === "blockquote") to.quotes -= 1;
  if (tagName === "ul" || tagName === "ol") to.lists -= 1;
  if (GROUPS.has(tagName)) to.around.pop();
  if (ITEMS[tagName] !== undefined) to.items.pop();
  if (SECTIONING.has(tagName)) to.ends.set(element, to.blocks.length);
  to.owner = parentBlock(element);
}

function parentBlock(element: HtmlElement): HtmlElement | undefined {
  for (const ancestor of ancestors(element)) if (!INLINE.has(ancestor.tagName)) return ancestor;
  return undefined;
}

function span(run: TextRun, element: HtmlElement, start: number): void {
  if (run.text.length <= start) return;
  const extent = { start, end: run.text.length };
  for (const kind of SPANS[element.tagName] ?? []) run.spans[kind].push(extent);
  run.spans.inline.push(extent);
}

function addText(to: Building, node: DefaultTreeAdapterTypes.TextNode): void {
  const line = node.sourceCodeLocation?.startLine ?? 1;
  if (to.hidden > 0 || isDecoration(node)) return;
  // Each source line is a piece of its own, so that offsets lead back to lines although blanks collapse.
  for (const [index, piece] of node.value.split("\n").entries()) {
    let text = piece.replaceAll(/\s+/g, " ");
    if (index > 0 && !text.startsWith(" ")) text = ` ${text}`;
    if (to.run.last === "" || /\s/.test(to.run.last)) text = text.replace(/^ /, "");
    append(to.run, text, line + index, to.code > 0);
  }
}

function addOpaque(to: Building, element: HtmlElement): void {
  const block = makeBlock(to, "opaque", startRun(), element);
  to.blocks.push(block);
}

/** End the block being read, if it has any text. */
function flush(to: Building): void {
  const { run, owner } = to;
  for (const { element, start } of to.open) {
    // An inline element around a block: what it marked up so far ends here and goes on in the next block.
    span(run, element, start);
  }
  for (const open of to.open) open.start = 0;
  to.run = startRun();
  if (owner === undefined || run.text.trim() === "") return;
  // A heading in a quotation opens no section.
  const kind = to.quotes > 0 && kindOf(owner) === "heading" ? "paragraph" : kindOf(owner);
  const block = makeBlock(to, kind, trimmed(run), owner);
  to.blocks.push(block);
  to.opened.add(owner);
  for (let item = block.item; item !== undefined; item = item.parent) to.opened.add(item);
  if (kind !== "heading") return;
  const heading: Heading = {
    level: Number(owner.tagName.slice(1)),
    text: headingText(block, owner),
    source: collapse(block.text),
    line: startLine(owner),
    endLine: Number.POSITIVE_INFINITY,
    anchor: null,
    block: to.blocks.length - 1,
    end: Number.POSITIVE_INFINITY,
    parent: undefined,
    element: owner,
  };
  block.heading = heading;
  to.headings.push(heading);
}

function makeBlock(to: Building, kind: BlockKind, run: TextRun, element: HtmlElement): Block {
  const item = to.items.at(-1);
  const line = run.lines[0]?.line ?? startLine(element);
  return {
    ...blockOf(to, kind, run, item),
    line,
    endLine: Math.max(line, run.endLine),
    outside: to.outside > 0,
    quoted: to.quotes > 0,
    illustration: to.picture > 0,
    element,
    opensElement: !to.opened.has(element),
  };
}

function trimmed(run: TextRun): TextRun {
  const text = run.text.trimEnd();
  return { ...run, text, masked: run.masked.slice(0, text.length) };
}
