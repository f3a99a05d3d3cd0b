import type { Box } from "../../../kernel/shared/annotate-wire.ts";
import { atFraction, boxAtFraction, fractionOf, type Spot } from "../../page/geometry.ts";
import * as page from "../../page/page.ts";
import type { Found } from "../../target/find-target.ts";
import { isRendered } from "../../target/hit-test.ts";
import { textRects } from "../../target/quotes.ts";
import { boxOf } from "../../target/targets.ts";
import type { Anchor } from "../../types.ts";

/** Ancestors that cut off what scrolls out of them. */
export function clippers(element: Element): Element[] {
  const found: Element[] = [];
  for (let holder = page.holderOf(element); holder !== null; holder = page.holderOf(holder)) {
    if (page.isPageRoot(holder)) continue;
    const { overflowX, overflowY, position } = getComputedStyle(holder);
    if (overflowX !== "visible" || overflowY !== "visible" || page.tagOf(holder) === "iframe")
      found.push(holder);
    if (position === "fixed") break;
  }
  return found;
}

/** Where a region lay in its container when it was drawn, from page positions: the layout is still the same then. */
export function regionPlace(anchor: Anchor, container: Element): Box | null {
  if (anchor.context.kind !== "region" || anchor.rect === null || anchor.point === null) return null;
  const box = boxOf(container);
  if (box.width === 0 || box.height === 0) return null;
  const x = anchor.rect.x + anchor.point.scrollX - (box.x + scrollX);
  const y = anchor.rect.y + anchor.point.scrollY - (box.y + scrollY);
  return {
    x: x / box.width,
    y: y / box.height,
    width: anchor.rect.width / box.width,
    height: anchor.rect.height / box.height,
  };
}

/** A target's box now: the text's, the region's or the element's; null while it is not shown. */
export function placeNow(anchor: Anchor, found: Found, place: Box | null): Box | null {
  if (!page.isPageRoot(found.element) && !isRendered(found.element)) return null;
  if (found.range !== null) {
    const { x, y, width, height } = found.range.getBoundingClientRect();
    return { x, y, width, height };
  }
  const box = boxOf(found.element);
  return anchor.context.kind === "region" && place !== null ? boxAtFraction(box, place) : box;
}

/** Where in the box the pin points: where the person pointed; the end of a text; else the upper right. */
export function pinSpot(anchor: Anchor, box: Box, found: Found): Spot {
  if (found.range !== null) {
    const rects = textRects(found.range);
    const last = rects[rects.length - 1];
    return last === undefined
      ? { x: box.x + box.width, y: box.y }
      : { x: last.right, y: last.top + last.height / 2 };
  }
  if (anchor.rect === null || anchor.point === null) return { x: box.x + box.width, y: box.y };
  return atFraction(box, fractionOf(anchor.rect, anchor.point));
}
