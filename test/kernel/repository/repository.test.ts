import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lchownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findGitAncestor, findRepository, refusalHint } from "../../../src/kernel/repository/repository.ts";
import { testHost } from "../../support/host.ts";
import { testEnv } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

const isRoot = process.geteuid?.() === 0;
const own = (dangling: boolean) => ({ dangling, uid: process.geteuid?.() });
const STRANGER = 12_345;

describe("findGitAncestor", () => {
  test("finds the nearest directory, file or link named .git", () => {
    const root = tempDir();
    mkdirSync(join(root, "a/.git"), { recursive: true });
    mkdirSync(join(root, "a/b/c"), { recursive: true });
    expect(findGitAncestor(join(root, "a/b/c"), own(false))).toBe(join(root, "a"));
    writeFileSync(join(root, "a/b/.git"), "gitdir: /nowhere\n");
    expect(findGitAncestor(join(root, "a/b/c"), own(false))).toBe(join(root, "a/b"));
    symlinkSync(join(root, "a/.git"), join(root, "a/b/c/.git"));
    expect(findGitAncestor(join(root, "a/b/c"), own(false))).toBe(join(root, "a/b/c"));
  });

  test("a dangling link counts only when asked", () => {
    const root = tempDir();
    mkdirSync(join(root, "a/.git"), { recursive: true });
    mkdirSync(join(root, "a/b"), { recursive: true });
    symlinkSync(join(root, "nowhere"), join(root, "a/b/.git"));
    expect(findGitAncestor(join(root, "a/b"), own(true))).toBe(join(root, "a/b"));
    expect(findGitAncestor(join(root, "a/b"), own(false))).toBe(join(root, "a"));
  });

  test.skipIf(!isRoot)("passes over what a stranger put where everybody may write", () => {
    const root = tempDir();
    for (const path of ["shared/mine/deep", "theirs/mine"]) mkdirSync(join(root, path), { recursive: true });
    chmodSync(join(root, "shared"), 0o1777);
    for (const plant of [
      (entry: string) => mkdirSync(entry),
      (entry: string) => writeFileSync(entry, `gitdir: ${root}/elsewhere\n`),
      // Owned by the stranger as a link, by the caller as what it leads to.
      (entry: string) => symlinkSync(root, entry),
    ]) {
      const entry = join(root, "shared/.git");
      plant(entry);
      lchownSync(entry, STRANGER, STRANGER);
      for (const dangling of [true, false]) {
        expect(findGitAncestor(join(root, "shared/mine/deep"), own(dangling))).not.toBe(join(root, "shared"));
      }
      rmSync(entry, { recursive: true });
    }
    mkdirSync(join(root, "shared/.git"));
    chownSync(join(root, "shared/.git"), STRANGER, STRANGER);
    mkdirSync(join(root, ".git"));
    expect(findGitAncestor(join(root, "shared/mine/deep"), own(false))).toBe(root);
    // A directory of somebody's own, or of a group, is as its owner says: a container's root in a mounted checkout.
    mkdirSync(join(root, "theirs/.git"));
    for (const path of ["theirs", "theirs/.git"]) chownSync(join(root, path), STRANGER, STRANGER);
    expect(findGitAncestor(join(root, "theirs/mine"), own(false))).toBe(join(root, "theirs"));
    chmodSync(join(root, "theirs"), 0o777);
    expect(findGitAncestor(join(root, "theirs/mine"), own(false))).toBe(join(root, "theirs"));
  });

  test("ends at the root of the file system", () => {
    expect(findGitAncestor("/", own(true))).toBeUndefined();
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
    expect(await findRepository(host(root))).toEqual({ root: undefined, git: "available" });
    const inside = await findRepository(host(join(root, "repo/.git")));
    expect(inside).toMatchObject({ root: undefined, git: "available" });
  });

  test("is never a bare one on the way up, which may have been committed there", async () => {
    const root = tempDir();
    initialise(join(root, "repo"));
    const bare = join(root, "repo/ex");
    execFileSync("git", ["init", "-q", "--bare", bare], { env: testEnv({ HOME: root }) });
    mkdirSync(join(bare, "wt"));
    execFileSync("git", ["config", "--file", join(bare, "config"), "core.bare", "false"]);
    execFileSync("git", ["config", "--file", join(bare, "config"), "core.worktree", "wt"]);
    const found = await findRepository(host(join(bare, "wt")));
    expect(found).toEqual({ root: undefined, git: "available", refused: "bare" });
    expect(refusalHint(found)).toContain("bare repository");
    expect(refusalHint({ root, git: "available" })).toBeUndefined();
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

  test.skipIf(!isRoot)(
    "without git refuses what git would refuse: a stranger's tree, entry or target",
    async () => {
      const root = tempDir();
      const none = { PATH: join(root, "none") };
      const repo = join(root, "repo");
      const refused = { root: undefined, git: "missing", refused: "foreign-owner" };
      for (const stolen of ["tree", "entry", "target", "dangling"]) {
        mkdirSync(join(repo, "sub"), { recursive: true });
        if (stolen === "target") {
          mkdirSync(join(root, "target"));
          chownSync(join(root, "target"), STRANGER, STRANGER);
          symlinkSync(join(root, "target"), join(repo, ".git"));
        } else if (stolen === "dangling") symlinkSync("nowhere", join(repo, ".git"));
        else mkdirSync(join(repo, ".git"));
        expect(await findRepository({ ...host(repo, none), uid: STRANGER })).toEqual(refused);
        if (stolen === "tree") chownSync(repo, STRANGER, STRANGER);
        else if (stolen !== "target") lchownSync(join(repo, ".git"), STRANGER, STRANGER);
        for (const cwd of [repo, join(repo, "sub")]) {
          expect([stolen, await findRepository(host(cwd, none))]).toEqual([stolen, refused]);
        }
        const sudo = { ...none, SUDO_UID: String(STRANGER) };
        expect((await findRepository(host(repo, sudo))).root).toBe(repo);
        rmSync(repo, { recursive: true });
      }
    },
  );

  test.skipIf(!isRoot)("says when git refuses a repository of another user", async () => {
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
