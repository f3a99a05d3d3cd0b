/** The structure of a Markdown plan, read with a CommonMark parser (loaded with this module). */
import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { readFrontMatter } from "../../kernel/yaml/frontmatter.ts";
import { collapse, type MarkdownDocument, type MetadataValue, nest } from "./document.ts";
import { collect, startCollecting } from "./markdown/blocks.ts";
import { chunks } from "./markdown/chunks.ts";
import { checkMarks, hasFewMarks } from "./markdown/limits.ts";

/** Nothing here depends on bare links or footnotes, and they cost time. */
const UNUSED = [
  "emailAutolink",
  "wwwAutolink",
  "protocolAutolink",
  "gfmFootnoteCall",
  "gfmFootnoteDefinition",
  "gfmPotentialFootnoteCall",
];
// Without their transforms, which make links of bare addresses: nodes that stand nowhere in the source.
const NODES = gfmFromMarkdown().map(({ transforms: _, ...rest }) => rest);
const SYNTAX = {
  extensions: [gfm({ singleTilde: false }), { disable: { null: UNUSED } }],
  mdastExtensions: NODES,
};

/** Read a Markdown document. `source` has no byte-order mark; lines end at `\n` alone. Throws `BeyondLimit`. */
export async function readMarkdown(source: string): Promise<MarkdownDocument> {
  const matter = await readFrontMatter(source);
  const lines = splitLines(source);
  const closed = matter.kind !== "none" && matter.matter.closed;
  const collected = startCollecting(lines);
  for (const chunk of chunks(lines, closed ? matter.matter.bodyLine : 1, parse)) collect(collected, chunk);
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

/** Parse a piece that keeps within the limits. Throws `BeyondLimit`. */
function parse(text: string, firstLine: number): Root {
  if (!hasFewMarks(text)) checkTexts(outline(text), text, firstLine);
  return fromMarkdown(text, SYNTAX);
}

/** Check every text of an outline on its own. */
function checkTexts(node: Nodes, text: string, firstLine: number): void {
  if (node.type === "paragraph" || node.type === "heading" || node.type === "tableCell") {
    const { start, end } = node.position!;
    checkMarks(text.slice(start.offset, end.offset), start.line + firstLine - 1);
  } else if ("children" in node) {
    for (const child of node.children) checkTexts(child, text, firstLine);
  }
}

/** Block structure alone, at a third of the cost, and in time that grows as the text does whatever is in it. */
function outline(text: string): Root {
  return fromMarkdown(text, OUTLINE);
}

const INLINE = [
  "attention",
  "autolink",
  "characterEscape",
  "characterReference",
  "codeText",
  "hardBreakEscape",
  "htmlText",
  "labelEnd",
  "labelStartImage",
  "labelStartLink",
  "strikethrough",
  "tasklistCheck",
];
const OUTLINE = {
  extensions: [gfm(), { disable: { null: [...UNUSED, ...INLINE] } }],
  mdastExtensions: NODES,
};

/** Whether one of these names is a level-2 heading of a Markdown body, written without markup. Throws `BeyondLimit`. */
export function hasSection(body: string, names: readonly string[]): boolean {
  const lines = splitLines(body);
  for (const { tree } of chunks(lines, 1, outline)) {
    for (const node of tree.children) {
      if (node.type !== "heading" || node.depth !== 2) continue;
      const text = node.children.map((child) => (child.type === "text" ? child.value : "")).join("");
      if (names.includes(collapse(text))) return true;
    }
  }
  return false;
}

/** A carriage return alone ends a line for the parser but not for anybody who counts lines. */
function splitLines(source: string): string[] {
  const lines = source.split("\n").map((line) => line.replace(/\r$/, "").replaceAll("\r", " "));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
