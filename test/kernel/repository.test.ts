import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findGitAncestor } from "../../src/kernel/repository.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "jig-repository-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("findGitAncestor", () => {
  test("finds the nearest directory, file or link named .git", () => {
    mkdirSync(join(root, "a/.git"), { recursive: true });
    mkdirSync(join(root, "a/b/c"), { recursive: true });
    expect(findGitAncestor(join(root, "a/b/c"), { dangling: false })).toBe(join(root, "a"));
    writeFileSync(join(root, "a/b/.git"), "gitdir: /nowhere\n");
    expect(findGitAncestor(join(root, "a/b/c"), { dangling: false })).toBe(join(root, "a/b"));
    symlinkSync(join(root, "a/.git"), join(root, "a/b/c/.git"));
    expect(findGitAncestor(join(root, "a/b/c"), { dangling: false })).toBe(join(root, "a/b/c"));
  });

  test("a dangling link counts only when asked", () => {
    mkdirSync(join(root, "a/.git"), { recursive: true });
    mkdirSync(join(root, "a/b"), { recursive: true });
    symlinkSync(join(root, "nowhere"), join(root, "a/b/.git"));
    expect(findGitAncestor(join(root, "a/b"), { dangling: true })).toBe(join(root, "a/b"));
    expect(findGitAncestor(join(root, "a/b"), { dangling: false })).toBe(join(root, "a"));
  });

  test("ends at the root of the file system", () => {
    expect(findGitAncestor("/", { dangling: true })).toBeUndefined();
  });
});
