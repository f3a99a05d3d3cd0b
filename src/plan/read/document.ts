/** A plan document as the rules see it, the same for Markdown and HTML. */
import type { DefaultTreeAdapterTypes } from "parse5";
import { once } from "./once.ts";

export type HtmlElement = DefaultTreeAdapterTypes.Element;

/** A stretch of a block's text, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

export interface Heading {
  level: number;
  /** Visible text, markup removed, blanks collapsed. */
  text: string;
  /** As written in the file, without its marks; the same as `text` in HTML. */
  source: string;
  line: number;
  /** The last line of its section: before the next heading of the same or a higher level. */
  endLine: number;
  /** HTML id of the heading or of the section it opens; in Markdown the usual slug. */
  anchor: string | null;
  /** Index of its own block, and of the first block after its section. */
  block: number;
  end: number;
  parent: Heading | undefined;
  /** HTML only. */
  element?: HtmlElement;
}

/** Something that repeats: a list item, a table row, a `dd`, an `article`. */
export interface Item {
  kind: "bullet" | "row" | "description" | "card";
  /** 1 for the outermost list. */
  depth: number;
  parent: Item | undefined;
  /** Which list or table of the document it belongs to. */
  group: number;
  line: number;
  endLine: number;
}

export type BlockKind =
  | "heading"
  | "paragraph"
  | "header-cell"
  | "cell"
  | "term"
  | "description"
  | "summary"
  /** No text: a fence, a picture, raw HTML in Markdown. It makes a section non-empty. */
  | "opaque";

/** A leaf of the document with its running text. */
export interface Block {
  /** Its place among the document's blocks. */
  index: number;
  kind: BlockKind;
  /** Visible text with soft breaks as newlines (Markdown) or `<br>` as newlines (HTML). */
  text: string;
  /** `text` with inline code blanked out, the same length. */
  masked: string;
  strong: readonly Span[];
  emphasis: readonly Span[];
  struck: readonly Span[];
  links: readonly Span[];
  /** Every inline element, for HTML. */
  inline: readonly Span[];
  /** Where each source line begins in `text`, ascending; the first is at 0. */
  lines: readonly { offset: number; line: number }[];
  line: number;
  endLine: number;
  item: Item | undefined;
  /** The first block of its item. */
  opensItem: boolean;
  /** The section it stands in; for a heading's block the heading's own. */
  heading: Heading | undefined;
  /** In a navigation or footer, which belong to no section. */
  outside: boolean;
  /** In a quotation: what it says is not the plan's own, so nothing in it defines, covers or asks. */
  quoted: boolean;
  /** Text of a picture (SVG, figure): placeholder copy is allowed there. */
  illustration: boolean;
  /** HTML only: the nearest block element, and whether this is the first text in it. */
  element?: HtmlElement;
  opensElement?: boolean;
}

export interface MetadataValue {
  /** Plain text of the value; null for an empty one, or one that is a list or mapping. */
  value: string | null;
  /** As written, quotes removed. */
  text: string;
  line: number;
}

export interface Marker {
  role: string;
  line: number;
}

/** What is wrong with the bytes (rule C15). */
export interface Integrity {
  byteOrderMark: boolean;
  /** Line of the first byte that is not UTF-8, or of the first NUL. */
  invalidLine: number | undefined;
  nulLine: number | undefined;
  /** Begins like UTF-16. */
  utf16: boolean;
}

interface Common {
  source: string;
  /** Lines without their ends; line N is at N - 1. */
  lines: readonly string[];
  headings: readonly Heading[];
  blocks: readonly Block[];
  markers: readonly Marker[];
  metadata: ReadonlyMap<string, MetadataValue>;
}

export interface Fence {
  line: number;
  info: string;
  /** Whether the file ends before the fence does. */
  open: boolean;
}

/** A tag or comment in Markdown's visible text. */
export interface RawHtml {
  line: number;
  value: string;
}

export interface MarkdownDocument extends Common {
  format: "md";
  frontMatter: "none" | "map" | { problem: string; line: number; text: string };
  /** Source lines of the frontmatter's keys as written, for rules about spelling. */
  keyLines: readonly { key: string; line: number; source: string }[];
  fences: readonly Fence[];
  tags: readonly RawHtml[];
  comments: readonly RawHtml[];
  /** First and last line of each paragraph. */
  paragraphs: readonly { line: number; endLine: number }[];
}

export interface HtmlDocument extends Common {
  format: "html";
  root: DefaultTreeAdapterTypes.Document;
  /** Every element in document order. */
  elements: readonly HtmlElement[];
  /** Start tags as written in the source, by name, for elements that the parser merges. */
  written: ReadonlyMap<string, number>;
  /** Whether the file begins with `<!doctype html>`. */
  doctype: boolean;
  visibleText: string;
  /** Visible text before the first `<section>`. */
  lead: string;
}

export type PlanDocument = MarkdownDocument | HtmlDocument;

/** The blocks of a section after its heading, sub-sections included, navigation and footer left out. */
export function contentOf(document: PlanDocument, heading: Heading): Block[] {
  return document.blocks.slice(heading.block + 1, heading.end).filter((block) => !block.outside);
}

/** The source line that an offset of a block's text comes from. */
export function lineAt(block: Block, offset: number): number {
  const after = firstIndex(block.lines, (start) => start.offset > offset);
  return block.lines[after - 1]?.line ?? block.line;
}

/** Index of the first of a sorted list's members for which a condition holds, as it does for all after it. */
function firstIndex<T>(sorted: readonly T[], holds: (member: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A block's section and those around it, innermost first. */
export function* sectionsAround(block: Block): Generator<Heading> {
  const start = block.kind === "heading" ? block.heading?.parent : block.heading;
  for (let at = start; at !== undefined; at = at.parent) yield at;
}

/** Spans that are in no other of their list, in order. A list is in the order of its spans' ends. */
const outermost = once((spans: readonly Span[]): Span[] => {
  const found: Span[] = [];
  for (const span of [...spans].reverse())
    if (span.start < (found.at(-1)?.start ?? Infinity)) found.push(span);
  return found.reverse();
});

/** Whether a span of the list covers `start` to `end`. */
export function covers(spans: readonly Span[], start: number, end: number): boolean {
  const outer = outermost(spans);
  const span = outer[firstIndex(outer, (other) => other.end >= end)];
  return span !== undefined && span.start <= start;
}

/** Whether a span of the list ends exactly at `end` and begins at `start`, or before it unless `exactly`. */
export function endsAt(spans: readonly Span[], start: number, end: number, exactly = false): boolean {
  for (let index = firstIndex(spans, (span) => span.end >= end); spans[index]?.end === end; index++) {
    if (exactly ? spans[index]!.start === start : spans[index]!.start <= start) return true;
  }
  return false;
}

export function collapse(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Fill in parents and ends of sections once all headings and blocks are known. */
export function nest(headings: readonly Heading[], blocks: number, lastLine: number): void {
  const open: Heading[] = [];
  for (const heading of headings) {
    while (open.length > 0 && open.at(-1)!.level >= heading.level) {
      const closed = open.pop()!;
      closed.end = Math.min(closed.end, heading.block);
      closed.endLine = Math.max(closed.line, Math.min(closed.endLine, heading.line - 1));
    }
    heading.parent = open.at(-1);
    open.push(heading);
  }
  for (const heading of open) {
    heading.end = Math.min(heading.end, blocks);
    heading.endLine = Math.max(heading.line, Math.min(heading.endLine, lastLine));
  }
}
