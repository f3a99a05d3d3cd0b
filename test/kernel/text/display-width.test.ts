import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutToWidth, displayWidth } from "../../../src/kernel/text/display-width.ts";

describe("displayWidth", () => {
  test.each([
    ["", 0],
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["東京", 4],
    ["한글", 4],
    ["ｱ", 1],
    ["ＡＢ", 4],
    ["🦀!", 3],
    ["𠀀", 2],
  ])("%j takes %i columns", (text, columns) => expect(displayWidth(text)).toBe(columns));
});

describe("cutToWidth", () => {
  test.each([
    ["short", 5, "short"],
    ["longer", 5, "long…"],
    ["東京都", 5, "東京…"],
    ["東京都", 4, "東…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["🦀🦀", 3, "🦀…"],
    ["ab", 1, "…"],
  ])("%j cut to %i is %j", (text, width, cut) => expect(cutToWidth(text, width)).toBe(cut));

  test("fits, and is the text or the beginning of it with a mark", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        const cut = cutToWidth(text, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(width);
        if (cut === text) return;
        expect(cut.endsWith("…")).toBe(true);
        expect(text.startsWith(cut.slice(0, -1))).toBe(true);
        expect(displayWidth(text)).toBeGreaterThan(width);
      }),
    );
  });
});
