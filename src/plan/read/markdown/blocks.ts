/** The nodes of a Markdown tree as blocks, headings and items. */
import type { List, Nodes, PhrasingContent, RootContent, Table } from "mdast";
import { blockOf } from "../block.ts";
import {
  type Block,
  type BlockKind,
  collapse,
  type Fence,
  type Heading,
  type Item,
  type Marker,
  type RawHtml,
} from "../document.ts";
import { once } from "../once.ts";
import { append, marked, startRun, type TextRun } from "../text-run.ts";
import { type Chunk, fenceMarks, isOpenFence } from "./chunks.ts";
import { isOnlyComments, scanHtml } from "./raw-html.ts";

/** What is collected while the tree is walked. */
export interface Collected {
  lines: readonly string[];
  headings: Heading[];
  blocks: Block[];
  markers: Marker[];
  fences: Fence[];
  tags: RawHtml[];
  comments: RawHtml[];
  paragraphs: { line: number; endLine: number }[];
  slugs: Map<string, number>;
  groups: number;
  /** Items that have text already. */
  opened: Set<Item>;
}

/** Where a node stands. */
interface Place {
  item: Item | undefined;
  /** Lists around it. */
  depth: number;
  /** Inside a quotation. */
  quoted: boolean;
  /** Where the nearest node around it that has a position begins and ends. */
  line: number;
  endLine: number;
  chunk: Chunk;
}

export function startCollecting(lines: readonly string[]): Collected {
  return {
    lines,
    headings: [],
    blocks: [],
    markers: [],
    fences: [],
    tags: [],
    comments: [],
    paragraphs: [],
    slugs: new Map(),
    groups: 0,
    opened: new Set(),
  };
}

/** Take in the nodes of a piece of the document. */
export function collect(to: Collected, chunk: Chunk): void {
  const { line } = chunk;
  const place = { item: undefined, depth: 0, quoted: false, line, endLine: line, chunk };
  for (const node of chunk.tree.children) flow(to, node, place, true);
}

/** A node that the parser made up has no position; what is around it has. */
function lineOf(node: Nodes, place: Place): number {
  return node.position === undefined ? place.line : node.position.start.line + place.chunk.line - 1;
}

function endLineOf(node: Nodes, place: Place): number {
  return node.position === undefined ? place.endLine : node.position.end.line + place.chunk.line - 1;
}

/** The place of what stands inside a node. */
function inside(node: Nodes, place: Place): Place {
  return { ...place, line: lineOf(node, place), endLine: endLineOf(node, place) };
}

/** Take in a block-level node. Only headings at the top level open sections: one in a list or quotation is text. */
function flow(to: Collected, node: RootContent, place: Place, top: boolean): void {
  switch (node.type) {
    case "heading":
      if (top) addHeading(to, node, place);
      else addText(to, "paragraph", node, node.children, place);
      return;
    case "paragraph":
      to.paragraphs.push({ line: lineOf(node, place), endLine: endLineOf(node, place) });
      addText(to, "paragraph", node, node.children, place);
      return;
    case "blockquote":
      for (const child of node.children) flow(to, child, { ...inside(node, place), quoted: true }, false);
      return;
    case "list":
      addList(to, node, place);
      return;
    case "table":
      addTable(to, node, place);
      return;
    case "code":
      if (fenceMarks(node, place.chunk.text) !== undefined) {
        const open = isOpenFence(node, place.chunk.text) && reachesEnd(to, endLineOf(node, place));
        to.fences.push({ line: lineOf(node, place), info: node.lang ?? "", open });
      }
      addOpaque(to, node, place);
      return;
    case "html":
      addRawHtml(to, node.value, lineOf(node, place), place);
      if (!isOnlyComments(node.value)) addOpaque(to, node, place);
      return;
    default:
      return;
  }
}

function reachesEnd(to: Collected, line: number): boolean {
  return lastFilled(to.lines) < line;
}

const lastFilled = once((lines: readonly string[]) => lines.findLastIndex((line) => line.trim() !== ""));

