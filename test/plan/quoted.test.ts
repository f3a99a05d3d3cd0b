/** What a plan quotes is not its own: nothing inside a quotation defines, covers or asks. */
import { describe, expect, test } from "vitest";
import { findDefinitions } from "../../src/plan/read/definitions.ts";
import type { PlanDocument } from "../../src/plan/read/document.ts";
import { readHtml } from "../../src/plan/read/html.ts";
import { readMarkdown } from "../../src/plan/read/markdown.ts";
import { findQuestions } from "../../src/plan/read/questions.ts";
import { change, check, GOOD, GOOD_HTML, summary } from "./support.ts";

const quote = (text: string) => text.replaceAll(/^/gm, "> ");

const BODY = "## Requirements\n\n- R1. own\n\n";
const OTHER = [
  "- R2. quoted",
  "**R2.** quoted",
  "### R2. quoted",
  "| R2 | quoted |\n|---|---|\n| R2 | quoted |",
  "- outer\n\n  > - R2. deeper",
  "## Implementation Units\n\n### U1. quoted",
  "<!-- ce-section: work-relationships -->",
];

function expectOwnOnly(document: PlanDocument): void {
  expect(findDefinitions(document).map(({ id }) => id)).toEqual(["R1"]);
  expect(document.markers).toEqual([]);
  expect(document.headings.map(({ text }) => text)).toEqual(["Requirements"]);
}

describe("defines nothing", () => {
  test.each(OTHER)("Markdown: %s", async (text) => {
    expectOwnOnly(await readMarkdown(`${BODY}${quote(text)}\n`));
    expectOwnOnly(await readMarkdown(`${BODY}- item\n\n  > ${quote(text).replaceAll("\n", "\n  > ")}\n`));
  });

  test.each([
    "<ul><li>R2. quoted</li></ul>",
    "<p><b>R2.</b> quoted</p>",
    "<h2>Implementation Units</h2><h3>U1. quoted</h3>",
    "<table><tr><td>R2</td><td>quoted</td></tr></table>",
    '<section data-ce-section="work-relationships"><p>x</p></section>',
  ])("HTML: %s", (text) => {
    const own = "<h2>Requirements</h2><ul><li>R1. own</li></ul>";
    expectOwnOnly(readHtml(`<body>${own}<blockquote>${text}</blockquote>`));
    expectOwnOnly(readHtml(`<body>${own}<blockquote><div>${text}</div></blockquote>`));
  });

  test("HTML: neither metadata nor an anchor", async () => {
    const dl = "<dl><dt>execution</dt><dd>nonsense</dd></dl>";
    const html = change(GOOD_HTML, "<body>", `<body><blockquote>${dl}</blockquote>`);
    expect(summary(await check(html, { name: "x.html" })).join()).not.toContain("PLAN-M12");
    const quoted = readHtml(`<body><blockquote><ul><li id="r9">R9. x</li></ul></blockquote>`);
    expect(quoted.metadata.size + findDefinitions(quoted).length).toBe(0);
  });
});

test("covers nothing", async () => {
  // Neither a link that has to resolve, nor the words that an example has to say.
  const dangling = await check(`${GOOD}\n> Covers R98. Governs R99.\n`);
  expect(summary(dangling).join()).not.toContain("PLAN-I04");
  const section = "### Acceptance Examples\n\n";
  const at = GOOD.indexOf(section) + section.length;
  const example = "- AE9. a mute ends\n\n  > Covers R1\n\n";
  const uncovered = await check(GOOD.slice(0, at) + example + GOOD.slice(at));
  expect(summary(uncovered).join()).toContain("PLAN-I07 warning");
});

test("asks nothing", async () => {
  const questions = (text: string) =>
    readMarkdown(`### Outstanding Questions\n\n${text}\n`).then(findQuestions);
  const own = "**Deferred to Planning**\n\n- own\n";
  const quoted = quote("**Resolve Before Planning**\n\n- quoted");
  for (const text of [`${own}\n${quoted}\n`, `${quoted}\n\n${own}`, `${own}\n${quoted}\n\n- second\n`]) {
    const found = await questions(text);
    expect(found.resolveBeforePlanning).toEqual([]);
    expect(found.deferredToPlanning.map(({ text: words }) => words)[0]).toBe("own");
    expect(found.unclassified).toEqual([]);
  }
  const html = readHtml(
    "<section><h3>Outstanding Questions</h3><blockquote><p><b>Resolve Before Planning</b></p><ul><li>q</li></ul></blockquote></section>",
  );
  expect(findQuestions(html).resolveBeforePlanning).toEqual([]);
});
