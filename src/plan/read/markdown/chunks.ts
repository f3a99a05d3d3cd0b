/**
 * A Markdown document parsed piece by piece. The parser's time grows faster than its input, and a line that begins at
 * the left after a blank one closes every construct except a fence and a few HTML blocks, which are looked for.
 */
import type { Root, RootContent } from "mdast";
import { checkBlocks } from "./limits.ts";

/** Weight of a piece: its characters, and what its quotations and underlines cost the parser more than text. */
const PIECE = 16_384;
const TURN = 80;

export interface Chunk {
  tree: Root;
  /** Line of the file that the piece begins with. */
  line: number;
  /** Its text, to look at what a node was written as. */
  text: string;
}

/** Parse `lines` from `firstLine` (1-based) on. Throws `BeyondLimit` before a piece beyond the limits is parsed. */
export function* chunks(
  lines: readonly string[],
  firstLine: number,
  parse: (text: string, line: number) => Root,
): Generator<Chunk> {
  let start = firstLine - 1;
  while (start < lines.length) {
    const cutAt = cut(lines, start);
    const block = opaqueEnd(lines, start) ?? 0;
    // A fence or comment longer than a piece is a piece of its own: nothing in it is parsed.
    const end = Math.max(cutAt, block);
    if (end !== block) checkBlocks(lines, start, end);
    const text = lines.slice(start, end).join("\n") + "\n";
    const tree = parse(text, start + 1);
    const last = tree.children.at(-1);
    const lastLine = last?.position?.start.line ?? 1;
    if (end < lines.length && lastLine > 1 && staysOpen(last, text)) {
      // What was cut at is inside this fence or comment, which the next piece begins with.
      tree.children.pop();
      yield { tree, line: start + 1, text };
      start += lastLine - 1;
      continue;
    }
    yield { tree, line: start + 1, text };
    start = end;
  }
}

/** Where a piece ends that begins at a line: the first good place, or when there is none for long, any that does no harm. */
function cut(lines: readonly string[], start: number): number {
  let weight = lines[start]!.length + 1;
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index]!;
    if (weight >= PIECE && isFlush(line)) {
      if (lines[index - 1]!.trim() === "") return index;
      // In the middle of a paragraph, list or quotation. Not of a table: its rows would be nothing without its head.
      if (weight >= 2 * PIECE && !line.includes("|") && !/^[=-]+\s*$/.test(line)) return index;
    }
    weight += line.length + 1 + (isTurn(line, lines[index - 1]!) ? TURN : 0);
  }
  return lines.length;
}

function isTurn(line: string, before: string): boolean {
  const [own, other] = [line.trimStart()[0], before.trimStart()[0]];
  return (own === ">") !== (other === ">") || own === "=" || (own === "-" && /^-+\s*$/.test(line));
}

function isFlush(line: string): boolean {
  return line !== "" && line[0] !== " " && line[0] !== "\t";
}

/** Ends of the HTML blocks that blank lines do not end, by how they begin. */
const HTML_BLOCKS: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![A-Za-z]/, />/],
];

/** The line index behind a fence or HTML block that begins at a line; undefined for anything else. */
function opaqueEnd(lines: readonly string[], start: number): number | undefined {
  const first = lines[start]!;
  const marks = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(first)?.[1];
  if (marks !== undefined) {
    for (let index = start + 1; index < lines.length; index++) {
      const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines[index]!)?.[1];
      if (closing !== undefined && closing[0] === marks[0] && closing.length >= marks.length)
        return index + 1;
    }
    return lines.length;
  }
  const html = first.replace(/^ {1,3}/, "");
  const end = HTML_BLOCKS.find(([begin]) => begin.test(html))?.[1];
  if (end === undefined) return undefined;
  for (let index = start; index < lines.length; index++) if (end.test(lines[index]!)) return index + 1;
  return lines.length;
}

/** Whether more lines would have become part of this last node. */
function staysOpen(node: RootContent | undefined, text: string): boolean {
  if (node?.type === "code") return isOpenFence(node, text);
  if (node?.type !== "html") return false;
  const block = HTML_BLOCKS.find(([begin]) => begin.test(node.value));
  if (block !== undefined) return !block[1].test(node.value);
  // Any other HTML block ends at a blank line, which did not come yet.
  return !/\n[ \t]*\n$/.test(text);
}

type Code = Extract<RootContent, { type: "code" }>;

/** The opening marks of a fenced code block; undefined for an indented one. */
export function fenceMarks(node: Code, text: string): string | undefined {
  const start = node.position?.start.offset;
  if (start === undefined) return undefined;
  return /^(`{3,}|~{3,})/.exec(text.slice(start, start + 200))?.[0];
}

/** Whether a fenced block has no closing line. */
export function isOpenFence(node: Code, text: string): boolean {
  const marks = fenceMarks(node, text);
  if (marks === undefined) return false;
  const { start, end } = node.position!;
  if (end.line === start.line) return true;
  const last = text.slice(text.lastIndexOf("\n", end.offset! - 1) + 1, end.offset);
  const closing = /^[\s>]*(`{3,}|~{3,})[ \t]*$/.exec(last);
  return closing === null || closing[1]![0] !== marks[0] || closing[1]!.length < marks.length;
}
