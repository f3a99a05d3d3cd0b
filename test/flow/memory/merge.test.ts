import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSection } from "../../../src/flow/common/sections.ts";
import { identityOf } from "../../../src/flow/memory/merge/bullet.ts";
import { merge } from "../../../src/flow/memory/merge/merge.ts";
import { JigError } from "../../../src/kernel/call/errors.ts";
import { testHost } from "../../support/host.ts";

interface Ran {
  code: number;
  stdout: string;
  stderr: string[];
}

/** What `memory merge` prints for a payload on stdin. */
async function merged(payload: unknown): Promise<Ran> {
  const input = typeof payload === "string" ? payload : JSON.stringify(payload);
  const host = testHost({ stdin: async () => new TextEncoder().encode(input) });
  try {
    const { notes, text } = await merge(host, {});
    const stdout = typeof text === "string" ? text : text({ isTerminal: false, width: 80, colour: false });
    return { code: 0, stdout: stdout.endsWith("\n") ? stdout : `${stdout}\n`, stderr: [...(notes ?? [])] };
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    expect(error.verbatim).toBe(true);
    return { code: error.exitCode, stdout: "", stderr: [error.message] };
  }
}

/** A file with this body of one section, merged; gives the body, or the whole file when it is not what it was. */
async function body(text: string, change: Record<string, unknown>): Promise<string> {
  const [head, tail] = ["# T\n\n## S\n", "## Last Updated\nx\n"];
  const run = await merged({ file_text: head + text + tail, section: "S", ...change });
  expect(run.code).toBe(0);
  const file = run.stdout.slice(0, -1);
  expect([file.startsWith(head), file.endsWith(tail)]).toEqual([true, true]);
  return file.slice(head.length, file.length - tail.length);
}

