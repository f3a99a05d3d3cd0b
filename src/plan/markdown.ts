/** The structure of a Markdown plan, read with a CommonMark parser (loaded with this module). */
import type { List, Nodes, PhrasingContent, Root, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { readFrontMatter } from "../kernel/frontmatter.ts";
import {
  type Block,
  type BlockKind,
  collapse,
  type Fence,
  type Heading,
  type Item,
  type MarkdownDocument,
  type Marker,
  type MetadataValue,
  nest,
  type RawHtml,
} from "./document.ts";
import { type Chunk, chunks, fenceMarks, isOpenFence } from "./markdown-chunks.ts";
import { isOnlyComments, scanHtml } from "./raw-html.ts";
import { append, marked, startRun, type TextRun } from "./text-run.ts";

const SYNTAX = {
  extensions: [
    gfm({ singleTilde: false }),
    // Nothing here depends on bare links or footnotes, and they cost time.
    {
      disable: {
        null: [
          "emailAutolink",
          "wwwAutolink",
          "protocolAutolink",
          "gfmFootnoteCall",
          "gfmFootnoteDefinition",
        ],
      },
    },
  ],
  mdastExtensions: [gfmFromMarkdown()],
};

/** What is collected while the tree is walked. */
interface Collected {
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
  chunk: Chunk;
}

/** Read a Markdown document. `source` has no byte-order mark; lines end at `\n` alone. */
export async function readMarkdown(source: string): Promise<MarkdownDocument> {
  const matter = await readFrontMatter(source);
  // A carriage return alone ends a line for the parser but not for anybody who counts lines.
  const lines = source.split("\n").map((line) => line.replace(/\r$/, "").replaceAll("\r", " "));
  if (lines.at(-1) === "") lines.pop();
  const closed = matter.kind !== "none" && matter.matter.closed;
  const collected: Collected = {
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
  for (const chunk of chunks(lines, closed ? matter.matter.bodyLine : 1, parse)) {
    for (const node of chunk.tree.children) flow(collected, node, { item: undefined, depth: 0, chunk }, true);
  }
  const { headings, blocks, markers, fences, tags, comments, paragraphs } = collected;
  nest(headings, blocks.length, lines.length);
  const metadata = new Map<string, MetadataValue>();
  const keyLines: { key: string; line: number; source: string }[] = [];
  for (const { key, value, line } of matter.kind === "map" ? matter.map.entries : []) {
    const text = value.kind === "scalar" ? value.text : "";
    metadata.set(key, { value: value.kind === "scalar" && value.value !== null ? text : null, text, line });
    keyLines.push({ key, line, source: lines[line - 1] ?? "" });
  }
  return {
    format: "md",
    source,
    lines,
    headings,
    blocks,
    markers,
    fences,
    tags,
    comments,
    paragraphs,
    metadata,
    keyLines,
    frontMatter:
      matter.kind === "problem"
        ? { problem: matter.problems[0].message, line: matter.problems[0].line, text: matter.matter.yaml }
        : matter.kind,
  };
}

function parse(text: string): Root {
  return fromMarkdown(text, SYNTAX);
}

function lineOf(node: Nodes, place: Place): number {
  return node.position!.start.line + place.chunk.line - 1;
}

function endLineOf(node: Nodes, place: Place): number {
  return node.position!.end.line + place.chunk.line - 1;
}

/** Take in a block-level node. Only headings at the top level open sections: one in a quotation is quoted. */
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
    case "footnoteDefinition":
      for (const child of node.children) flow(to, child, place, false);
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
      addRawHtml(to, node.value, lineOf(node, place));
      if (!isOnlyComments(node.value)) addOpaque(to, node, place);
      return;
    default:
      return;
  }
}

function reachesEnd(to: Collected, line: number): boolean {
  return to.lines.slice(line).every((rest) => rest.trim() === "");
}

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
    for (const part of child.children) flow(to, part, { ...place, item, depth: place.depth + 1 }, false);
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
      addText(to, index === 0 ? "header-cell" : "cell", cell, cell.children, { ...place, item });
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
  for (const child of children) inline(to, run, child, place);
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
  const { item } = place;
  return {
    index: to.blocks.length,
    kind,
    text: run.text,
    masked: run.masked,
    ...run.spans,
    lines: run.lines,
    line,
    endLine,
    item,
    opensItem: kind !== "opaque" && item !== undefined && !to.opened.has(item),
    heading: to.headings.at(-1),
    outside: false,
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
      addRawHtml(to, node.value, line);
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
        for (const child of node.children) inline(to, run, child, place);
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

function addRawHtml(to: Collected, value: string, line: number): void {
  const { comments, tags } = scanHtml(value, line);
  to.tags.push(...tags);
  to.comments.push(...comments);
  for (const comment of comments) {
    const role = /^<!--\s*ce-section:\s*([a-z0-9]+(?:-[a-z0-9]+)*)\s*-->$/.exec(comment.value)?.[1];
    if (role !== undefined) to.markers.push({ role, line: comment.line });
  }
}
