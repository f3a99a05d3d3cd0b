/**
 * A long Markdown document parsed piece by piece. The parser's time grows faster than its input, and a top-level
 * heading after a blank line closes every construct except a fence and a few HTML blocks, which are looked for.
 */
import type { Root, RootContent } from "mdast";

const PIECE = 16_384;

export interface Chunk {
  tree: Root;
  /** Line of the file that the piece begins with. */
  line: number;
  /** Its text, to look at what a node was written as. */
  text: string;
}

/** Parse `lines` from `firstLine` (1-based) on. */
export function* chunks(
  lines: readonly string[],
  firstLine: number,
  parse: (text: string) => Root,
): Generator<Chunk> {
  let start = firstLine - 1;
  let size = PIECE;
  while (start < lines.length) {
    const end = cut(lines, start, size);
    const text = lines.slice(start, end).join("\n") + "\n";
    const tree = parse(text);
    if (end < lines.length && staysOpen(tree.children.at(-1), text)) {
      // What looked like a heading is inside a fence or comment: take more, so much that this cannot add up.
      size *= 2;
      continue;
    }
    yield { tree, line: start + 1, text };
    start = end;
    size = PIECE;
  }
}

function cut(lines: readonly string[], start: number, size: number): number {
  let length = 0;
  for (let index = start; index < lines.length; index++) {
    const line = lines[index]!;
    if (length >= size && lines[index - 1]!.trim() === "" && /^#{1,6}[ \t]/.test(line)) return index;
    length += line.length + 1;
  }
  return lines.length;
}

/** Whether more lines would have become part of this last node. */
function staysOpen(node: RootContent | undefined, text: string): boolean {
  if (node?.type === "code") return isOpenFence(node, text);
  if (node?.type !== "html") return false;
  const { value } = node;
  if (value.startsWith("<!--")) return !value.includes("-->");
  if (value.startsWith("<?")) return !value.includes("?>");
  if (value.startsWith("<![CDATA[")) return !value.includes("]]>");
  if (value.startsWith("<!")) return !value.includes(">");
  return (
    /^<(script|pre|style|textarea)(\s|>|$)/i.test(value) && !/<\/(script|pre|style|textarea)>/i.test(value)
  );
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
