import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MEMORY_FILES } from "../../../src/flow/common/layout.ts";
import { sectionsOf } from "../../../src/flow/common/sections.ts";
import { sessionSettings } from "../../../src/flow/memory/settings.ts";
import { MEMORY_FORMS, sectionNamed, templateOf } from "../../../src/flow/memory/text/files.ts";
import { healText } from "../../../src/flow/memory/text/heal.ts";

const ACTIVE = MEMORY_FORMS["activeContext.md"].sections;
const names = (text: string) => sectionsOf(text).map(({ name }) => name);

describe("healing a text", () => {
  test.each(MEMORY_FILES)("the template of %s has what is required, in order", (file) => {
    const text = templateOf(file);
    expect(names(text)).toEqual(MEMORY_FORMS[file].sections);
    expect(healText(text, MEMORY_FORMS[file].sections)).toEqual({ text, added: [] });
  });

  test("flow-34 a missing section stands directly before Last Updated, the other lines as they were", () => {
    const before = templateOf("activeContext.md").replace(/## References\n[^#]*/, "- mine\n");
    const { added, text } = healText(before, ACTIVE);
    expect(added).toEqual(["References"]);
    expect(text).toContain("## References\n\n## Last Updated\n");
    expect(text.replace("## References\n\n", "")).toBe(before);
    expect(healText(text, ACTIVE)).toEqual({ text, added: [] });
  });

  test("without Last Updated everything missing is appended, with it as the last", () => {
    expect(healText("# T\n## Tasks\nx", MEMORY_FORMS["progress.md"].sections).text).toBe(
      "# T\n## Tasks\nx\n\n## Current Workflow\n\n## Completed\n\n## Verification\n\n## Last Updated\n\n",
    );
  });

  test("whatever the text was, nothing of it is lost or moved, and a second time changes nothing", () => {
    const piece = fc.constantFrom(
      "## Tasks\n",
      "## Last Updated\n",
      "```\n",
      "- x\n",
      "\n",
      "text",
      "## Completed \n",
    );
    const required = MEMORY_FORMS["progress.md"].sections;
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const before = pieces.join("");
        const { added, text } = healText(before, required);
        for (const name of required) expect(names(text)).toContain(name);
        const inserted = added.map((name) => `## ${name}\n\n`).join("");
        expect(text.replace(inserted, "").startsWith(before)).toBe(true);
        expect(healText(text, required)).toEqual({ text, added: [] });
      }),
    );
  });
});

describe("the section a word names", () => {
  test.each([
    ["decisions", { file: "activeContext.md", section: "Decisions" }],
    ["Recent Changes", { file: "activeContext.md", section: "Recent Changes" }],
    ["project-skill-hints", { file: "patterns.md", section: "Project SKILL_HINTS" }],
    ["tasks", { file: "progress.md", section: "Tasks" }],
    ["last-updated", undefined],
    ["Last Updated", undefined],
    ["nonsense", undefined],
    ["DECISIONS", undefined],
    ["constructor", undefined],
  ])("%s", (word, expected) => {
    expect(sectionNamed(word)).toEqual(expected);
  });
});

describe("session settings", () => {
  const of = (body: string) =>
    sessionSettings(`# T\nAUTO_PROCEED: true\n## Session Settings\n${body}## Next\nAUTO_PROCEED: true\n`);

  test.each([
    ["", false],
    ["# AUTO_PROCEED: true\n", false],
    ["<!-- AUTO_PROCEED: true -->\n", false],
    ["AUTO_PROCEED: true\n", true],
    ["- AUTO_PROCEED: TRUE \n", true],
    ["AUTO_PROCEED:true\nAUTO_PROCEED: True\n", true],
    ["AUTO_PROCEED: yes\n", false],
    ["AUTO_PROCEED: true # really\n", false],
    ["auto_proceed: true\n", false],
    ["```\nAUTO_PROCEED: true\n```\n", false],
  ])("%j: just go %s", (body, justGo) => {
    expect(of(body)).toMatchObject({ justGo, warnings: [] });
  });

  test("lines that say different things count as false, with a warning, also in a second section", () => {
    expect(of("AUTO_PROCEED: true\n- AUTO_PROCEED: false\n")).toMatchObject({
      justGo: false,
      warnings: [expect.stringContaining("AUTO_PROCEED")],
    });
    const twice = sessionSettings(
      "## Session Settings\nAUTO_PROCEED: true\n## Session Settings\nAUTO_PROCEED: no\n",
    );
    expect(twice).toMatchObject({ justGo: false, warnings: [expect.any(String)] });
  });

  test("other settings are reported, whatever they are called", () => {
    const { settings } = of(
      "- DIFF_DRIVEN_DOCS: skip\nSKILL_DISTILL: skip\n__proto__: x\nnote without colon\nX:\n",
    );
    expect(settings).toMatchObject({ DIFF_DRIVEN_DOCS: "skip", SKILL_DISTILL: "skip", X: "" });
    expect(Object.keys(settings)).toHaveLength(3);
  });
});
