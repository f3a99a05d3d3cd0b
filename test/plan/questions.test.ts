import { describe, expect, test } from "vitest";
import { readHtml } from "../../src/plan/read/html.ts";
import { hasSection, readMarkdown } from "../../src/plan/read/markdown.ts";
import { findQuestions, type Questions } from "../../src/plan/read/questions.ts";

const shown = ({ resolveBeforePlanning, deferredToPlanning, unclassified }: Questions) => ({
  resolve: resolveBeforePlanning.map(({ text }) => text),
  defer: deferredToPlanning.map(({ text }) => text),
  open: unclassified.map(({ text }) => text),
});

async function markdown(text: string) {
  const questions = findQuestions(
    await readMarkdown(`### Outstanding Questions\n\n${text}\n\n### Sources\n\n- R9. x\n`),
  );
  return { ...shown(questions), questions };
}

function html(text: string) {
  return shown(
    findQuestions(
      readHtml(
        `<section><h3>Outstanding Questions</h3>${text}</section><section><h3>Sources</h3><ul><li>x</li></ul></section>`,
      ),
    ),
  );
}

const one = (resolve: string[], defer: string[] = [], open: string[] = []) => ({ resolve, defer, open });

describe("the forms in which people classify questions", () => {
  test.each([
    [
      "bold labels",
      "**Resolve Before Planning**\n\n- a\n- b\n\n**Deferred to Planning**\n\n- c",
      one(["a", "b"], ["c"]),
    ],
    [
      "plain labels with a colon",
      "Resolve before planning:\n- a\n\nDeferred to planning:\n- c",
      one(["a"], ["c"]),
    ],
    [
      "sub-headings",
      "#### Resolve Before Planning\n\n1. a\n\n#### Deferred to Planning\n\n1. c",
      one(["a"], ["c"]),
    ],
    [
      "self-labelled bullets",
      "- Resolve before planning: a\n- **Deferred to planning** — c",
      one(["a"], ["c"]),
    ],
    [
      "nested under bullets",
      "- Resolve Before Planning\n  - a\n- Deferred to Planning:\n  - c\n  - d",
      one(["a"], ["c", "d"]),
    ],
    [
      "a label as a bullet of its own",
      "- **Resolve before planning:**\n- a\n- **Deferred to planning:**\n- c",
      one(["a"], ["c"]),
    ],
    [
      "details below a question",
      "**Deferred to Planning**\n\n- c\n  - because\n  - and so on",
      one([], ["c"]),
    ],
    [
      "a paragraph as question",
      "**Resolve Before Planning**\n\na?\n\n**Deferred to Planning**\n\nNone.",
      one(["a?"]),
    ],
    ["one line each", "**Resolve Before Planning:** a?\n**Deferred to Planning:** None", one(["a?"])],
    [
      "an introduction",
      "Deferred to planning:\n\nBoth of them need numbers that only planning has:\n\n- c",
      one([], ["c"]),
    ],
    ["a remark in parentheses", "**Deferred to Planning** (technical)\n\n- c", one([], ["c"])],
    [
      "a table",
      "| Question | Class |\n|---|---|\n| a | Resolve before planning |\n| c | Deferred to planning |",
      one(["a"], ["c"]),
    ],
    [
      "none in many words",
      "**Resolve Before Planning**\n\n- None blocking.\n- N/A\n- No open questions.\n\nNone.",
      one([]),
    ],
    ["none at all", "None blocking.", one([])],
    ["no class", "- a\n- b", one([], [], ["a", "b"])],
    ["another label", "**Nice to know**\n\n- a", one([], [], ["a"])],
    ["a class, then another label", "Deferred to planning:\n- c\n\nLater:\n- a", one([], ["c"], ["a"])],
    [
      "a question that begins with nothing",
      "Deferred to planning:\n- Nothing is said about X. Why?",
      one([], ["Nothing is said about X. Why?"]),
    ],
    ["too far", "- Deferred to implementation: e", one([], [], ["e"])],
    [
      "words that only begin alike",
      "- Deferred to planningless people: x",
      one([], [], ["Deferred to planningless people: x"]),
    ],
  ])("%s", async (_what, text, expected) => {
    const { resolve, defer, open } = await markdown(text);
    expect({ resolve, defer, open }).toEqual(expected);
  });

  test("each kind of fault is told apart, with lines", async () => {
    const { questions } = await markdown("- a\n\n**Other**\n\n- b\n- Deferred to implementation: c");
    expect(questions.unlabelled).toEqual([{ line: 3, text: "a" }]);
    expect(questions.underOtherLabel).toEqual([{ line: 7, text: "b" }]);
    expect(questions.deferredToImplementation).toEqual([{ line: 8, text: "c" }]);
  });

  test.each([
    [
      "sub-headings",
      "<h4>Resolve before planning</h4><p>None.</p><h4>Deferred to planning</h4><ul><li>c<ul><li>why</li></ul></li></ul>",
      one([], ["c"]),
    ],
    [
      "pairs",
      "<dl><dt>Resolve before planning</dt><dd>a</dd><dt>Deferred to planning</dt><dd>c</dd><dd>d</dd></dl>",
      one(["a"], ["c", "d"]),
    ],
    [
      "folded",
      "<details><summary>Deferred to planning</summary><ol><li>c</li></ol></details>",
      one([], ["c"]),
    ],
    [
      "cards with a chip",
      "<article><h4>a?</h4><p><span>Resolve before planning</span></p></article>",
      one(["a?"]),
    ],
    [
      "a card around lists",
      "<article><p><b>Deferred to planning</b></p><ul><li>c</li><li>d</li></ul></article>",
      one([], ["c", "d"]),
    ],
    ["chips in items", "<ul><li><span>Deferred to planning</span> c</li></ul>", one([], ["c"])],
    [
      "a table",
      "<table><thead><tr><th>Q</th><th>Class</th></tr></thead><tbody><tr><td>a</td><td>Resolve before planning</td></tr></tbody></table>",
      one(["a"]),
    ],
    ["no class", "<ul><li>a</li></ul>", one([], [], ["a"])],
  ])("in HTML: %s", (_what, text, expected) => {
    expect(html(text)).toEqual(expected);
  });
});

test("the outline alone tells whether a section is there", () => {
  const names = ["Planning Contract"];
  expect(hasSection("# x\n\n## Planning Contract\n\nx", names)).toBe(true);
  expect(hasSection("Planning Contract\n---\n", names)).toBe(true);
  expect(hasSection("### Planning Contract\n", names)).toBe(false);
  expect(hasSection("```\n## Planning Contract\n```\n", names)).toBe(false);
  expect(hasSection("> ## Planning Contract\n", names)).toBe(false);
});
