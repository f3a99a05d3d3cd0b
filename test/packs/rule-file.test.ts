import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitFrontMatter } from "../../src/kernel/yaml/frontmatter.ts";
import { isRuleName, isRuleShaped, readRuleStart } from "../../src/packs/rule-file.ts";
import { makeTempDir, removeDir, tempDir } from "../support/temp.ts";
import { RULE, repository, rule } from "./setup.ts";

function judge(content: string | Uint8Array): boolean {
  const path = join(tempDir(), "r.md");
  writeFileSync(path, content);
  return isRuleShaped(path, { followLink: false });
}

describe("isRuleShaped", () => {
  test.each([
    ["the minimal rule", RULE, true],
    ["CRLF", RULE.replaceAll("\n", "\r\n"), true],
    ["a byte-order mark", `\ufeff${RULE}`, true],
    ["indented fences and keys", " --- \n  title: x\n\tapplies_when: y\n ---\n", true],
    ["no newline at the end", "---\ntitle: x\napplies_when: y\n---", true],
    ["empty values", "---\napplies_when:\ntitle:\n---\n", true],
    ["not closed", "---\ntitle: x\napplies_when: y\n", false],
    ["no fence", "title: x\napplies_when: y\n---\n", false],
    ["a blank first line", `\n${RULE}`, false],
    ["no title", "---\napplies_when: y\n---\n", false],
    ["no applies_when", "---\ntitle: y\n---\n", false],
    ["keys in the body", "---\na: b\n---\ntitle: x\napplies_when: y\n---\n", false],
    ["a key that only begins alike", "---\ntitles: x\napplies_when: y\n---\n", false],
    ["empty", "", false],
    ["invalid UTF-8", Buffer.from("---\ntitle: \xff\xfe\napplies_when: y\n---\n", "latin1"), true],
  ])("%s", (_, content, expected) => {
    expect(judge(content)).toBe(expected);
  });

  test("packs-33 long front matter, up to 65,536 characters", async () => {
    const long = (length: number) => `---\ntitle: x\napplies_when: y\nnote: ${"é".repeat(length)}\n---\n`;
    expect(judge(long(10_000))).toBe(true);
    expect(judge(long(65_000))).toBe(true);
    expect(judge(long(66_000))).toBe(false);
    expect(judge(`---\n${"a: b\n".repeat(20_000)}title: x\napplies_when: y\n---\n`)).toBe(false);
    // Characters, not UTF-16 units.
    expect(judge(`---\ntitle: x\napplies_when: y\nnote: ${"😀".repeat(40_000)}\n---\n`)).toBe(true);
    const { root, team, resolve } = repository();
    rule(join(root, "a"), "r.md", long(10_000));
    rule(join(root, "b"), "r.md", `\ufeff${RULE}`);
    rule(join(root, "c"), "r.md", long(66_000));
    team("packs:", "  - source: a", "  - source: b", "  - source: c");
    const { roots, warnings } = await resolve();
    expect(roots.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(warnings).toHaveLength(1);
  });

  test("a directory, a FIFO, a link and a missing file are no rules, and nothing blocks", () => {
    const directory = tempDir();
    mkdirSync(join(directory, "d.md"));
    execFileSync("mkfifo", [join(directory, "f.md")]);
    writeFileSync(join(directory, "real.md"), RULE);
    symlinkSync("real.md", join(directory, "l.md"));
    for (const name of ["d.md", "f.md", "l.md", "missing.md"]) {
      expect(isRuleShaped(join(directory, name), { followLink: false })).toBe(false);
    }
    expect(isRuleShaped(join(directory, "l.md"), { followLink: true })).toBe(true);
  });

  test("agrees with reading the whole text", () => {
    const directory = makeTempDir();
    const path = join(directory, "r.md");
    const line = fc.constantFrom(
      "---",
      " ---\t",
      "title: x",
      "  applies_when: y",
      "title",
      "text",
      "",
      `${"x".repeat(4090)}`,
    );
    const end = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end), { maxLength: 8 }), fc.boolean(), (lines, mark) => {
        const text = (mark ? "\ufeff" : "") + lines.flat().join("");
        writeFileSync(path, text);
        const matter = splitFrontMatter(text, { indentedFences: true });
        const has = (key: string) =>
          matter?.yaml.split("\n").some((one) => one.trim().startsWith(key)) ?? false;
        const expected = matter?.closed === true && has("title:") && has("applies_when:");
        expect(isRuleShaped(path, { followLink: false })).toBe(expected);
        expect(readRuleStart(path)).toBe(text.replace("\ufeff", ""));
      }),
      { numRuns: 300 },
    );
    removeDir(directory);
  });
});

test("isRuleName takes .md in lower case and no README", () => {
  const names = [
    "a.md",
    "A.md",
    ".md",
    "a.MD",
    "readme.md",
    "README.md",
    "ReadMe.md",
    "readme.markdown",
    "xreadme.md",
  ];
  expect(names.filter(isRuleName)).toEqual(["a.md", "A.md", ".md", "xreadme.md"]);
});
