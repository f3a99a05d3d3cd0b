import type { Block, BlockKind, Heading, Item } from "./document.ts";
import type { TextRun } from "./text-run.ts";

/** What has been read of a document so far. */
interface SoFar {
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
  /** Knows the items that have text already. */
  readonly opened: { has(item: Item): boolean };
}

/** What the next block of a document takes from its text and from what came before, in either format. */
export function blockOf(to: SoFar, kind: BlockKind, run: TextRun, item: Item | undefined) {
  return {
    index: to.blocks.length,
    kind,
    text: run.text,
    masked: run.masked,
    ...run.spans,
    lines: run.lines,
    item,
    opensItem: kind !== "opaque" && item !== undefined && !to.opened.has(item),
    heading: to.headings.at(-1),
  };
}
