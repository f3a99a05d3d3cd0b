import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DiffLine, lineDiff } from "../../../src/kernel/text/line-diff.ts";

const without = (diff: readonly DiffLine[], kind: DiffLine["kind"]) =>
  diff.filter((line) => line.kind !== kind).map(({ text }) => text);

describe("lineDiff", () => {
  test("a change between equal ends is one line gone and one new, at its place", () => {
    expect(lineDiff(["a", "b", "c"], ["a", "x", "c"]).filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "gone", text: "b", line: 2 },
      { kind: "new", text: "x", line: 2 },
    ]);
  });

  test("both texts can be read out of it, and no shorter one exists for an insertion", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after);
        expect(without(diff, "new")).toEqual(before);
        expect(without(diff, "gone")).toEqual(after);
        const numbers = diff.filter(({ kind }) => kind !== "gone").map(({ line }) => line);
        expect(numbers).toEqual(after.map((_, index) => index + 1));
        const inserted = lineDiff(before, [...before.slice(0, 3), ...after, ...before.slice(3)]);
        expect(inserted.filter(({ kind }) => kind === "gone")).toEqual([]);
      }),
    );
  });

  test("texts too long to lay side by side count as replaced between their common ends", () => {
    const long = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word}${index % 7}`);
    const diff = lineDiff(["head", ...long("a"), "tail"], ["head", ...long("b"), "tail"]);
    expect(diff.filter(({ kind }) => kind === "same").map(({ text }) => text)).toEqual(["head", "tail"]);
    expect(diff).toHaveLength(6002);
  });
});
