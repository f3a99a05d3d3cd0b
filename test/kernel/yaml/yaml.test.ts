import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  describeProblem,
  parseYaml,
  type YamlNode,
  type YamlOptions,
  yamlEntry,
  yamlValue,
} from "../../../src/kernel/yaml/yaml.ts";
import { MAX_YAML_DEPTH, MAX_YAML_TOKENS } from "../../../src/kernel/yaml/yaml-tree.ts";

async function read(text: string, options: YamlOptions = {}): Promise<YamlNode> {
  const result = await parseYaml(text, options);
  if (!result.ok) throw new Error(describeProblem("f", result.problems[0]));
  return result.root;
}

const value = async (text: string, options: YamlOptions = {}) => yamlValue(await read(text, options));

async function problem(text: string, options: YamlOptions = {}): Promise<string> {
  const result = await parseYaml(text, options);
  if (result.ok) throw new Error(`expected a problem, got ${JSON.stringify(yamlValue(result.root))}`);
  return describeProblem("f", result.problems[0]);
}

describe("values", () => {
  test("follow the YAML 1.2 core schema: off, on, yes and no are strings, timestamps too", async () => {
    expect(
      await value("a: off\nb: on\nc: yes\nd: no\ne: 2026-01-02\nf: True\ng: ~\nh: 0x1f\ni: 010\nj: 0o10"),
    ).toEqual({
      a: "off",
      b: "on",
      c: "yes",
      d: "no",
      e: "2026-01-02",
      f: true,
      g: null,
      h: 31,
      i: 10,
      j: 8,
    });
  });

  test("keep the text as written beside the value", async () => {
    const root = await read(`a: "true"\nb: 2024\nc: 0.10\nd: 'it''s'\ne: |\n  two\n  lines\n`);
    const texts = ["a", "b", "c", "d", "e"].map((key) => yamlEntry(root, key)!.value);
    expect(texts.map((node) => (node.kind === "scalar" ? [node.text, node.quoted] : []))).toEqual([
      ["true", true],
      ["2024", false],
      ["0.10", false],
      ["it's", true],
      ["two\nlines\n", true],
    ]);
  });

  test("that JSON cannot hold exactly stay text", async () => {
    expect(await value("[.inf, -.inf, .nan, 12345678901234567890, 1e999, 1.5]")).toEqual([
      ".inf",
      "-.inf",
      ".nan",
      "12345678901234567890",
      "1e999",
      1.5,
    ]);
  });

  test("have line and column, 1-based, in LF and CRLF files and after a byte-order mark", async () => {
    for (const text of ["a: 1\nb:\n  - x\n  - yy: z\n", "\ufeffa: 1\r\nb:\r\n  - x\r\n  - yy: z\r\n"]) {
      const root = await read(text);
      const at = (...path: (string | number)[]) => {
        let node: YamlNode = root;
        for (const step of path)
          node = node.kind === "list" ? node.items[Number(step)]! : yamlEntry(node, String(step))!.value;
        return [node.line, node.column];
      };
      expect(at("a")).toEqual([1, 4]);
      expect(yamlEntry(root, "b")).toMatchObject({ line: 2, column: 1 });
      expect(at("b", 0)).toEqual([3, 5]);
      expect(at("b", 1, "yy")).toEqual([4, 9]);
      expect(yamlValue(root)).toEqual({ a: 1, b: ["x", { yy: "z" }] });
    }
  });

  test("lines count from firstLine", async () => {
    expect(yamlEntry(await read("a: 1\nb: 2", { firstLine: 10 }), "b")?.line).toBe(11);
    expect(await problem("a: [", { firstLine: 10 })).toMatch(/^f:10:/);
  });

  test("an empty document, also one of comments, is null", async () => {
    for (const text of ["", "\n\n", "# only\n", "---\n", "\ufeff"]) expect(await value(text)).toBeNull();
  });

  test("keys are text and never reach a prototype", async () => {
    const result = (await value(
      `__proto__: {polluted: 1}\nconstructor: 2\n5: five\ntrue: yes\n"q": 3`,
    )) as Record<string, unknown>;
    expect(Object.keys(result).sort()).toEqual(["5", "__proto__", "constructor", "q", "true"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });
});

describe("problems", () => {
  test.each([
    ["a: [", "f:1:5"],
    ["a: 1\nb: {x: 1", "f:2"],
    ["a: 1\nb: [\n\n", "f:2:5"],
    ['a: "x\r\n', "f:1:"],
    ["a: b: c", "f:1:4"],
    ["a:\n\t- x", "f:2:1"],
    ['a: "x', "f:1:"],
    ["ok: 1\n  bad: 2", "f:1:5"],
    ["a: 1\n---\nb: 2", "f:2:1: a second YAML document begins"],
    ["a: *nowhere", "f:1:4: alias *nowhere has no anchor before it"],
    ["a: &a [*a]", "f:1:8: alias *a stands inside its own anchor"],
    ["? [a, b]\n: c", "f:1:3: a key is a list or a mapping; expected a scalar"],
    ["%YAML 1.1\n---\na: off", "f:1:1: %YAML 1.1 is not read"],
    ["a: !thing x", "f:1:4: tag !thing; expected no tag but"],
    ["a: !!binary aGk=", "f:1:4: tag tag:yaml.org,2002:binary"],
    ["a: !!set {x}", "f:1:4: tag tag:yaml.org,2002:set"],
    ["a: !<tag:example.com,2000:x> {}", "f:1:4: tag tag:example.com,2000:x"],
  ])("%j", async (text, expected) => {
    expect((await problem(text)).startsWith(expected)).toBe(true);
  });

  test("core tags are read unless refused", async () => {
    expect(await value("a: !!str 5\nb: !!int '6'\nc: ! 7")).toEqual({ a: "5", b: 6, c: "7" });
    for (const text of ["a: !!str 5", "a: !!map {}", "a: ! 7", "a: !!seq [x]"]) {
      expect(await problem(text, { tags: "none" })).toMatch(/^f:1:\d+: tag .*; expected no tags$/);
    }
    expect(await value("a: {b: [c]}", { tags: "none" })).toEqual({ a: { b: ["c"] } });
  });

  test("a long one is cut and stays on one line", async () => {
    const message = await problem(`a: *${"x".repeat(5000)}`);
    expect(message.length).toBeLessThan(300);
    expect(message).not.toMatch(/\n/);
  });
});

describe("duplicate keys", () => {
  const text = "a: 1\nb: {c: 1, 'c': 2}\na: 3\n";

  test("are a problem, nested ones too", async () => {
    expect(await problem(text)).toBe(`f:2:11: duplicate key "c", first in line 2`);
  });

  test("are listed, and the first kept, when asked", async () => {
    const result = await parseYaml(text, { duplicates: "report" });
    expect(result.ok && yamlValue(result.root)).toEqual({ a: 1, b: { c: 1 } });
    expect(
      result.ok && result.duplicates.map(({ key, line, column, topLevel }) => [key, line, column, topLevel]),
    ).toEqual([
      ["c", 2, 11, false],
      ["a", 3, 1, true],
    ]);
  });
});

describe("aliases", () => {
  const list = (count: number) => `a: &a x\nb: [${Array(count).fill("*a").join(", ")}]`;

  test("are expanded up to a hundred times", async () => {
    expect(((await value(list(100))) as { b: string[] }).b).toEqual(Array(100).fill("x"));
    expect(await problem(list(101))).toMatch(/^f:2:\d+: more than 100 alias expansions$/);
  });

  test("inside aliased values count every time: a bomb is refused", async () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"]) {
      lines.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]`);
    }
    expect(await problem(lines.join("\n"))).toMatch(/^f:4:\d+: more than 100 alias expansions$/);
  });

  test("of one huge text are refused too", async () => {
    expect(await problem(`a: &a ${"x".repeat(600_000)}\nb: [*a, *a]`)).toBe(
      "f:2:9: aliases expand to more than 1 MiB",
    );
  });

  test("can be refused altogether", async () => {
    expect(await problem("a: &a x\nb: *a", { maxAliases: 0 })).toBe("f:2:4: aliases are not allowed");
    expect(await value("a: &a x", { maxAliases: 0 })).toEqual({ a: "x" });
  });

  test("take the latest anchor of a name", async () => {
    expect(await value("a: &x 1\nb: *x\nc: &x 2\nd: *x")).toEqual({ a: 1, b: 1, c: 2, d: 2 });
  });
});

describe("merge keys", () => {
  test("are ordinary keys unless asked for", async () => {
    expect(await value("a: &a {x: 1}\nb: {<<: *a}")).toEqual({ a: { x: 1 }, b: { "<<": { x: 1 } } });
  });

  test("give way to own keys, and earlier mappings win over later ones", async () => {
    const text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\nd: {<<: *b, '<<': q}";
    expect(await value(text, { merge: true })).toMatchObject({
      c: { z: 3, x: 1, y: 1 },
      d: { y: 2, z: 2, "<<": "q" },
    });
    expect(await problem("a: {<<: 5}", { merge: true })).toMatch(/^f:1:5: << names no mapping/);
  });
});

describe("hostile text", () => {
  test("nesting has a limit, in flow and block style", async () => {
    for (const text of [
      "[".repeat(100_000),
      "- ".repeat(100_000),
      "? ".repeat(100_000),
      "{a: ".repeat(50_000),
    ]) {
      expect(await problem(text)).toMatch(
        new RegExp(`^f:1:\\d+: nested deeper than ${MAX_YAML_DEPTH} levels$`),
      );
    }
    const deep = "[".repeat(90) + "]".repeat(90);
    expect(JSON.stringify(await value(deep))).toBe(deep);
  });

  test("size has a limit", async () => {
    for (const text of ["a: 1\n".repeat(200_000), "#\n".repeat(500_000), `[${"1,".repeat(500_000)}]`]) {
      expect(await problem(text)).toMatch(
        new RegExp(`^f:\\d+:\\d+: too much YAML: more than ${MAX_YAML_TOKENS} tokens$`),
      );
    }
  });

  test("a large plain value is no problem", async () => {
    expect(((await value(`a: "${"x".repeat(1_000_000)}"`)) as { a: string }).a).toHaveLength(1_000_000);
  });

  test("any text gives a value or a problem with a place, never an exception", async () => {
    const piece = fc.constantFrom(
      ..."a b : - ? [ ] { } , & * ! | > ' \" # % @ ` \n \r\n \t --- ... << ~ 1 \ufeff \u2028 \ud800 &a *a !!str".split(
        " ",
      ),
      " ",
    );
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.string({ unit: "binary" })), fc.boolean(), async (source, merge) => {
        const result = await parseYaml(source, { merge, duplicates: "report" });
        if (result.ok) {
          JSON.stringify(yamlValue(result.root));
          return;
        }
        const lines = source.split("\n").length;
        for (const { line, column, message } of result.problems) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines + 1);
          expect(column).toBeGreaterThanOrEqual(1);
          expect(message).not.toMatch(/[\r\n]/);
          expect(message).not.toBe("");
        }
      }),
      { numRuns: 500 },
    );
  });

  test("what was written as JSON or by the YAML writer reads back the same", async () => {
    const key = fc.string({ maxLength: 8 }).filter((text) => text !== "__proto__");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(tree, async (data) => {
        const plain = JSON.parse(JSON.stringify(data));
        expect(await value(JSON.stringify(data))).toEqual(plain);
        expect(await value(stringify(data, { aliasDuplicateObjects: false }))).toEqual(plain);
      }),
      { numRuns: 200 },
    );
  });
});
