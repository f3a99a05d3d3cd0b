import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findGitAncestor, findRepository } from "../../../src/kernel/repository/repository.ts";
import { testHost } from "../../support/host.ts";
import { testEnv } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

describe("findGitAncestor", () => {
  test("finds the nearest directory, file or link named .git", () => {
    const root = tempDir();
    mkdirSync(join(root, "a/.git"), { recursive: true });
    mkdirSync(join(root, "a/b/c"), { recursive: true });
    expect(findGitAncestor(join(root, "a/b/c"), { dangling: false })).toBe(join(root, "a"));
    writeFileSync(join(root, "a/b/.git"), "gitdir: /nowhere\n");
    expect(findGitAncestor(join(root, "a/b/c"), { dangling: false })).toBe(join(root, "a/b"));
    symlinkSync(join(root, "a/.git"), join(root, "a/b/c/.git"));
    expect(findGitAncestor(join(root, "a/b/c"), { dangling: false })).toBe(join(root, "a/b/c"));
  });

  test("a dangling link counts only when asked", () => {
    const root = tempDir();
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

describe("findRepository", () => {
  const host = (cwd: string, env: Record<string, string> = {}) =>
    testHost({ cwd, env: testEnv({ HOME: cwd, ...env }) });
  const initialise = (path: string) =>
    execFileSync("git", ["init", "-q", path], { env: testEnv({ HOME: path }) });

  test("is the top directory by real path, whatever GIT_DIR says", async () => {
    const root = tempDir();
    initialise(join(root, "repo"));
    mkdirSync(join(root, "repo/a/b"), { recursive: true });
    symlinkSync(join(root, "repo/a"), join(root, "link"));
    for (const cwd of [join(root, "repo"), join(root, "repo/a/b"), join(root, "link")]) {
      expect(await findRepository(host(cwd, { GIT_DIR: "/nowhere" }))).toEqual({
        root: join(root, "repo"),
        git: "available",
      });
    }
  });

  test("is none outside one, and in a repository's own .git directory", async () => {
    const root = tempDir();
    initialise(join(root, "repo"));
    for (const cwd of [root, join(root, "repo/.git")]) {
      expect(await findRepository(host(cwd))).toEqual({ root: undefined, git: "available" });
    }
  });

  test("without git is the nearest ancestor with a .git entry", async () => {
    const root = tempDir();
    mkdirSync(join(root, "repo/sub"), { recursive: true });
    symlinkSync("nowhere", join(root, "repo/.git"));
    const none = { PATH: join(root, "none") };
    expect(await findRepository(host(join(root, "repo/sub"), none))).toEqual({
      root: join(root, "repo"),
      git: "missing",
    });
    expect((await findRepository(host(root, none))).git).toBe("missing");
  });

  test("a git that is killed has not answered", async () => {
    const root = tempDir();
    mkdirSync(join(root, "repo/.git"), { recursive: true });
    mkdirSync(join(root, "bin"));
    writeFileSync(join(root, "bin/git"), "#!/bin/sh\nkill -9 $$\n", { mode: 0o755 });
    expect(await findRepository(host(join(root, "repo"), { PATH: `${join(root, "bin")}:/bin` }))).toEqual({
      root: join(root, "repo"),
      git: "missing",
    });
  });

  test.skipIf(process.geteuid?.() !== 0)("says when git refuses a repository of another user", async () => {
    const root = tempDir();
    initialise(join(root, "repo"));
    chownSync(join(root, "repo"), 12345, 12345);
    chmodSync(root, 0o755);
    expect(await findRepository(host(join(root, "repo")))).toEqual({
      root: undefined,
      git: "available",
      refused: "foreign-owner",
    });
  });
});
