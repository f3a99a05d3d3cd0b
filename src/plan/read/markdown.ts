/** The structure of a Markdown plan, read with a CommonMark parser (loaded with this module). */
import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { readFrontMatter } from "../../kernel/yaml/frontmatter.ts";
import { collapse, type MarkdownDocument, type MetadataValue, nest } from "./document.ts";
import { collect, startCollecting } from "./markdown-blocks.ts";
import { chunks } from "./markdown-chunks.ts";

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
  // Without their transforms, which make links of bare addresses: nodes that stand nowhere in the source.
  mdastExtensions: gfmFromMarkdown().map(({ transforms: _, ...rest }) => rest),
};

/** Read a Markdown document. `source` has no byte-order mark; lines end at `\n` alone. */
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

function parse(text: string): Root {
  return fromMarkdown(text, SYNTAX);
}

/** Block structure alone, at a third of the cost. */
const OUTLINE = {
  extensions: [
    {
      disable: {
        null: [
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
        ],
      },
    },
  ],
};

/** Whether one of these names is a level-2 heading of a Markdown body, written without markup. */
export function hasSection(body: string, names: readonly string[]): boolean {
  const lines = splitLines(body);
  for (const { tree } of chunks(lines, 1, (text) => fromMarkdown(text, OUTLINE))) {
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
