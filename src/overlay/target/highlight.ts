import type { Box } from "../../kernel/shared/annotate-wire.ts";
import { button, h, moveTo, putAt, setHidden, setText, sizeOf } from "../page/dom.ts";
import { clamp } from "../page/geometry.ts";
import { labelOf } from "./describe.ts";
import { boxOf, viewport } from "./targets.ts";

/** What annotate mode draws on the page: the outline with its chip, or the box being dragged (15.4). */
export interface Highlight {
  layer: HTMLElement;
  /** `depth` says which of several elements at one spot this is. */
  draw(element: Element | null, region: Box | null, depth: string): void;
  /** The elements put together for one note. */
  drawCollected(boxes: readonly Box[]): void;
}

export function createHighlight(choose: () => void): Highlight {
  const outline = h("div.outline", { hidden: true });
  const box = h("div.region", { hidden: true });
  const words = h("span.chip-name");
  const size = h("span.chip-size");
  const place = h("span.chip-depth");
  const chip = h("div.chip", { hidden: true }, words, size, place, button("chip-comment", "Comment", choose));

  const drawOutline = (element: Element, depth: string) => {
    const target = boxOf(element);
    moveTo(outline, target);
    setText(words, labelOf(element));
    setText(size, `${Math.round(target.width)}×${Math.round(target.height)}`);
    setText(place, depth);
    const { width, height } = viewport();
    const own = sizeOf(chip);
    const above = target.y - own.height - 6;
    const below = target.y + target.height + 6;
    const fits = below + own.height <= height - 4;
    const y = above >= 4 ? above : fits ? below : clamp(target.y + 6, 4, height - own.height - 4);
    putAt(chip, { x: clamp(target.x, 4, Math.max(4, width - own.width - 4)), y });
  };

  const marks: HTMLElement[] = [];
  const layer = h("div.layer", {}, outline, box, chip);
  return {
    layer,
    drawCollected(boxes) {
      while (marks.length < boxes.length) {
        const mark = h("div.mark collected");
        marks.push(mark);
        layer.prepend(mark);
      }
      for (const [at, mark] of marks.entries()) {
        setHidden(mark, boxes[at] === undefined);
        if (boxes[at] !== undefined) moveTo(mark, boxes[at]);
      }
    },
    draw(element, region, depth) {
      setHidden(box, region === null);
      if (region !== null) moveTo(box, region);
      setHidden(outline, element === null);
      setHidden(chip, element === null);
      if (element !== null) drawOutline(element, depth);
    },
  };
}