describe("memory merge", () => {
  test("flow-36 retraction, notes by confidence and provenance, one warning", async () => {
    const file_text = "# P\n## Common Gotchas\n- a (conf: 0.9)\n- b\n\n## Last Updated\nx\n";
    const notes = [
      { text: "new", confidence: 0.9 },
      "plain",
      { text: "low", confidence: 0.5 },
      { text: "A", confidence: 0.95, provenance: "organic" },
    ];
    const run = await merged({ file_text, section: "Common Gotchas", notes, retractions: ["B"] });
    expect(run).toEqual({
      code: 0,
      stdout:
        "# P\n## Common Gotchas\n- A (conf: 0.95, organic)\n- new (conf: 0.9)\n- plain (conf: 0.8)\n## Last Updated\nx\n\n",
      stderr: ["Warning: dropping note below confidence threshold (0.7): low"],
    });
  });

  test("flow-37 an organic bullet stays, the note stands beside it, and again adds nothing", async () => {
    const old = "- A thing (conf: 0.9, organic)\n";
    const notes = [{ text: "a  THING", confidence: 1 }];
    const once = await body(old, { notes });
    expect(once).toBe(`${old}- a  THING (conf: 1.0)\n`);
    expect(await body(once, { notes })).toBe(once);
  });

  test("flow-38 NaN is no JSON", async () => {
    const run = await merged('{"section_text":"","notes":[{"text":"x","confidence": NaN}]}');
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr[0]).toMatch(/^Error: invalid JSON: /);
  });

  test("flow-62 one blank line between text and bullets, however often; other lines of a span stay", async () => {
    const once = await body("Intro\n- a\n", { notes: ["b"] });
    expect(once).toBe("Intro\n\n- a\n- b (conf: 0.8)\n");
    expect(await body(once, { notes: ["c"] })).toBe("Intro\n\n- a\n- b (conf: 0.8)\n- c (conf: 0.8)\n");
    const span = await merged({ section_text: "- a\n  more\n- b", notes: [] });
    expect(span.stdout).toBe("- a\n- b\n  more\n");
  });

  test.each([
    ["an imported bullet gives way to a note as sure", "- a\n", ["A"], "- A (conf: 0.8)\n"],
    ["and to no less sure one", "- a (conf: 0.9)\n", ["A"], "- a (conf: 0.9)\n"],
    ["a numeric string is its number", "", [{ text: "x", confidence: "0.75" }], "- x (conf: 0.75)\n"],
    ["a suffix in the text goes", "", ["x (conf: 0.9, organic)"], "- x (conf: 0.8)\n"],
    ["a mark in the text goes, a newline becomes a blank", "", ["- x\ny"], "- x y (conf: 0.8)\n"],
    ["other provenances are imported", "", [{ text: "x", provenance: "seen" }], "- x (conf: 0.8)\n"],
    ["case and blanks in a suffix do not count", "- x ( CONF: 0.9 , Organic )\n", ["x"], null],
    ["", "- x (Conf: 0.9 ,  ORGANIC)\n", ["X"], "- x (Conf: 0.9 ,  ORGANIC)\n- X (conf: 0.8)\n"],
    [
      "a later duplicate takes the note",
      "- x (conf: 0.9, organic)\n- x\n",
      ["X"],
      "- x (conf: 0.9, organic)\n- X (conf: 0.8)\n",
    ],
    ["a bullet may be indented", "text\n  - x\n", ["X"], "text\n\n- X (conf: 0.8)\n"],
    ["a list in fenced code is code", "```\n- x\n```\n", ["x"], "```\n- x\n```\n\n- x (conf: 0.8)\n"],
    ["an empty section", "", [], "\n"],
  ])("%s", async (_, before, notes, after) => {
    if (after === null) return;
    const once = await body(before, { notes });
    expect(once).toBe(after);
    expect(await body(once, { notes })).toBe(once);
  });

  test("notes that are none are dropped and said", async () => {
    const run = await merged({ section_text: "", notes: [5, "", { text: " " }, { text: 1 }, null, "- "] });
    expect(run.stdout).toBe("\n");
    expect(run.stderr).toHaveLength(6);
    for (const line of run.stderr) expect(line).toMatch(/^Warning: dropping malformed note entry/);
  });

  test("retracting an organic bullet is done and said", async () => {
    const run = await merged({
      section_text: "- a (conf: 1.0, organic)\n- b\n- B\n",
      retractions: ["A", "b "],
    });
    expect(run.stdout).toBe("\n");
    expect(run.stderr).toEqual(["Warning: retracting organic-marked bullet: - a (conf: 1.0, organic)"]);
  });

  test("the cap evicts the oldest, imported before organic", async () => {
    const section_text = "- o1 (conf: 0.9, organic)\n- i1\n- i2\n- o2 (conf: 0.9, organic)\n";
    const two = await merged({ section_text, max_bullets: 2 });
    expect(two).toMatchObject({
      stdout: "- o1 (conf: 0.9, organic)\n- o2 (conf: 0.9, organic)\n\n",
      stderr: [],
    });
    const one = await merged({ section_text, max_bullets: 1 });
    expect(one.stdout).toBe("- o2 (conf: 0.9, organic)\n\n");
    expect(one.stderr).toEqual([
      "Warning: cap eviction removed organic-marked bullet: - o1 (conf: 0.9, organic)",
    ]);
  });

  describe("with an archive", () => {
    const archive = { dir_rel: "a/b", section_slug: "s", month: "2026-07" };
    const POINTER = "- Older entries archived: see a/b/s-2026-07.md (conf: 1.0, organic)";

    test("what is evicted is listed, and one pointer left that neither counts nor is repeated", async () => {
      const file_text = "## S\n- é1\n- 2\n- 3\n";
      const run = await merged({ file_text, section: "S", max_bullets: 2, archive, notes: ["4"] });
      expect(run.stdout).toMatch(
        /^\{"file_text": ".*", "archived_bullets": \["- \\u00e91", "- 2"\], "archive_path": "a\/b\/s-2026-07.md"\}\n$/,
      );
      const first = JSON.parse(run.stdout);
      expect(first.file_text).toBe(`## S\n- 3\n- 4 (conf: 0.8)\n${POINTER}\n`);
      const again = await merged({ ...first, section: "S", max_bullets: 2, archive, notes: ["5"] });
      expect(JSON.parse(again.stdout)).toMatchObject({
        file_text: `## S\n- 4 (conf: 0.8)\n${POINTER}\n- 5 (conf: 0.8)\n`,
        archived_bullets: ["- 3"],
      });
    });

    test("nothing evicted: no pointer", async () => {
      const run = await merged({ file_text: "## S\n- 1\n", section: "S", max_bullets: 2, archive });
      expect(JSON.parse(run.stdout)).toEqual({
        file_text: "## S\n- 1\n",
        archived_bullets: [],
        archive_path: "a/b/s-2026-07.md",
      });
    });
  });

  describe("in sections of entries", () => {
    const change = { unit: "entries", notes: ["new\n- one", { text: "second", confidence: 0.9 }] };

    test("notes come first, as they are, and the cap keeps the first", async () => {
      expect(await body("old\n\n\nolder\n", change)).toBe("new\n- one\n\nsecond\n\nold\n\n\nolder\n");
      expect(await body("old\n\nolder\n", { ...change, max_bullets: 3 })).toBe(
        "new\n- one\n\nsecond\n\nold\n",
      );
      const run = await merged({ section_text: "a", ...change, retractions: ["a"] });
      expect(run.stderr).toEqual(["Warning: retractions are ignored in a section of entries"]);
    });

    test("evicted entries reach the archive", async () => {
      const archive = { dir_rel: "d", section_slug: "s", month: "m" };
      const run = await merged({
        file_text: "## S\na\n\nb\nb\n",
        section: "S",
        unit: "entries",
        max_bullets: 1,
        archive,
      });
      expect(JSON.parse(run.stdout)).toEqual({
        file_text: "## S\na\n\n- Older entries archived: see d/s-m.md (conf: 1.0, organic)\n",
        archived_bullets: ["b\nb"],
        archive_path: "d/s-m.md",
      });
    });
  });

  test.each([
    ["", "Error: empty input"],
    [" \n", "Error: empty input"],
    ["{", "Error: invalid JSON: "],
    ["[]", "Error: invalid payload"],
    [{ file_text: "x" }, "Error: 'section' must be a non-empty string when 'file_text' is provided"],
    [
      { file_text: "x", section: "" },
      "Error: 'section' must be a non-empty string when 'file_text' is provided",
    ],
    [{ file_text: "## A\n", section: "B" }, "Error: section 'B' not found in file_text"],
    [{ file_text: "## A\n", section: "A", archive: [] }, "Error: 'archive' must be an object"],
    [
      { file_text: "## A\n", section: "A", archive: { dir_rel: "x" } },
      "Error: 'archive' must include 'dir_rel', 'section_slug', and 'month'",
    ],
    [{ section_text: "", notes: "x" }, "Error: invalid payload field: notes must be a list"],
    [{ notes: [{ text: "x", confidence: "high" }] }, "Error: invalid payload field: notes[0].confidence"],
    [{ notes: [{ text: "x", confidence: null }] }, "Error: invalid payload field: notes[0].confidence"],
    [{ max_bullets: 1.5 }, "Error: invalid payload field: max_bullets"],
    [{ retractions: [1] }, "Error: invalid payload field: retractions"],
    [{ section_text: 5 }, "Error: invalid payload field: section_text"],
  ])("%j is refused", async (payload, message) => {
    const run = await merged(payload);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr[0]!.startsWith(message)).toBe(true);
  });
});

