import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPayload } from "../../src/craft/common/input.ts";
import { deliverDocument } from "../../src/craft/common/result.ts";
import { parseManifest, type Reader, readManifest } from "../../src/craft/manifest/read.ts";
import { yamlValue } from "../../src/kernel/yaml/yaml.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";

async function kinds(name: string, text: string): Promise<string[]> {
  const of = async (reader: Reader) => {
    const read = await parseManifest(name, text, reader);
    if (read.kind === "map") return JSON.stringify(yamlValue(read.map));
    return read.kind === "problem" ? read.problem.message : read.kind;
  };
  return [await of("lint"), await of("resolve")];
}

describe("the front matter rules", () => {
  const both = (value: string) => [value, value];
  const cases: [what: string, name: string, text: string, expected: string[]][] = [
    ["a fenced block", "m.md", "---\na: 1\n---\nb: [\n", both('{"a":1}')],
    ["BOM, CR and trailing blanks", "m.md", "\ufeff--- \r\na: 1\r\n---\t\r\nx", both('{"a":1}')],
    ["no closing fence", "m.md", "---\na: 1\nb: 2\n", both('{"a":1,"b":2}')],
    ["two fences without anything between", "m.md", "---\n---\nbody\n", both("none")],
    ["a blank line between them", "m.md", "---\n\n---\n", both("{}")],
    ["a comment between them", "m.md", "---\n# nothing\n---\n", both("{}")],
    ["a fence that is not on line 1", "m.md", "\n\n---\na: 1\n---\n", both("none")],
    ["the same in a .yml", "m.yml", "\n---\na: 1\n", both("none")],
    ["no fence in .md", "m.md", "Notes: a: b", both("none")],
    ["no fence in .markdown", "m.markdown", "a: 1", both("none")],
    ["no fence in .yml", "m.yml", "a: 1", both('{"a":1}')],
    ["no fence in .yaml", "m.yaml", "a: 1", both('{"a":1}')],
    ["an empty .yml", "m.yml", "", both("{}")],
    ["no fence, another name", ".craft-x.tmp.AbC123", "a: 1", ["none", '{"a":1}']],
    ["a list", "m.md", "---\n- a\n---\n", both("manifest frontmatter must be a mapping")],
    ["a scalar", "m.yml", "text", both("manifest frontmatter must be a mapping")],
    ["merge keys", "m.yml", "a: &x { b: 1 }\nc: { <<: *x, d: 2 }", both('{"a":{"b":1},"c":{"d":2,"b":1}}')],
    [
      "yes and dates are text",
      "m.yml",
      "a: yes\nb: 2020-01-02\nc: on",
      both('{"a":"yes","b":"2020-01-02","c":"on"}'),
    ],
  ];
  for (const [what, name, text, expected] of cases) {
    test(what, async () => {
      expect(await kinds(name, text)).toEqual(expected);
    });
  }

  test("equal keys, an alias bomb and broken YAML are problems with a line of the file", async () => {
    const bomb = `a: &a [1, 1]\n${Array.from({ length: 120 }, (_, i) => `b${i}: *a`).join("\n")}`;
    for (const [text, line] of [
      ["a: 1\na: 2", 3],
      [bomb, 103],
      ["a: [", 2],
    ] as const) {
      const read = await parseManifest("m.md", `---\n${text}\n---\n`, "lint");
      expect(read).toMatchObject({ kind: "problem", of: "yaml", problem: { file: "m.md", line } });
    }
  });

  test("a key that would reach a prototype stays a key", async () => {
    const read = await parseManifest("m.yml", "__proto__: { polluted: true }", "lint");
    const value = read.kind === "map" ? (yamlValue(read.map) as object) : {};
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("any text gives an answer, and the body is never looked at", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary" }),
        fc.constantFrom("m.md", "m.yml", "m"),
        async (text, name) => {
          await parseManifest(name, text, "resolve");
          const read = await parseManifest(name, `---\nkey: 1\n---\n${text}`, "resolve");
          expect(read.kind === "map" && yamlValue(read.map)).toEqual({ key: 1 });
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("files of the engine", () => {
  test("what is no regular file is absent; too large, not UTF-8 is a problem that names the file and the limit", async () => {
    const cwd = tempDir();
    const host = testHost({ cwd });
    mkdirSync(join(cwd, "d.md"));
    writeFileSync(join(cwd, "big.md"), "x".repeat((1 << 20) + 1));
    writeFileSync(join(cwd, "bytes.md"), Buffer.from([0xff, 0xfe]));
    expect(await readManifest(host, "nowhere.md", "lint")).toEqual({ kind: "absent" });
    expect(await readManifest(host, "d.md", "lint")).toEqual({ kind: "absent" });
    const message = async (name: string) => {
      const read = await readManifest(host, name, "lint");
      return read.kind === "problem" && read.problem.message;
    };
    expect(await message("big.md")).toBe("big.md: is too large (1048577 > 1048576 bytes)");
    expect(await message("bytes.md")).toBe("bytes.md: is not valid UTF-8");
  });

  test("--from reads a file or stdin, and refuses two sources and what cannot be read", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "in.txt"), "from a file");
    const host = testHost({ cwd, stdin: async () => new TextEncoder().encode("from stdin") });
    expect(await readPayload(host, "parse-args", { from: "in.txt" })).toBe("from a file");
    expect(await readPayload(host, "parse-args", { from: "-" })).toBe("from stdin");
    expect(await readPayload(host, "parse-args", { positional: "" })).toBe("from stdin");
    expect(await readPayload(host, "parse-args", { positional: "in.txt" })).toBe("from a file");
    await expect(readPayload(host, "v", { from: "a", positional: "b" })).rejects.toThrow(
      "v: --from a and b both name the input; give one",
    );
    await expect(readPayload(host, "v", { from: "nowhere" })).rejects.toThrow(
      "v: nowhere: no such file or directory",
    );
    await expect(readPayload(host, "v", { from: "." })).rejects.toThrow("v: .: is not a regular file");
    await expect(readPayload(host, "v", { from: "in.txt" }, { maxBytes: 3 })).rejects.toThrow(
      "v: in.txt: is too large (11 > 3 bytes)",
    );
  });

  test("--out writes the bytes that would have been printed, and only onto a regular file in a directory", async () => {
    const cwd = tempDir();
    const host = testHost({ cwd });
    const data = { ok: true, text: "→ ≤" };
    const printed = await deliverDocument(host, data, { name: "v", out: undefined });
    expect(printed.text).toBe('{\n  "ok": true,\n  "text": "→ ≤"\n}\n');
    const kept = await deliverDocument(host, data, { name: "v", out: "r.json", tail: " n=2" });
    expect(kept.text).toBe(`${join(cwd, "r.json")} n=2\n`);
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(join(cwd, "r.json"), "utf8")).toBe(printed.text);
    symlinkSync(join(cwd, "r.json"), join(cwd, "link.json"));
    mkdirSync(join(cwd, "dir"));
    for (const [out, why] of [
      ["link.json", "is a symlink"],
      ["dir", "is not a regular file"],
      ["none/r.json", "no such file or directory"],
    ] as const) {
      await expect(deliverDocument(host, 1, { name: "v", out })).rejects.toThrow(why);
    }
    expect(readFileSync(join(cwd, "r.json"), "utf8")).toBe(printed.text);
  });
});
