import type { Box } from "../../../kernel/shared/annotate-wire.ts";
import { h, moveTo, setAttribute, setHidden } from "../../page/dom.ts";
import { intersection } from "../../page/geometry.ts";
import type { Found } from "../../target/find-target.ts";
import { textRects } from "../../target/quotes.ts";
import { viewport } from "../../target/targets.ts";
import type { Anchor } from "../../types.ts";
import { placeNow } from "./placing.ts";

const MAX_LINES = 60;

/** The boxes that show what a note is about: one, or for a text one a line. */
export function marksOf(anchor: Anchor, found: Found, place: Box | null): Box[] {
  if (found.range !== null) return textRects(found.range).slice(0, MAX_LINES);
  const box = placeNow(anchor, found, place);
  if (box === null) return [];
  const { width, height } = viewport();
  const seen = intersection(box, { x: -4, y: -4, width: width + 8, height: height + 8 });
  return seen.width > 0 && seen.height > 0 ? [box] : [];
}

export interface Outlines {
  layer: HTMLElement;
  draw(boxes: readonly Box[], isText: boolean): void;
}

export function createOutlines(): Outlines {
  const layer = h("div.layer");
  const marks: HTMLElement[] = [];
  return {
    layer,
    draw(boxes, isText) {
      while (marks.length < boxes.length) {
        const mark = h("div.mark");
        marks.push(mark);
        layer.append(mark);
      }
      for (const [at, mark] of marks.entries()) {
        const box = boxes[at];
        setHidden(mark, box === undefined);
        setAttribute(mark, "class", isText ? "mark text" : "mark");
        if (box !== undefined) moveTo(mark, box);
      }
    },
  };
}
