import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSection, linesOf, sectionBody, sectionsOf } from "../../../src/flow/common/sections.ts";

const names = (text: string) => sectionsOf(text).map(({ name }) => name);

describe("level-2 sections of a text", () => {
  test("an exact name, trailing blanks ignored, the first of that name", () => {
    const text = "# T\n## A \t\r\nx\n### A\n##  A\n ## A\n## A\ny\n## Ab\n##A\n";
    expect(names(text)).toEqual(["A", " A", "A", "Ab"]);
    expect(sectionBody(text, "A")).toBe("x\n### A\n");
    expect(sectionBody(text, "a")).toBeUndefined();
    expect(findSection(text, "Ab")).toMatchObject({ end: text.length });
  });

  test("a heading that ends the text has an empty body", () => {
    expect(findSection("## A", "A")).toEqual({ name: "A", start: 0, body: 4, end: 4 });
    expect(sectionBody("", "A")).toBeUndefined();
  });

  test.each([
    ["backticks", "```\n## A\n```\n## B\n", ["B"]],
    ["tildes with an info string", "~~~ `sh`\n## A\n~~~\n## B\n", ["B"]],
    ["a longer fence holds a shorter one", "````\n```\n## A\n````\n## B\n", ["B"]],
    ["only the same mark closes", "```\n~~~\n## A\n```\n## B\n", ["B"]],
    ["what has an info string closes nothing", "```\n```js\n## A\n```\n## B\n", ["B"]],
    ["backticks in the info string open nothing", "``` `x`\n## A\n```\n## B\n```\n", ["A"]],
    ["four blanks are no fence", "    ```\n## A\n", ["A"]],
    ["three blanks are one", "   ```\n## A\n ```\r\n## B\n", ["B"]],
    ["a fence that is never closed fences nothing", "```\n## A\n~~~\n## B\n~~~\n## C\n", ["A", "C"]],
    ["nor one that only a shorter fence follows", "````\n## A\n```\n## B\n", ["A", "B"]],
  ])("headings in fenced code do not count: %s", (_, text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  test("the sections cover what follows the first heading, without a gap", () => {
    const piece = fc.constantFrom("## A\n", "## ", "```\n", "~~~\n", "- x\n", "\n", " ", "````", "\r\n", "é");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        const sections = sectionsOf(text);
        for (const [index, { body, end, name, start }] of sections.entries()) {
          expect(text.slice(start, body)).toMatch(/^## /);
          expect(text.slice(start + 3).startsWith(name)).toBe(true);
          expect(end).toBe(sections[index + 1]?.start ?? text.length);
        }
        expect(
          linesOf(text)
            .map((line) => line.text)
            .join("\n"),
        ).toBe(text);
      }),
    );
  });
});
