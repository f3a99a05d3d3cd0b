import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGlob, literalPrefix } from "../../src/craft/common/glob.ts";

describe("globs of subjects", () => {
  test.each([
    ["src/**", "src/a/b.js", true],
    ["src/**", "src/a", true],
    ["src/**", "src", false],
    ["**", "a", true],
    ["**/b", "b", true],
    ["**/b", "x/y/b", true],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["a/**/b", "a/x/y/c", false],
    ["a/**/c/**/d", "a/c/x/c/d", true],
    ["*.md", "a.md", true],
    ["*.md", "x/a.md", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["a?c", "a😀c", true],
    ["*", ".env", false],
    ["**", ".git/config", false],
    ["**/x", "a/.b/x", false],
    [".*", ".env", true],
    ["[.]env", ".env", false],
    ["src/[a-c].ts", "src/b.ts", true],
    ["src/[!a-c].ts", "src/b.ts", false],
    ["src/[^a-c].ts", "src/d.ts", true],
    ["[]]", "]", true],
    ["{a,b}/*.ts", "b/x.ts", true],
    ["{a,b/{c,d}}/x", "b/d/x", true],
    ["{a,b}/*.ts", "c/x.ts", false],
    ["A", "a", false],
    ["!a", "!a", true],
    ["!a", "b", false],
    ["#a", "#a", true],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["./src/*", "src/a", true],
    ["[a", "[a", false],
    ["[b-a]", "a", false],
    ["{a,b", "{a,b", false],
    ["a\\", "a\\", false],
    ["", "a", false],
    ["src/", "src/a", false],
  ])("%j takes %j: %s", (pattern, path, takes) => {
    expect(compileGlob(pattern)(path)).toBe(takes);
  });

  test("a hostile pattern costs no more than a pattern", () => {
    const patterns = [
      "{a,b}".repeat(40),
      "{".repeat(5_000),
      `${"*a".repeat(1_000)}b`,
      `${"**/".repeat(1_000)}b`,
      `${"{a,{b,".repeat(200)}c${"}}".repeat(200)}`,
      "*".repeat(5_000),
    ];
    const path = `${"a".repeat(3_000)}/${"a/".repeat(300)}c`;
    for (const pattern of patterns) expect(compileGlob(pattern)(path)).toBe(false);
  });

  test("a path without special characters takes itself and nothing else", () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9_!#@.-]{1,8}$/).filter((text) => !/^\.\.?$/.test(text));
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(compileGlob(one)(other)).toBe(one === other);
        if (one !== "**") expect(compileGlob(`${one}/**`)(`${one}/x`)).toBe(true);
      }),
    );
  });

  test("a pattern of stars and letters means what a regular expression says", () => {
    const part = fc.stringMatching(/^[ab*?]{1,6}$/).filter((text) => !text.includes("**"));
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.stringMatching(/^[ab]{1,6}(\/[ab]{1,6}){0,2}$/),
        (parts, path) => {
          const pattern = parts.join("/");
          const expected = new RegExp(`^${pattern.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}$`);
          expect(compileGlob(pattern)(path)).toBe(expected.test(path));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("the literal beginning ends before the first wildcard", () => {
    expect(["src/**", "a/b.ts", "[ab]", "x{y}"].map(literalPrefix)).toEqual(["src/", "a/b.ts", "", "x"]);
  });
});
