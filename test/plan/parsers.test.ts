import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCss, urlsIn } from "../../src/plan/read/css.ts";
import { findDefinitions } from "../../src/plan/read/definitions.ts";
import { lineAt, type PlanDocument } from "../../src/plan/read/document.ts";
import { readHtml } from "../../src/plan/read/html.ts";
import {
  anchorsOf,
  identifierAt,
  identifierOfAnchor,
  KINDS,
  mentions,
} from "../../src/plan/read/identifier.ts";
import { MAX_HTML_DEPTH } from "../../src/plan/read/limits.ts";
import { scanHtml } from "../../src/plan/read/markdown/raw-html.ts";
import { readMarkdown } from "../../src/plan/read/markdown.ts";
import { judge } from "../../src/plan/rules/judge.ts";
import { GOOD, GOOD_HTML } from "./support.ts";

/** What has to hold for every document, however odd. */
function expectSound(document: PlanDocument): void {
  const last = Math.max(1, document.lines.length);
  for (const [index, block] of document.blocks.entries()) {
    expect(block.index).toBe(index);
    expect(block.masked).toHaveLength(block.text.length);
    expect(block.line).toBeGreaterThanOrEqual(1);
    expect(block.endLine).toBeGreaterThanOrEqual(block.line);
    const lines = [0, Math.floor(block.text.length / 2), block.text.length].map((offset) =>
      lineAt(block, offset),
    );
    expect(lines).toEqual([...lines].sort((a, b) => a - b));
    for (const span of [...block.strong, ...block.links, ...block.inline]) {
      expect(span.start).toBeLessThan(span.end);
      expect(span.end).toBeLessThanOrEqual(block.text.length + 1);
    }
  }
  for (const heading of document.headings) {
    expect(heading.endLine).toBeGreaterThanOrEqual(heading.line);
    expect(heading.endLine).toBeLessThanOrEqual(last);
    expect(heading.end).toBeGreaterThan(heading.block);
    if (heading.parent !== undefined) expect(heading.parent.level).toBeLessThan(heading.level);
  }
}

/** Run every rule: none may throw, whatever it finds. */
function judgeAnything(document: PlanDocument): void {
  const integrity = { byteOrderMark: false, invalidLine: undefined, nulLine: undefined, utf16: false };
  for (const stage of ["requirements-only", "planned"] as const) {
    const { findings } = judge(document, integrity, {
      base: "x",
      stage,
      generation: "current",
      demanded: "auto",
      producer: undefined,
      split: true,
      sibling: undefined,
      repository: "/work/repository",
      ignored: new Set(),
    });
    for (const { excerpt, line } of findings) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect([...excerpt].length).toBeLessThanOrEqual(120);
    }
  }
}

