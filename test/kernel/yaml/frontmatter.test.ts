import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFrontMatter, splitFrontMatter } from "../../../src/kernel/yaml/frontmatter.ts";
import { describeProblem, yamlValue } from "../../../src/kernel/yaml/yaml.ts";

describe("splitFrontMatter", () => {
  test("takes the block between the fences and says where the body begins", () => {
    expect(splitFrontMatter("---\na: 1\nb: 2\n---\nbody\n---\nrule")).toEqual({
      yaml: "a: 1\nb: 2\n",
      firstLine: 2,
      closed: true,
      body: "body\n---\nrule",
      bodyLine: 5,
    });
  });

  test("tolerates a byte-order mark, CRLF and blanks after a fence", () => {
    expect(splitFrontMatter("\ufeff--- \r\na: 1\r\n---\t\r\nbody")).toMatchObject({
      yaml: "a: 1\r\n",
      body: "body",
    });
  });

  test("needs a fence in the first line, unindented unless allowed", () => {
    for (const text of ["", "a: 1", "\n---\na: 1\n---\n", "----\na\n----\n", " ---\na: 1\n ---\n"]) {
      expect(splitFrontMatter(text)).toBeUndefined();
    }
    expect(splitFrontMatter(" ---\na: 1\n  ---\nx", { indentedFences: true })).toMatchObject({
      yaml: "a: 1\n",
      body: "x",
    });
  });

  test("tells an empty block from one that is not closed", () => {
    expect(splitFrontMatter("---\n---\nx")).toMatchObject({ yaml: "", closed: true, body: "x" });
    expect(splitFrontMatter("---\na: 1\n")).toMatchObject({ yaml: "a: 1\n", closed: false, body: "" });
    expect(splitFrontMatter("---")).toMatchObject({ yaml: "", closed: false });
  });

  test("loses nothing: fences, block and body are the text", () => {
    const line = fc.constantFrom("---", "a: 1", "", " ---", "text", "--- ");
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join("\n");
        const matter = splitFrontMatter(text);
        if (matter === undefined) return;
        const parts = text.split("\n");
        const body = matter.closed ? parts.slice(matter.bodyLine - 1).join("\n") : "";
        expect(matter.body).toBe(body);
        expect(text.includes(matter.yaml)).toBe(true);
      }),
    );
  });
});

describe("readFrontMatter", () => {
  test("gives a mapping with positions in the file", async () => {
    const result = await readFrontMatter("---\nname: jobs\ndescription: Run\n---\n# Body\n");
    expect(result.kind === "map" && yamlValue(result.map)).toEqual({ name: "jobs", description: "Run" });
    expect(result.kind === "map" && result.map.entries[1]).toMatchObject({ line: 3, column: 1 });
  });

  test("an empty or commented block is an empty mapping", async () => {
    for (const text of ["---\n---\n", "---\n\n---\n", "---\n# a: 1\n---\n"]) {
      const result = await readFrontMatter(text);
      expect(result.kind === "map" && result.map.entries).toEqual([]);
    }
  });

  test.each([
    ["---\na: b: c\n---\n", /^f:2:4: /],
    ["---\nok: 1\nok: 2\n---\n", /^f:3:1: duplicate key "ok"/],
    ["---\n- a\n---\n", /^f:2:1: front matter is a list; expected a mapping$/],
    ["---\njust text\n---\n", /^f:2:1: front matter is a single value; expected a mapping$/],
    ["---\na: 1\n", /^f:1:1: front matter is not closed/],
  ])("names the place of what is wrong in %j", async (text, expected) => {
    const result = await readFrontMatter(text);
    expect(result.kind === "problem" && describeProblem("f", result.problems[0])).toMatch(expected);
  });

  test("a file without a fence has none", async () => {
    expect(await readFrontMatter("# Title\n")).toEqual({ kind: "none" });
  });
});
