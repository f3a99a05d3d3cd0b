import { describe, expect, test } from "vitest";
import { FILLER, findMarked, STUBS, waivedIn } from "../../src/craft/lints/marked-words.ts";
import { looksLikePath, planParts } from "../../src/craft/lints/plan-parts.ts";

describe("marked words", () => {
  test("stubs are whole words in any case, each with its line", () => {
    expect(findMarked("a todo b\nTODOS stub_x\n// FIXME: TODO todo\nüXXX", STUBS)).toEqual([
      "TODO@L1",
      "FIXME@L3",
      "TODO@L3",
    ]);
  });

  test("filler is named once a file, phrases with either apostrophe", () => {
    const text = "We Leverage. leverage! It’s important to note, IN CONCLUSION robustness";
    expect(findMarked(text, FILLER)).toEqual(["leverage", "it's important to note", "in conclusion"]);
  });

  test("a waiver names its file exactly", () => {
    const source = "x STUB-WAIVE(a.ts): why\nSTUB-WAIVE(b(1).ts)\nSLOP-WAIVE(c.ts)";
    expect(waivedIn(source, "STUB", ["a.ts", "b(1).ts", "c.ts", "a"])).toEqual(["a.ts", "b(1).ts"]);
  });
});

describe("plan parts", () => {
  test("sections count inside their own part only", () => {
    const parts = planParts(
      "# P\n## Part 1 — One\n### Context\n`a/b.ts` and `x`, `a/b.ts`\n### TDD steps\n### Gate\n## Notes\n### Commit\n## Part 2: Two\n### Gate\n`c.md`\n",
    );
    expect(parts).toEqual([
      { heading: "Part 1 — One", short: "Part 1", missing: ["Commit"], contextSpans: ["a/b.ts", "x"] },
      {
        heading: "Part 2: Two",
        short: "Part 2",
        missing: ["Context", "TDD steps", "Commit"],
        contextSpans: [],
      },
    ]);
  });

  test.each([
    ["src/a.ts", true],
    ["a.md", true],
    ["@scope/x+y*", true],
    ["name", false],
    ["f(x)/y", false],
    ["a b/c", false],
  ])("%s reads as a path: %s", (span, expected) => {
    expect(looksLikePath(span)).toBe(expected);
  });
});