function addHeading(to: Collected, node: Extract<RootContent, { type: "heading" }>, place: Place): void {
  const block = addText(to, "heading", node, node.children, place);
  const first = node.children[0]?.position?.start.offset;
  const last = node.children.at(-1)?.position?.end.offset;
  const text = collapse(block.text);
  const heading: Heading = {
    level: node.depth,
    text,
    source: first === undefined ? "" : collapse(place.chunk.text.slice(first, last)),
    line: block.line,
    endLine: Number.POSITIVE_INFINITY,
    anchor: slug(to, text),
    block: to.blocks.length - 1,
    end: Number.POSITIVE_INFINITY,
    parent: undefined,
  };
  block.heading = heading;
  to.headings.push(heading);
}

/** The anchor that the usual renderers give a heading. */
function slug(to: Collected, text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
  const before = to.slugs.get(plain);
  to.slugs.set(plain, (before ?? 0) + 1);
  return before === undefined ? plain : `${plain}-${before}`;
}

function addList(to: Collected, list: List, place: Place): void {
  const group = ++to.groups;
  for (const child of list.children) {
    const item: Item = {
      kind: "bullet",
      depth: place.depth + 1,
      parent: place.item,
      group,
      line: lineOf(child, place),
      endLine: endLineOf(child, place),
    };
    const within = { ...inside(child, place), item, depth: place.depth + 1 };
    for (const part of child.children) flow(to, part, within, false);
  }
}

function addTable(to: Collected, table: Table, place: Place): void {
  const group = ++to.groups;
  for (const [index, row] of table.children.entries()) {
    const item: Item = {
      kind: "row",
      depth: place.depth,
      parent: place.item,
      group,
      line: lineOf(row, place),
      endLine: endLineOf(row, place),
    };
    for (const cell of row.children) {
      addText(to, index === 0 ? "header-cell" : "cell", cell, cell.children, { ...inside(row, place), item });
    }
  }
}

function addOpaque(to: Collected, node: Nodes, place: Place): void {
  to.blocks.push(makeBlock(to, "opaque", startRun(), lineOf(node, place), endLineOf(node, place), place));
}

function addText(
  to: Collected,
  kind: BlockKind,
  node: Nodes,
  children: readonly PhrasingContent[],
  place: Place,
): Block {
  const run = startRun();
  const within = inside(node, place);
  for (const child of children) inline(to, run, child, within);
  const block = makeBlock(to, kind, run, lineOf(node, place), endLineOf(node, place), place);
  to.blocks.push(block);
  for (let item = block.item; item !== undefined; item = item.parent) to.opened.add(item);
  return block;
}

function makeBlock(
  to: Collected,
  kind: BlockKind,
  run: TextRun,
  line: number,
  endLine: number,
  place: Place,
): Block {
  return {
    ...blockOf(to, kind, run, place.item),
    line,
    endLine,
    outside: false,
    quoted: place.quoted,
    illustration: false,
  };
}

function inline(to: Collected, run: TextRun, node: PhrasingContent, place: Place): void {
  const line = lineOf(node, place);
  switch (node.type) {
    case "text":
      append(run, node.value, line);
      break;
    case "inlineCode":
      append(run, node.value, line, true);
      break;
    case "html":
      addRawHtml(to, node.value, line, place);
      if (!node.value.startsWith("<!--")) append(run, node.value.replaceAll("\n", " "), line);
      break;
    case "break":
      append(run, "\n", line);
      break;
    case "image":
    case "imageReference":
      append(run, node.alt ?? "", line);
      break;
    case "strong":
    case "emphasis":
    case "delete":
    case "link":
    case "linkReference":
      marked(run, [SPAN[node.type]], () => {
        for (const child of node.children) inline(to, run, child, inside(node, place));
      });
      break;
    default:
      break;
  }
}

const SPAN = {
  strong: "strong",
  emphasis: "emphasis",
  delete: "struck",
  link: "links",
  linkReference: "links",
} as const;

function addRawHtml(to: Collected, value: string, line: number, { quoted }: Place): void {
  const { comments, tags } = scanHtml(value, line);
  to.tags.push(...tags);
  to.comments.push(...comments);
  if (quoted) return;
  for (const comment of comments) {
    const role = /^<!--\s*ce-section:\s*([a-z0-9]+(?:-[a-z0-9]+)*)\s*-->$/.exec(comment.value)?.[1];
    if (role !== undefined) to.markers.push({ role, line: comment.line });
  }
}
