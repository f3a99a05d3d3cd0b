import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { candidateNamed } from "../../../src/flow/identity/scan.ts";
import { runUnprivileged } from "../../support/unprivileged.ts";
import { ambiguous, flowWorld, makeRepository, type World, workspace } from "../world.ts";

let at: World;
beforeEach(() => {
  at = flowWorld();
});

describe("flow root", () => {
  test("flow-1 in a repository it is that one, from any directory of it", async () => {
    mkdirSync(join(at.root, "sub"));
    const cwd = join(at.root, "sub");
    expect(await at.flow(["root"], { cwd })).toMatchObject({ code: 0, stdout: `${at.root}\n` });
    expect(await at.json(["root"], { cwd })).toEqual({
      outcome: "SINGLE_REPO",
      project_root: at.root,
      candidates: [],
      candidate_labels: {},
      fallback_reason: null,
      corrected_from: null,
      workspace_writable_paths: [],
      workspace_writable_paths_dropped: [],
    });
  });

  test("flow-2 among several the one whose directory the request names", async () => {
    const path = workspace(at);
    const words = ["root", "--cwd", path, "--request", "work on beta, please"];
    expect(await at.flow(words)).toMatchObject({ code: 0, stdout: `${path}/beta\n` });
    expect(await at.json(words)).toMatchObject({
      outcome: "DETERMINISTIC",
      project_root: `${path}/beta`,
      candidates: [],
      candidate_labels: {},
    });
  });

  test.each(["work on Beta", "alpha and beta", "beta.", "", "link", "the-beta"])(
    "flow-3 a request that names none or several is a question: %j",
    async (request) => {
      const path = workspace(at);
      const words = ["root", "--cwd", path, "--request", request];
      const run = await at.flow(words);
      expect(run).toMatchObject({ code: 3, stdout: "" });
      for (const one of ambiguous(path)) expect(run.stderr.split("\n")).toContain(one);
      expect(await at.json(words)).toMatchObject({
        outcome: "AMBIGUOUS",
        project_root: null,
        candidates: ambiguous(path),
        candidate_labels: Object.fromEntries(ambiguous(path).map((one) => [one, "Begin"])),
      });
    },
  );

  test.each([
    "x beta y",
    "a/beta",
    "a\\beta",
    "beta,x",
    "beta:1",
    "x;beta",
    "(beta)",
    "[beta]",
    "{beta}",
    '"beta"',
    "'beta'",
    "`beta`",
    "beta\tbeta\nbeta",
  ])("the request is split at blanks, slashes, brackets, quotes and punctuation: %j", (request) => {
    expect(candidateNamed(["/w/alpha", "/w/beta"], request)).toBe("/w/beta");
  });

  test("flow-4 a person's choice is taken when it is one of the candidates, however it is spelled", async () => {
    const path = workspace(at);
    const root = ["root", "--cwd", path, "--choose"];
    expect(await at.flow([...root, `${path}/gamma`])).toMatchObject({ code: 0, stdout: `${path}/gamma\n` });
    expect(await at.flow([...root, `${path}/link/../gamma`], { cwd: path })).toMatchObject({
      stdout: `${path}/gamma\n`,
    });
    expect(await at.flow([...root, "gamma"], { cwd: path })).toMatchObject({ stdout: `${path}/gamma\n` });
    for (const none of [`${path}/nothere`, `${path}/plain`, path]) {
      const run = await at.flow([...root, none]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain(ambiguous(path).join(", "));
    }
  });

  test("flow-5 a directory without repositories is the root itself, and its configuration is not read", async () => {
    const path = join(at.base, "W");
    mkdirSync(join(path, "plain"), { recursive: true });
    writeFileSync(join(path, ".craftflow-workspace.json"), '{"writable_paths":["x"]}');
    expect(await at.flow(["root", "--cwd", path])).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(await at.json(["root", "--cwd", path])).toMatchObject({
      outcome: "NO_REPO_FOUND",
      project_root: path,
      fallback_reason: "NO_REPO_FOUND",
      workspace_writable_paths: [],
      workspace_writable_paths_dropped: [],
    });
  });

  test("flow-6 a directory that cannot be listed", async () => {
    const found = await at.json(["root", "--cwd", "/does/not/exist"]);
    expect(found).toMatchObject({
      outcome: "RESOLVE_SCRIPT_ERROR",
      project_root: "/does/not/exist",
      fallback_reason: "RESOLVE_SCRIPT_ERROR",
    });
    const file = at.write("file", "");
    expect(await at.json(["root", "--cwd", file])).toMatchObject({ outcome: "RESOLVE_SCRIPT_ERROR" });
    symlinkSync("loop", join(at.base, "loop"));
    const loop = join(at.base, "loop");
    expect(await at.json(["root", "--cwd", loop])).toMatchObject({ outcome: "RESOLVE_SCRIPT_ERROR" });
  });

  test("the allowlist of a workspace is in the document", async () => {
    const path = workspace(at);
    writeFileSync(join(path, ".craftflow-workspace.json"), '{"writable_paths":["CONTRACTS.md","alpha"]}');
    expect(await at.json(["root", "--cwd", path])).toMatchObject({
      outcome: "AMBIGUOUS",
      workspace_writable_paths: [join(path, "CONTRACTS.md")],
      workspace_writable_paths_dropped: [{ entry: "alpha", reason: "resolves_inside_nested_repo" }],
    });
  });

  test("flow-8 in a workflow's worktree it is the main tree, once that has state", async () => {
    at.git("worktree", "add", "-q", ".claude/worktrees/w1");
    const cwd = join(at.root, ".claude/worktrees/w1");
    expect((await at.flow(["root"], { cwd })).stdout).toBe(`${cwd}\n`);
    mkdirSync(join(at.root, ".craftflow/state"), { recursive: true });
    expect((await at.flow(["root"], { cwd })).stdout).toBe(`${at.root}\n`);
    expect(await at.json(["root"], { cwd })).toMatchObject({ corrected_from: cwd, project_root: at.root });
  });

  test("a broken repository, one only inside another, and one that git cannot enter are left out", async () => {
    const path = join(at.base, "W");
    makeRepository(join(path, "whole"));
    mkdirSync(join(path, "broken/.git"), { recursive: true });
    const run = await at.flow(["root", "--cwd", path]);
    expect(run).toMatchObject({ code: 0, stdout: `${path}/whole\n` });
    expect(run.stderr).toMatch(/^jig flow: .*\/broken is left out: .+\n$/);
    const outer = join(at.root, "inner");
    mkdirSync(outer);
    expect(await at.json(["root", "--cwd", at.root])).toMatchObject({ outcome: "SINGLE_REPO" });
  });

  test("a child that may not be looked into is left out with a line", async () => {
    const path = join(at.base, "W");
    makeRepository(join(path, "closed"));
    for (const one of [at.base, path]) chmodSync(one, 0o755);
    chmodSync(join(path, "closed"), 0);
    const run = await runUnprivileged(["flow", "root", "--cwd", path], { cwd: path });
    chmodSync(join(path, "closed"), 0o755);
    expect(run).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(run.stderr).toBe(`jig flow: ${path}/closed is left out: permission denied\n`);
  });
});
