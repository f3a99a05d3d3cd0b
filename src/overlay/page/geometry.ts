import type { Box } from "../../kernel/shared/annotate-wire.ts";

export interface Spot {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export const clamp = (value: number, low: number, high: number): number =>
  Math.max(low, Math.min(high, value));

/** To the nearest half pixel, the precision a note carries. */
export const half = (value: number): number => Math.round(value * 2) / 2;

export function roundBox(box: Box): Box {
  return { x: half(box.x), y: half(box.y), width: half(box.width), height: half(box.height) };
}

export const centre = (box: Box): Spot => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

export const isInside = (box: Box, spot: Spot): boolean =>
  spot.x >= box.x && spot.x <= box.x + box.width && spot.y >= box.y && spot.y <= box.y + box.height;

/** Pointer travel, in pixels, from which a press is a drag and not a click. */
export const DRAG_DISTANCE = 6;

export function isDrag(from: Spot, to: Spot): boolean {
  return Math.hypot(to.x - from.x, to.y - from.y) >= DRAG_DISTANCE;
}

/** The part two boxes share; its sides are 0 when there is none. */
export function intersection(a: Box, b: Box): Box {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(0, Math.min(a.x + a.width, b.x + b.width) - x),
    height: Math.max(0, Math.min(a.y + a.height, b.y + b.height) - y),
  };
}

/** The box spanned by two corners, clipped to the viewport. */
export function regionBetween(from: Spot, to: Spot, viewport: Size): Box {
  const x = clamp(Math.min(from.x, to.x), 0, viewport.width);
  const y = clamp(Math.min(from.y, to.y), 0, viewport.height);
  return {
    x,
    y,
    width: clamp(Math.max(from.x, to.x), 0, viewport.width) - x,
    height: clamp(Math.max(from.y, to.y), 0, viewport.height) - y,
  };
}

export function encloses(outer: Box, inner: Box): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}

/** Whether at least half of a box lies in a region. */
export function isCovered(box: Box, region: Box): boolean {
  const shared = intersection(box, region);
  return box.width * box.height > 0 && shared.width * shared.height * 2 >= box.width * box.height;
}

/** Where in a box a spot lies, as fractions of its sides, kept within it. */
export function fractionOf(box: Box, spot: Spot): Spot {
  return {
    x: box.width > 0 ? clamp((spot.x - box.x) / box.width, 0, 1) : 0.5,
    y: box.height > 0 ? clamp((spot.y - box.y) / box.height, 0, 1) : 0.5,
  };
}

export const atFraction = (box: Box, fraction: Spot): Spot => ({
  x: box.x + box.width * fraction.x,
  y: box.y + box.height * fraction.y,
});

/** A box given in fractions of another, in that other's pixels. */
export function boxAtFraction(box: Box, fraction: Box): Box {
  return {
    x: box.x + box.width * fraction.x,
    y: box.y + box.height * fraction.y,
    width: box.width * fraction.width,
    height: box.height * fraction.height,
  };
}

/** Move pins that would lie on one another apart to the right, or to the left where the viewport ends. */
export function fanOut(spots: readonly Spot[], gap: number, width: number): Spot[] {
  const placed: Spot[] = [];
  for (const spot of spots) {
    let { x } = spot;
    let step = x + gap * 2 > width ? -gap : gap;
    const taken = () =>
      placed.some((other) => Math.abs(other.x - x) < gap - 1 && Math.abs(other.y - spot.y) < gap - 1);
    while (taken()) {
      x += step;
      if (x > width - gap && step > 0) {
        x = spot.x - gap;
        step = -gap;
      }
      if (x < 0) break;
    }
    placed.push({ x, y: spot.y });
  }
  return placed;
}

/**
 * Where to put a panel so that it stays in view and does not hide what it is about: right of the target,
 * below, above, left of it; over its corner when nothing else fits.
 */
export function placeBeside(target: Box, size: Size, view: Box, gap = 12): Spot {
  const right = view.x + view.width;
  const bottom = view.y + view.height;
  const after = { x: target.x + target.width + gap, y: target.y + target.height + gap };
  const before = { x: target.x - gap - size.width, y: target.y - gap - size.height };
  const within = ({ x, y }: Spot): Spot => ({
    x: clamp(x, view.x + gap, Math.max(view.x + gap, right - size.width - gap)),
    y: clamp(y, view.y + gap, Math.max(view.y + gap, bottom - size.height - gap)),
  });
  if (after.x + size.width + gap <= right) return within({ x: after.x, y: target.y });
  if (after.y + size.height + gap <= bottom) return within({ x: target.x, y: after.y });
  if (before.y >= view.y) return within({ x: target.x, y: before.y });
  if (before.x >= view.x) return within({ x: before.x, y: target.y });
  return within({ x: after.x - size.width - gap * 2, y: target.y + gap });
}
