import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import type { PlanMap, PlanPart } from "../../src/plan/schema.ts";
import { sections } from "../../src/plan/sections.ts";
import { testHost } from "../support/host.ts";
import { runJig } from "../support/run.ts";
import { change, GOOD, GOOD_HTML, writePlan } from "./support.ts";

async function map(text: string, name = "x.md", deep = false): Promise<PlanMap> {
  const path = writePlan(text, name);
  const flags = { get: undefined, deep, json: true };
  return (await sections(testHost({ cwd: dirname(path) }), path, flags)).data as PlanMap;
}

async function get(text: string, wanted: string, name = "x.md"): Promise<string> {
  const path = writePlan(text, name);
  const flags = { get: wanted, deep: false, json: true };
  return ((await sections(testHost({ cwd: dirname(path) }), path, flags)).data as PlanPart).text;
}

const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split("\n").length;
const item = (found: PlanMap, id: string) => found.ids.find((entry) => entry.id === id);

describe("acceptance", () => {
  test("plan-32 lines, markers and parents; a comment in a fence is no section", async () => {
    const text = change(GOOD, "```mermaid\n", "```mermaid\n# comment\n");
    const path = writePlan(text, "good.md");
    const run = await runJig(["plan", "sections", path, "--json"]);
    expect(run.code).toBe(0);
    const found = JSON.parse(run.stdout) as PlanMap;
    for (const id of ["R1", "R2", "R3", "R4", "R5"]) {
      const line = lineOf(text, `- ${id}. `);
      expect(item(found, id)).toMatchObject({
        kind: "R",
        line,
        end_line: line,
        section: "Requirements",
        form: "bullet",
      });
    }
    expect(found.markers).toEqual([{ role: "work-relationships", line: lineOf(text, "<!-- ce-section") }]);
    const requirements = found.sections.find(({ name }) => name === "Requirements");
    expect(requirements).toMatchObject({
      parent: "Product Contract",
      level: 3,
      registry: true,
      anchor: "requirements",
    });
    expect(found.sections.map(({ name }) => name)).not.toContain("comment");
    expect(found).toMatchObject({
      contract: "ce-unified-plan/v1",
      stage: "requirements-only",
      title: "Mute alerts - Plan",
    });
    expect(found.metadata["topic"]).toBe("mute-alerts");
    expect(found.open_questions.deferred_to_planning).toHaveLength(1);
  });

  test("plan-33 one item, one section, and nothing", async () => {
    const path = writePlan(GOOD, "good.md");
    const run = (wanted: string) => runJig(["plan", "sections", path, "--get", wanted]);
    expect((await run("R4")).stdout).toBe("- R4. A mute ends at its time, and whoever set it is told.\n");
    const capsule = GOOD.slice(GOOD.indexOf("## Goal Capsule"), GOOD.indexOf("## Product Contract"));
    expect((await run("goal-capsule")).stdout).toBe(capsule);
    const absent = await run("R99");
    expect([absent.code, absent.stdout]).toEqual([1, ""]);
    expect(absent.stderr).toContain("R99");
  });
});

describe("sections", () => {
  test("end before the next heading of the same or a higher level", async () => {
    const found = await map("# T\n\n## A\n\n### A1\n\nx\n\n## B\n\ny\n");
    expect(found.sections.map(({ name, line, end_line, parent }) => [name, line, end_line, parent])).toEqual([
      ["T", 1, 11, null],
      ["A", 3, 8, null],
      ["A1", 5, 8, "A"],
      ["B", 9, 11, null],
    ]);
    expect(found).toMatchObject({ contract: null, generation: null, stage: null, title: "T" });
  });

  test("deeper headings only when asked for", async () => {
    const text = "## A\n\n#### Deep\n\nx\n";
    expect((await map(text)).sections.map(({ name }) => name)).toEqual(["A"]);
    expect((await map(text, "x.md", true)).sections.map(({ name }) => name)).toEqual(["A", "Deep"]);
    expect(await get(text, "deep")).toBe("#### Deep\n\nx\n");
  });

  test("anchors are those of the usual renderers", async () => {
    const found = await map("## Dependencies / Assumptions\n\n## Über `x_y`: C++\n\n## Same\n\n## Same\n");
    expect(found.sections.map(({ anchor }) => anchor)).toEqual([
      "dependencies--assumptions",
      "über-x_y-c",
      "same",
      "same-1",
    ]);
  });

  test("headings in fences, comments, quotes and raw HTML are none", async () => {
    const text =
      "## A\n\n~~~\n## fenced\n~~~\n\n<!--\n## hidden\n-->\n\n> ## quoted\n\n<pre>\n## raw\n</pre>\n\n    ## indented\n";
    expect((await map(text)).sections.map(({ name }) => name)).toEqual(["A"]);
  });

  test("CRLF stays in what is printed, and a missing last newline is added", async () => {
    const text = "## A\r\n\r\n- R1. one\r\n- R2. two";
    expect(await get(text, "R1")).toBe("- R1. one\r\n");
    expect(await get(text, "R2")).toBe("- R2. two\n");
    expect(await get(text, "a")).toBe(`${text}\n`);
  });
});

