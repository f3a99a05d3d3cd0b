/** Bare addresses: the Markdown parser would make links of them that stand nowhere in the source. */
import { expect, test } from "vitest";
import { readMarkdown } from "../../src/plan/read/markdown.ts";
import { runJig } from "../support/run.ts";
import { check, GOOD, writePlan } from "./support.ts";

const ADDRESSES = [
  "See https://example.com/x for details.",
  "See www.example.com, or (http://example.com/a_b_c).",
  "Ask ops@example.com and a.b+c@mail.example.org.",
  "| where | https://example.com |\n|---|---|\n| www.example.com | me@example.com |",
  "- R9. **Look at https://example.com** and [text](https://example.com) and <https://example.com>",
  "> quoted www.example.com",
  "# www.example.com",
];

test.each(ADDRESSES)("%s: text with its line", async (text) => {
  const document = await readMarkdown(`first\n\n${text}\n`);
  const blocks = document.blocks.slice(1);
  expect(blocks.map((block) => block.text).join(" ")).toMatch(/example\.(?:com|org)/);
  for (const block of blocks) expect(block.line).toBeGreaterThanOrEqual(3);
});

test("in a plan they change nothing", async () => {
  const report = await check(`${GOOD}\n${ADDRESSES.slice(0, 3).join("\n\n")}\n`);
  expect([report.exitCode, report.findings]).toEqual([0, []]);
  const path = writePlan(`${GOOD}\n${ADDRESSES.slice(0, 4).join("\n\n")}\n`);
  for (const verb of ["check", "sections"]) expect((await runJig(["plan", verb, path])).stderr).toBe("");
});