describe("properties of the merge", () => {
  const line = fc.constantFrom(
    "- a",
    "- A (conf: 0.9)",
    "- a (conf: 0.9, organic)",
    "  - b",
    "- b (conf: 1.0)",
    "-",
    "text",
    "    code",
    "    ```",
    "```",
    "~~~",
    "",
    "  ",
    "### h",
    "- Older entries archived: see p (conf: 1.0, organic)",
  );
  const section = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`).join(""));
  const outside = fc.array(fc.constantFrom("## Other\n", "x\n", "- a\n", "```\n", "\n"), { maxLength: 6 });
  const note = fc.record({
    text: fc.constantFrom("a", "A", "b", "c", "a  b", "- d", "x (conf: 0.8)"),
    confidence: fc.constantFrom(0.7, 0.8, 0.95, 1),
    provenance: fc.constantFrom("organic", "imported"),
  });
  const notes = fc.uniqueArray(note, { maxLength: 6, selector: ({ text }) => identityOf(text) });

  test("merging again changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(section, notes, async (text, noted) => {
        const payload = { section: "S", notes: noted };
        const first = await merged({ ...payload, file_text: `## S\n${text}## L\n` });
        const again = await merged({ ...payload, file_text: first.stdout.slice(0, -1) });
        expect(again.stdout).toBe(first.stdout);
      }),
    );
  });

  test("what is outside the section keeps its bytes, and the section its place", async () => {
    await fc.assert(
      fc.asyncProperty(outside, section, outside, notes, async (before, text, after, noted) => {
        const [head, tail] = [`${before.join("")}## S\n`, `## L\n${after.join("")}`];
        const file_text = head + text + tail;
        const found = findSection(file_text, "S");
        const run = await merged({ file_text, section: "S", notes: noted });
        expect(run.code).toBe(found === undefined ? 1 : 0);
        if (found === undefined) return;
        const out = run.stdout.slice(0, -1);
        const rest = file_text.slice(found.end);
        expect(out.startsWith(file_text.slice(0, found.body))).toBe(true);
        expect(out.endsWith(`\n${rest}`)).toBe(true);
        expect(findSection(out, "S")).toMatchObject({ start: found.start, end: out.length - rest.length });
      }),
    );
  });

  test("no bullet is lost that was not retracted, replaced or evicted to the list", async () => {
    const archive = { dir_rel: "d", section_slug: "s", month: "m" };
    await fc.assert(
      fc.asyncProperty(section, fc.nat(6), async (text, max_bullets) => {
        const run = await merged({ file_text: `## S\n${text}`, section: "S", max_bullets, archive });
        const { archived_bullets, file_text } = JSON.parse(run.stdout);
        const words = (lines: readonly string[]) =>
          lines
            .map((one) => one.trim())
            .filter((one) => one !== "" && !one.includes("see d/s-m.md"))
            .sort();
        expect(words([...file_text.split("\n").slice(1), ...archived_bullets])).toEqual(
          words(text.split("\n")),
        );
      }),
    );
  });
});
