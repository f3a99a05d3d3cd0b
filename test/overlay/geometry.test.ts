import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  atFraction,
  boxAtFraction,
  encloses,
  fanOut,
  fractionOf,
  half,
  isCovered,
  isDrag,
  placeBeside,
  regionBetween,
} from "../../src/overlay/page/geometry.ts";

const box = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });
const size = fc.record({
  width: fc.integer({ min: 40, max: 400 }),
  height: fc.integer({ min: 40, max: 400 }),
});
const spot = fc.record({
  x: fc.integer({ min: -2000, max: 3000 }),
  y: fc.integer({ min: -2000, max: 3000 }),
});

describe("geometry", () => {
  test("half pixels, drags from six pixels, regions within the viewport", () => {
    expect([0.24, 0.25, 0.74, -0.3].map(half)).toEqual([0, 0.5, 0.5, -0.5]);
    expect([isDrag({ x: 0, y: 0 }, { x: 4, y: 4 }), isDrag({ x: 0, y: 0 }, { x: 6, y: 0 })]).toEqual([
      false,
      true,
    ]);
    const view = { width: 800, height: 600 };
    expect(regionBetween({ x: 50, y: 80 }, { x: -30, y: 700 }, view)).toEqual(box(0, 80, 50, 520));
    fc.assert(
      fc.property(spot, spot, (from, to) => {
        expect(encloses(box(0, 0, 800, 600), regionBetween(from, to, view))).toBe(true);
      }),
    );
  });

  test("covered means at least half inside", () => {
    expect(isCovered(box(0, 0, 100, 100), box(0, 0, 50, 100))).toBe(true);
    expect(isCovered(box(0, 0, 100, 100), box(0, 0, 49, 100))).toBe(false);
    expect(isCovered(box(0, 0, 0, 0), box(0, 0, 49, 100))).toBe(false);
  });

  test("a pin keeps its place in a box that moved and grew", () => {
    const fraction = fractionOf(box(100, 100, 200, 50), { x: 150, y: 125 });
    expect(atFraction(box(0, 0, 400, 100), fraction)).toEqual({ x: 100, y: 50 });
    expect(fractionOf(box(0, 0, 10, 10), { x: 90, y: -4 })).toEqual({ x: 1, y: 0 });
    expect(boxAtFraction(box(10, 10, 100, 100), box(0.5, 0, 0.5, 1))).toEqual(box(60, 10, 50, 100));
  });

  test("pins on one spot fan out, none on another, none moved up or down", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ x: fc.integer({ min: 30, max: 770 }), y: fc.constantFrom(50, 60, 200) }), {
          maxLength: 12,
        }),
        (spots) => {
          const placed = fanOut(spots, 24, 800);
          expect(placed.length).toBe(spots.length);
          for (const [at, one] of placed.entries()) {
            expect(one.y).toBe(spots[at]!.y);
            for (const other of placed.slice(0, at))
              if (one.x >= 0 && other.x >= 0)
                expect(Math.abs(one.x - other.x) >= 23 || Math.abs(one.y - other.y) >= 23).toBe(true);
          }
        },
      ),
    );
  });

  test("a panel that fits stays in view, and off its target when there is room beside it", () => {
    fc.assert(
      fc.property(spot, size, size, (at, target, panel) => {
        const view = box(0, 0, 1200, 900);
        const place = placeBeside({ ...at, ...target }, panel, view);
        expect(encloses(view, { ...place, ...panel })).toBe(true);
      }),
    );
    expect(placeBeside(box(100, 100, 50, 20), { width: 300, height: 200 }, box(0, 0, 1200, 900))).toEqual({
      x: 162,
      y: 100,
    });
    expect(placeBeside(box(1000, 800, 50, 20), { width: 300, height: 200 }, box(0, 0, 1200, 900))).toEqual({
      x: 888,
      y: 588,
    });
  });
});