describe("items", () => {
  const PLAN = `# P

## Requirements

- R1. one
  more of one

  - nested (see R2)
- R2. two

R3. three
goes on

| ID | Text |
|----|------|
| R4 | four, covers A1 |
| R1 | index |

## Implementation Units

### U1. Unit

Covers R1, R2 and \`R9\`.

#### Files

x

### PR1: group

Waits on: nothing.

## Definition of Done

- R2. mentioned
- OQ1. other
`;

  test("extent and form by kind of text", async () => {
    const found = await map(PLAN);
    const rows = found.ids.map(({ id, kind, line, end_line, form, section }) => [
      id,
      kind,
      line,
      end_line,
      form,
      section,
    ]);
    expect(rows).toEqual([
      ["R1", "R", 5, 8, "bullet", "Requirements"],
      ["R2", "R", 9, 9, "bullet", "Requirements"],
      ["R3", "R", 11, 12, "paragraph", "Requirements"],
      ["R4", "R", 16, 16, "table", "Requirements"],
      ["U1", "U", 21, 28, "heading", "Implementation Units"],
      ["PR1", "pr-group", 29, 32, "heading", "Implementation Units"],
      ["OQ1", "other", 36, 36, "bullet", "Definition of Done"],
    ]);
  });

  test("text and references", async () => {
    const found = await map(PLAN);
    expect(item(found, "R1")).toMatchObject({ text: "one", refs: ["R2"] });
    expect(item(found, "R4")).toMatchObject({ text: "four, covers A1", refs: ["A1"] });
    expect(item(found, "U1")).toMatchObject({ text: "Unit", refs: ["R1", "R2"] });
    const long = await map(`## Requirements\n\n- R1. ${"x".repeat(300)}\n`);
    expect(item(long, "R1")!.text).toHaveLength(200);
  });

  test("an item is found in any case and as an anchor", async () => {
    expect(await get("- AE1a. x\n", "ae-1a")).toBe("- AE1a. x\n");
    expect(await get("- AE1a. x\n", "ae1a")).toBe("- AE1a. x\n");
  });
});

describe("HTML", () => {
  test("anchors, parents, elements and markers", async () => {
    const found = await map(GOOD_HTML, "x.html");
    const requirements = found.sections.find(({ name }) => name === "Requirements");
    expect(requirements).toMatchObject({
      anchor: "product-requirements",
      parent: "Product Contract",
      registry: true,
    });
    expect(found.markers).toEqual([
      { role: "work-relationships", line: lineOf(GOOD_HTML, "<section data-ce") },
    ]);
    const line = lineOf(GOOD_HTML, '<li id="r2">');
    expect(item(found, "R2")).toMatchObject({
      line,
      end_line: line,
      form: "element",
      section: "Requirements",
    });
    expect(item(found, "R2")!.text).toBe("The list shows every muted rule with its end.");
    expect(item(found, "AE2")!.refs).toEqual(["R3"]);
    expect(found.title).toBe("Mute alerts on call - Plan");
  });

  test("--get prints an element's or a section's lines", async () => {
    expect(await get(GOOD_HTML, "R1", "x.html")).toBe(
      '      <li id="r1"><strong>R1.</strong> A person on call can mute one rule for 15 minutes to 24 hours.</li>\n',
    );
    const capsule = await get(GOOD_HTML, "goal-capsule", "x.html");
    expect(capsule.startsWith('<section id="goal-capsule">')).toBe(true);
    expect(capsule.trimEnd().endsWith("</section>")).toBe(true);
    expect(capsule).not.toContain("product-contract");
  });

  test("headings of scripts, templates and preformatted text are none", async () => {
    const found = await map(
      "<h1>T</h1><script>'<h2>x</h2>'</script><template><h2>y</h2></template><pre>&lt;h2&gt;z&lt;/h2&gt;</pre>",
      "x.html",
    );
    expect(found.sections.map(({ name }) => name)).toEqual(["T"]);
  });
});

test("what cannot be mapped is a usage error", async () => {
  for (const name of ["x.txt", "missing.md"]) {
    const run = await runJig(["plan", "sections", name]);
    expect([name, run.code, run.stdout]).toEqual([name, 2, ""]);
  }
});

test("text for a person", async () => {
  const path = writePlan("# T\n\n## Requirements\n\n- R1. one \u001b[31m\n", "x.md");
  const run = await runJig(["plan", "sections", path]);
  expect(run.stdout).toBe("1-5  H1 T\n  3-5  H2 Requirements\nR1  5-5  one \\x1b[31m\n");
});