/** Pieces that documents are made of, so that random ones reach the rules. */
const markdownPiece = fc.constantFrom(
  ...GOOD.split(/(?<=\n)(?=\n|#|-)/),
  "## Outstanding Questions\n\n",
  "**Resolve Before Planning**\n",
  "```\n",
  "~~~~ts\n",
  "> ",
  "    ",
  "- ",
  "1. ",
  "| a | R1 |\n|---|---|\n| R1 | b |\n",
  "<div>",
  "<!--",
  "-->",
  "`",
  "~~",
  "**R1.** ",
  "(session-settled:",
  "(pack:",
  "---\n",
  "\\",
  "\r\n",
  "\r",
  "\t",
  "\u2028",
  "😀",
  "[x]: y\n",
);
const htmlPiece = fc.constantFrom(
  ...GOOD_HTML.split(/(?=<)/),
  "<table>",
  "<tr>",
  "</section>",
  "<svg><title>",
  "<p><b>",
  "<article id=r1>",
  "<details open>",
  "<style>a{b:url(",
  "<!--",
  "&#0;",
  "<template>",
  "\r\n",
  "😀",
);

describe("any document is read", () => {
  test("Markdown", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(markdownPiece, fc.string({ maxLength: 20 })), { maxLength: 40 }),
        async (pieces) => {
          const document = await readMarkdown(pieces.join(""));
          expectSound(document);
          judgeAnything(document);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  test("HTML", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(htmlPiece, fc.string({ maxLength: 20 })), { maxLength: 60 }),
        (pieces) => {
          const document = readHtml(pieces.join(""));
          expectSound(document);
          judgeAnything(document);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  test("HTML nested as deep as may be does not overflow the stack", () => {
    const document = readHtml(`${"<span>".repeat(MAX_HTML_DEPTH - 2)}<h2>Deep</h2>`);
    expect(document.headings.map(({ text }) => text)).toEqual(["Deep"]);
  });
});

describe("long Markdown is read in pieces", () => {
  const filler = `${"Filler text that makes the document long. ".repeat(20)}\n\n`.repeat(24);

  test("with the same structure as in one", async () => {
    const many = `${GOOD}\n${Array.from({ length: 12 }, (_, index) => `### Part ${index}\n\n${filler}- R9. Item\n\n`).join("")}`;
    const document = await readMarkdown(many);
    const lines = many.split("\n");
    expect(document.headings.filter(({ text }) => text.startsWith("Part"))).toHaveLength(12);
    for (const { line, source } of document.headings) expect(lines[line - 1]).toContain(source);
    for (const { id, line } of findDefinitions(document)) expect(lines[line - 1]).toContain(id);
  });

  test.each([
    ["a fence", "```text\n", "```\n"],
    ["a comment", "<!--\n", "-->\n"],
    ["raw HTML", "<pre>\n", "</pre>\n"],
  ])("%s that is longer than a piece hides its headings", async (_what, open, close) => {
    const text = `## A\n\n${open}${`${filler}\n## hidden\n\n`.repeat(4)}${close}\n## B\n\n${filler}\n## C\n`;
    const document = await readMarkdown(text);
    expect(document.headings.map(({ text: name }) => name)).toEqual(["A", "B", "C"]);
    expect(document.fences.map(({ open: unclosed }) => unclosed)).toEqual(
      open.startsWith("`") ? [false] : [],
    );
  });
});

describe("identifiers", () => {
  const id = fc
    .tuple(fc.constantFrom(...KINDS), fc.nat(9999), fc.constantFrom("", "a", "z"))
    .map(([kind, number, letter]) => ({ kind, id: `${kind}${number}${letter}` }));

  test("an ID and its anchors are one", () => {
    fc.assert(
      fc.property(id, ({ id: text, kind }) => {
        expect(identifierAt(text, 0)).toEqual({
          id: text,
          kind,
          start: 0,
          end: text.length,
          hyphenated: false,
        });
        for (const anchor of anchorsOf(text)) expect(identifierOfAnchor(anchor)).toEqual({ id: text, kind });
      }),
    );
  });

  test("mentions are found in a list, and not inside words, versions or paths", () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 8 }), (ids) => {
        const text = ids.map((entry) => entry.id).join(", ");
        expect(mentions(`See ${text}.`).map((found) => found.id)).toEqual(ids.map((entry) => entry.id));
      }),
    );
    expect(mentions("XR1 R1_a a/R1 R1.5 #R1 F-16 R1bc").map(({ id: found }) => found)).toEqual([]);
    expect(mentions("R1–R4 R5-R6 AE-2").map(({ id: found }) => found)).toEqual([
      "R1",
      "R4",
      "R5",
      "R6",
      "AE2",
    ]);
  });
});

describe("style sheets", () => {
  test("declarations with their selector and line", () => {
    const css = `@import "x.css";
/* a { b: c; } */
a, b > c { color: red; background: url("data:x;y") }
@media print {
  d { content: "}; e { f: g" }
  &:hover { --x: 1 }
}
@font-face { src: url(f.woff2) }`;
    const sheet = readCss(css, 10);
    expect(sheet.imports).toEqual([10]);
    expect(sheet.declarations).toEqual([
      { selector: "a, b > c", property: "color", value: "red", line: 12 },
      { selector: "a, b > c", property: "background", value: 'url("data:x;y")', line: 12 },
      { selector: "d", property: "content", value: '"}; e { f: g"', line: 14 },
      { selector: "&:hover", property: "--x", value: "1", line: 15 },
      { selector: "@font-face", property: "src", value: "url(f.woff2)", line: 17 },
    ]);
  });

  test("any text is read", () => {
    const piece = fc.constantFrom(
      "a",
      "{",
      "}",
      ";",
      ":",
      '"',
      "'",
      "/*",
      "*/",
      "url(",
      ")",
      "@media",
      "\\",
      "\n",
      " ",
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join("")),
        (css) => {
          for (const { line, value } of readCss(css, 1).declarations) {
            expect(line).toBeGreaterThanOrEqual(1);
            urlsIn(value);
          }
        },
      ),
    );
  });
});

test("raw HTML is split into tags and comments with their lines, code left out", () => {
  const found = scanHtml("<div a='>'\nb>\n<!-- x\n--> `<br>` ``<i>`` </div>\n<hr/>", 5);
  expect(found.tags).toEqual([
    { line: 5, value: "<div a='>'\nb>" },
    { line: 8, value: "</div>" },
    { line: 9, value: "<hr/>" },
  ]);
  expect(found.comments).toEqual([{ line: 7, value: "<!-- x\n-->" }]);
});
