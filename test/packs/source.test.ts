import { describe, expect, test } from "vitest";
import type { PackEntry } from "../../src/kernel/config/packs-config.ts";
import { expandHome } from "../../src/packs/home.ts";
import { classifySource, gitSourceName } from "../../src/packs/sources/source.ts";

const entry = (values: PackEntry["values"]): PackEntry => ({
  file: "config.yaml",
  line: 2,
  values,
  unusable: false,
});
const classify = (source: string, more: PackEntry["values"] = {}) =>
  classifySource(entry({ source, ...more }));

describe("classifySource", () => {
  test.each([
    ["https://host/x", "git"],
    ["http://host/x", "git"],
    ["ssh://git@host/x", "git"],
    ["git://host/x", "git"],
    ["file:///srv/x", "git"],
    ["git@host.example:team/x", "git"],
    ["me_2.x-y@host-1:x", "git"],
    ["ext::sh -c touch% /tmp/x", "refused"],
    ["HTTPS://host/x", "refused"],
    ["fd::17", "refused"],
    ["host:x", "refused"],
    ["a b@host:x", "refused"],
  ])("%s with a ref is %s", (source, kind) => {
    expect(classify(source, { ref: "v1" }).kind).toBe(kind);
  });

  test.each(["ext::sh -c x", "rules/house", "~/x", "/abs", ".", "C:\\x"])(
    "%s without one is a path",
    (source) => {
      expect(classify(source)).toEqual({ kind: "path", declared: source });
    },
  );

  test("packs-19 a tree URL stands for url, ref and path", () => {
    const tree = "https://github.com/o/r/tree/main/packs";
    expect(classify(tree)).toEqual({
      kind: "git",
      declared: tree,
      url: "https://github.com/o/r",
      ref: "main",
      path: "packs",
      fromTree: true,
    });
    expect(classify("http://github.com/o/r.git/tree/main/")).toMatchObject({
      url: "http://github.com/o/r",
      ref: "main",
      path: undefined,
    });
    expect(classify("https://github.com/o/r/tree/main/a/b//")).toMatchObject({ path: "a/b" });
    expect(classify(tree, { ref: "main", path: "/packs/" })).toMatchObject({ kind: "git", path: "packs" });
    expect(classify(tree, { ref: "v9" })).toEqual({
      kind: "refused",
      error: "tree URL pins ref `main` but entry says `ref: v9` -- remove one",
    });
    expect(classify(tree, { path: "other" })).toEqual({
      kind: "refused",
      error: "tree URL path `packs` conflicts with `path: other` -- remove one",
    });
    expect(classify("https://gitlab.example/o/r/tree/main/packs", { ref: "v1" })).toMatchObject({
      url: "https://gitlab.example/o/r/tree/main/packs",
      fromTree: false,
    });
    expect(classify("https://github.com/o/r/tree/main", { path: "p" })).toMatchObject({ path: "p" });
  });

  test("an empty path on a git source is none", () => {
    expect(classify("https://host/x", { ref: "v1", path: "" })).toMatchObject({ path: undefined });
  });
});

test.each([
  ["https://host/team/rules", undefined, "rules"],
  ["https://host/team/rules.git", undefined, "rules"],
  ["https://host/team/rules.git/", undefined, "rules"],
  ["git@host:rules", undefined, "rules"],
  ["git@host:team/rules.git", undefined, "rules"],
  ["https://host/r", "packs/rails/", "rails"],
  ["https://host/r", "./packs//rails/.", "rails"],
  ["https://host/r", "packs/..", "r"],
  ["https://host/r", ".", "r"],
])("a single pack of %s at %s is called %s", (url, path, name) => {
  expect(gitSourceName({ url, path })).toBe(name);
});

test("expandHome knows the own and other home directories", () => {
  const host = { home: "/home/me", uid: 0 };
  expect(expandHome("~", host)).toBe("/home/me");
  expect(expandHome("~/a/b", host)).toBe("/home/me/a/b");
  expect(expandHome("~root/x", host)).toMatch(/^\/.*\/?x$/);
  expect(expandHome("~no-such-user/x", host)).toBe("~no-such-user/x");
  expect(expandHome("a/~/b", host)).toBe("a/~/b");
  expect(expandHome("~/x", { home: undefined, uid: 0 })).toMatch(/^\/.*x$/);
});
