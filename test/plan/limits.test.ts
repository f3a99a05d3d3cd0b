/** Documents beyond the limits are refused with file and line; those within are read, however they are cut into pieces. */
import { describe, expect, test } from "vitest";
import { findDefinitions } from "../../src/plan/read/definitions.ts";
import { readHtml } from "../../src/plan/read/html.ts";
import {
  BeyondLimit,
  MAX_HTML_DEPTH,
  MAX_HTML_ELEMENTS,
  MAX_MARKDOWN_BYTES,
  MAX_MARKDOWN_DEPTH,
  MAX_MARKS,
  MAX_RUN,
} from "../../src/plan/read/limits.ts";
import { chunks } from "../../src/plan/read/markdown/chunks.ts";
import { hasSection, readMarkdown } from "../../src/plan/read/markdown.ts";
import { runJig } from "../support/run.ts";
import { GOOD, writePlan } from "./support.ts";
import { world } from "./world.ts";

const MARKDOWN: [what: string, text: string, line: number][] = [
  ["quotations", `${"> ".repeat(16_384)}a`, 1],
  ["bullets in one line", `${"- ".repeat(500)}a`, 1],
  ["nested lists", Array.from({ length: 800 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n"), 33],
  ["numbers and quotations by turns", `a\n\n${"> 1. ".repeat(20)}a`, 3],
  ["a run of marks", `a\n\n${"_".repeat(20_000)}a${"_".repeat(20_000)}`, 3],
  ["many marks", `a\n\n${"*a ".repeat(5_000)}`, 3],
  ["open brackets", `${"[".repeat(10_000)}a${"](".repeat(10_000)}`, 1],
  ["open comments", `a ${"<!-- ".repeat(5_000)}`, 1],
  ["backticks", `| a |\n|---|\n| ${"` ".repeat(2_000)}|`, 3],
  ["marks in a heading", `# ${"~~a".repeat(2_000)}`, 1],
  ["quotations by turns inside an item", `- a\n${"  > b\n  c\n".repeat(2_000)}`, 402],
  ["underlines inside an item", `- a\n${"  b\n  =\n".repeat(2_000)}`, 803],
];

const HTML: [what: string, text: string, line: number][] = [
  ["depth", `<p>a\n${"<div>".repeat(1_000)}`, 2],
  ["formatting that is opened again and again", `${"<b><i><a>".repeat(2_000)}${"</p>".repeat(2_000)}`, 1],
  ["elements", `<p>\n${"<br>".repeat(MAX_HTML_ELEMENTS)}`, 2],
];

function refusal(read: () => unknown): Promise<{ line: number; message: string }> {
  return Promise.resolve()
    .then(read)
    .then(
      () => Promise.reject(new Error("not refused")),
      (error: unknown) => {
        if (error instanceof BeyondLimit) return { line: error.line, message: error.message };
        throw error;
      },
    );
}

describe("beyond a limit", () => {
  test.each(MARKDOWN)("Markdown: %s", async (_what, text, line) => {
    expect((await refusal(() => readMarkdown(text))).line).toBe(line);
  });

  test.each(HTML)("HTML: %s", async (_what, text, line) => {
    expect((await refusal(() => readHtml(text))).line).toBe(line);
  });

  test("every verb names file and line, and a scan goes on", async () => {
    const deep = `${GOOD}\n${"> ".repeat(40)}a\n`;
    const path = writePlan(deep);
    const line = GOOD.split("\n").length + 1;
    for (const verb of ["check", "sections"]) {
      const run = await runJig(["plan", verb, path]);
      expect([run.code, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toContain(`${path}:${line}: lists and quotations nested deeper than 32 levels`);
    }
    const { plan, write } = world();
    write("docs/plans/2026-09-24-0952-feat-deep-plan.md", deep);
    write("docs/plans/2026-09-24-0953-feat-large-plan.md", GOOD + "a\n\n".repeat(MAX_MARKDOWN_BYTES / 2));
    write("docs/plans/2026-09-24-0954-feat-good-plan.md", GOOD);
    const found = JSON.parse((await plan(["find", "--json"])).stdout);
    expect([found.ignored, found.plans.length]).toEqual([2, 1]);
    const large = await plan(["check", "docs/plans/2026-09-24-0953-feat-large-plan.md"]);
    expect([large.code, large.stdout]).toEqual([2, ""]);
    expect(large.stderr).toContain(`more than ${MAX_MARKDOWN_BYTES}`);
  });
});

describe("within them", () => {
  test.each([
    ["depth", `${"> ".repeat(MAX_MARKDOWN_DEPTH)}a`],
    ["a run", `a ${"*".repeat(MAX_RUN)} b`],
    ["marks", "*a ".repeat(MAX_MARKS)],
    ["marks in many cells", `| a |\n|---|\n${"| **a** `b` [c](d) |\n".repeat(2_000)}`],
    ["marks in many items", "- **a** `b` [c](d)\n".repeat(2_000)],
    [
      "separators",
      `${"- - - -\n\n* * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * *\n\n".repeat(50)}`,
    ],
    ["a line of underscores", `${"_".repeat(500)}\n`],
    ["quotations by turns", "> a\n\nb\n\n".repeat(2_000)],
    ["lazy quotations", "> a\nb\n".repeat(2_000)],
    ["underlined headings", "a\n=\n".repeat(2_000)],
    ["marks in a fence", `~~~\n${"*_[<`".repeat(5_000)}\n${"> a\nb\n".repeat(2_000)}~~~\n`],
    ["marks in a comment", `<!--\n${"*_[<`".repeat(5_000)}\n-->\n`],
  ])("Markdown: %s", async (_what, text) => {
    const document = await readMarkdown(`${text}\n\n## Last\n`);
    expect(document.headings.at(-1)).toMatchObject({ text: "Last", line: text.split("\n").length + 2 });
  });

  test("HTML", () => {
    const nested = MAX_HTML_DEPTH - 4;
    const document = readHtml(
      `${"<div>".repeat(nested)}<h2>Last</h2>${"</div>".repeat(nested)}${"<i>a</i>".repeat(1_000)}`,
    );
    expect(document.headings.map(({ text }) => text)).toEqual(["Last"]);
  });
});

describe("pieces", () => {
  const part =
    "## Part\n\nText of **one** part.\n\n- R1. `item`\n  - nested\n\n> quoted\n\n| a | b |\n|---|---|\n| R2 | c |\n\n";
  const long = `## Requirements\n\n${part.repeat(200)}`;

  test("the same headings, lines and definitions as in one piece", async () => {
    const document = await readMarkdown(long);
    const lines = long.split("\n");
    expect(document.headings.filter(({ text }) => text === "Part")).toHaveLength(200);
    for (const { line, source } of document.headings) expect(lines[line - 1]).toContain(source);
    const found = findDefinitions(document);
    expect(found).toHaveLength(400);
    for (const { id, line } of found) expect(lines[line - 1]).toContain(id);
    expect(document.blocks.filter(({ quoted }) => quoted)).toHaveLength(200);
    expect(hasSection(long, ["Requirements"])).toBe(true);
  });

  test.each([
    ["a paragraph", "word of it\n"],
    ["a list", "- R1. item\n"],
    ["a numbered list", "1. item\n"],
    ["a quotation", "> quoted\n"],
    ["a table", "| R1 | cell |\n"],
    ["nested items", "  - nested\n"],
  ])("%s without a blank line loses nothing", async (what, line) => {
    const head = what === "a table" ? "| a | b |\n|---|---|\n" : what === "nested items" ? "- top\n" : "";
    const count = Math.ceil(100_000 / line.length);
    const document = await readMarkdown(`${head}${line.repeat(count)}`);
    const text = document.blocks.map((block) => block.text).join("\n");
    expect(text.split(/\n/).filter((row) => /word|item|quoted|cell|nested/.test(row))).toHaveLength(count);
    if (what === "nested items") expect(document.blocks.at(-1)!.item?.depth).toBe(2);
    if (what === "a table") expect(document.blocks.at(-1)!.item?.kind).toBe("row");
  });

  test("no piece but a fence, a table or one item is long", () => {
    const sizes = (text: string) =>
      [...chunks(text.split("\n"), 1, () => ({ type: "root", children: [] }))].map(
        ({ text: piece }) => piece.length,
      );
    expect(Math.max(...sizes("a\n\n".repeat(50_000)))).toBeLessThan(20_000);
    expect(Math.max(...sizes("a\n".repeat(50_000)))).toBeLessThan(40_000);
    expect(Math.max(...sizes("> a\nb\n".repeat(20_000)))).toBeLessThan(3_000);
  });
});
