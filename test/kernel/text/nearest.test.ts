import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editDistance, nearest } from "../../../src/kernel/text/nearest.ts";

describe("nearest", () => {
  test.each([
    ["statsu", "status"],
    ["resul", "result"],
    ["lst", "list"],
    ["reep", "reap"],
    ["zzz", undefined],
    ["", undefined],
    ["x", undefined],
  ])("%j is meant as %j", (word, meant) => {
    expect(nearest(word, ["start", "status", "wait", "result", "reap", "list"])).toBe(meant);
  });

  test("the distance is the number of edits, and above the limit only that it is too far", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
    fc.assert(
      fc.property(word, word, fc.nat(6), (a, b, limit) => {
        const distance = editDistance(a, b, 10);
        expect(distance).toBe(editDistance(b, a, 10));
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        const limited = editDistance(a, b, limit);
        if (distance <= limit) expect(limited).toBe(distance);
        else expect(limited).toBeGreaterThan(limit);
      }),
    );
  });
});
