import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startJig } from "../support/run.ts";
import { runWorld } from "./run-world.ts";

function world() {
  const made = runWorld();
  const { base, git, call } = made;
  const w = join(base, "w");
  git("worktree", "add", "-q", w, "-b", "feat/x");
  const bin = join(base, "bin");
  mkdirSync(bin);
  const tool = (name: string, body: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  const worktree = (...words: string[]) => call(["worktree", ...words], { env });
  const branches = () => git("branch", "--format=%(refname:short)").trim().split("\n").sort();
  return { ...made, w, tool, worktree, branches };
}

async function living(): Promise<ChildProcess> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  await once(child, "spawn");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  return child;
}

describe("worktree setup", () => {
  test("the first lock file decides, output goes through, the script gets the path as given", async () => {
    const { worktree, w, tool } = world();
    tool("npm", 'echo "npm $* in $(pwd)"; echo oops >&2; [ "$1" = install ]');
    tool("cargo", "echo cargo");
    writeFileSync(join(w, "package-lock.json"), "");
    writeFileSync(join(w, "Cargo.toml"), "");
    writeFileSync(join(w, "after.sh"), 'echo "script $1 in $(pwd)"\n');
    const { code, stdout, stderr } = await worktree("setup", "../w", "after.sh");
    expect(code).toBe(0);
    expect(stdout).toBe(
      `npm ci in ${w}\nnpm install in ${w}\ncraft-setup: dependencies installed in-worktree via npm.\n` +
        `script ../w in ${w}\ncraft-setup: post-setup script ran: after.sh\n`,
    );
    expect(stderr).toContain("oops");
  });

  test("what a script leaves in the background is not waited for", async () => {
    const { w, env } = world();
    writeFileSync(join(w, "after.sh"), "sleep 60 &\necho $! > pid\n");
    onTestFinished(() => void process.kill(Number(readFileSync(join(w, "pid"), "utf8")), "SIGKILL"));
    const child = startJig(["craft", "worktree", "setup", w, "after.sh"], { cwd: w, env });
    child.stdin!.end();
    const [code] = await once(child, "exit", { signal: AbortSignal.timeout(20_000) });
    expect(code).toBe(0);
  });

  test("nothing recognised, a nested lock file, a missing tool, failures", async () => {
    const { worktree, w, tool } = world();
    expect((await worktree("setup", w)).stdout).toBe(
      "craft-setup: no recognized lockfile/manifest — dependency install skipped (noted).\n",
    );
    tool("npm", 'echo "npm $* in $(basename $(pwd))"');
    for (const name of [".hidden", "b", "a"]) {
      mkdirSync(join(w, name));
      writeFileSync(join(w, name, "package-lock.json"), "");
    }
    expect((await worktree("setup", w)).stdout).toContain("npm ci in a\n");
    writeFileSync(join(w, "poetry.lock"), "");
    const missing = await worktree("setup", w);
    expect(missing.code).toBe(127);
    expect(missing.stderr).toContain("poetry is not installed");
    tool("poetry", "exit 7");
    expect((await worktree("setup", w)).code).toBe(7);
    rmSync(join(w, "poetry.lock"));
    writeFileSync(join(w, "bad.sh"), "exit 9\n");
    expect((await worktree("setup", w, "bad.sh")).code).toBe(9);
    expect((await worktree("setup", join(w, "no"))).code).toBe(1);
    expect((await worktree("setup")).code).toBe(1);
    expect((await worktree("setup", w, "x", "y")).code).toBe(1);
  });
});

describe("worktree teardown", () => {
  test("craft-run-15 the run's ledger outlives its worktree", async () => {
    const { worktree, call, w, file, branches } = world();
    await call(["ledger", "open", "demo"], { cwd: w });
    await call(["ledger", "append", "demo", "design"], { cwd: w, stdin: "early\n" });
    const { code, stdout } = await worktree("teardown", ".", "../w");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^craft-teardown: worktree removed: \.\.\/w\ncraft-teardown: branch tip was [0-9a-f]{40}\ncraft-teardown: local branch deleted: feat\/x\n$/,
    );
    expect(existsSync(w)).toBe(false);
    expect(branches()).toEqual(["main"]);
    expect((await call(["ledger", "append", "demo", "integrate"], { stdin: "late\n" })).code).toBe(0);
    expect(file("demo.md")).toContain("demo design early\ndemo integrate late\n");
  });

  test("craft-run-39 a living validation run is not pulled the ground from under", async () => {
    const { worktree, w, branches, cwd } = world();
    const lock = join(w, ".craft-validation.lock");
    const child = await living();
    writeFileSync(lock, `${child.pid} 2026-09-22T10:00:00Z\n`);
    const refused = await worktree("teardown", ".", w);
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain(
      `REFUSED — validation run alive (pid=${child.pid} since 2026-09-22T10:00:00Z)`,
    );
    expect(readFileSync(lock, "utf8")).toContain(String(child.pid));
    expect(branches()).toContain("feat/x");
    const forced = await worktree("teardown", ".", w, "--force");
    expect(forced.code).toBe(0);
    expect(forced.stdout).toContain(`FORCED past live validation run (pid=${child.pid}`);
    expect(existsSync(w)).toBe(false);
    expect(branches()).toEqual(["main"]);
    for (const text of ["-1 x", "0 x", "", "text", "999999999 x"]) {
      writeFileSync(join(cwd, ".craft-validation.lock"), text);
      const { code, stdout } = await worktree("teardown", ".", join(cwd, "..", "r"));
      expect(code).toBe(0);
      expect(stdout).toMatch(/stale lock.*auto-cleared/);
      expect(stdout).toContain("branch kept: main");
      expect(existsSync(join(cwd, ".git"))).toBe(true);
    }
  });

  test("craft-run-39 the main checkout is never removed, however it is spelled", async () => {
    const { worktree, cwd, base } = world();
    symlinkSync(cwd, join(base, "alias"));
    const { code, stdout } = await worktree("teardown", cwd, join(base, "alias"));
    expect(code).toBe(0);
    expect(stdout).not.toContain("worktree removed");
    expect(existsSync(join(cwd, ".git"))).toBe(true);
  });

  test("what is no linked worktree of the repository is refused before anything is touched", async () => {
    const { worktree, cwd, base, w, git } = world();
    const stranger = runWorld();
    mkdirSync(join(cwd, "sub"));
    mkdirSync(join(w, "sub"));
    writeFileSync(join(base, "pre.sh"), `touch ${join(base, "ran")}\n`);
    for (const dir of [cwd, w, stranger.cwd]) writeFileSync(join(dir, "precious"), "x");
    const calls: [main: string, target: string][] = [
      [cwd, stranger.cwd],
      [cwd, join(cwd, "sub")],
      [cwd, join(w, "sub")],
      [cwd, base],
      [join(cwd, "sub"), cwd],
      [w, cwd],
    ];
    for (const [main, target] of calls) {
      const lock = join(target, ".craft-validation.lock");
      writeFileSync(lock, "stale");
      const words = ["--keep-changes", "--pre-teardown", join(base, "pre.sh")];
      const { code, stdout, stderr } = await worktree("teardown", main, target, ...words);
      expect({ code, stdout }, target).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain("is no linked worktree of");
      expect(existsSync(lock)).toBe(true);
    }
    for (const dir of [cwd, w, stranger.cwd]) expect(existsSync(join(dir, "precious"))).toBe(true);
    expect(existsSync(join(base, "ran"))).toBe(false);
    expect(git("stash", "list") + stranger.git("stash", "list")).toBe("");
  });

  test("craft-run-51 a worktree deleted by hand: its entry and branch go, another entry stays", async () => {
    const { worktree, w, base, git, branches } = world();
    git("worktree", "add", "-q", join(base, "v"), "-b", "feat/v");
    renameSync(join(base, "v"), join(base, "moved"));
    rmSync(w, { recursive: true });
    expect((await worktree("teardown", ".", w)).code).toBe(0);
    expect(git("worktree", "list")).toContain("feat/v");
    expect(branches()).toEqual(["feat/v", "main"]);
    const again = await worktree("teardown", ".", w);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toContain(`no such worktree: ${w}`);
  });

  test("a failing script stops it before anything is removed; uncommitted work can be kept", async () => {
    const { worktree, w, cwd, git, branches } = world();
    writeFileSync(join(cwd, "pre.sh"), 'echo "pre $1 in $(pwd)"; exit "$(cat code)"\n');
    writeFileSync(join(cwd, "code"), "5");
    const failed = await worktree("teardown", ".", w, "--pre-teardown", "pre.sh");
    expect(failed.code).toBe(5);
    expect(existsSync(w)).toBe(true);
    writeFileSync(join(cwd, "code"), "0");
    writeFileSync(join(w, "new file"), "kept");
    const done = await worktree("teardown", ".", w, "--pre-teardown", "pre.sh", "--keep-changes");
    expect(done.code).toBe(0);
    expect(done.stdout).toContain(`pre ${w} in ${cwd}\ncraft-teardown: pre-teardown script ran: pre.sh\n`);
    const stash = /kept as stash ([0-9a-f]{40})/.exec(done.stdout)![1]!;
    expect(git("show", `${stash}^3:new file`)).toBe("kept");
    expect(branches()).toEqual(["main"]);
  });

  test("with --keep-changes a branch goes only when its commits are somewhere else", async () => {
    const { worktree, w, git, branches } = world();
    const again = () => git("worktree", "add", "-q", w, "feat/x");
    const teardown = (...words: string[]) => worktree("teardown", ".", w, ...words);
    git("-C", w, "commit", "-q", "--allow-empty", "-m", "one");
    const kept = await teardown("--keep-changes");
    expect(kept).toMatchObject({ code: 0, stdout: expect.not.stringContaining("deleted") });
    expect(kept.stdout).toContain(
      "branch kept: feat/x (1 commit is on no other branch, remote branch or tag)",
    );
    expect(existsSync(w)).toBe(false);
    // A tag, a remote branch or another local branch holds them.
    for (const ref of ["refs/tags/t", "refs/remotes/origin/feat/x", "refs/heads/other"]) {
      const tip = git("rev-parse", "feat/x").trim();
      git("update-ref", ref, tip);
      again();
      expect((await teardown("--keep-changes")).stdout, ref).toContain("local branch deleted: feat/x");
      git("update-ref", "-d", ref);
      git("branch", "feat/x", tip);
    }
    // Without the flag it goes, as it always did, and its tip is printed.
    again();
    expect((await teardown()).stdout).toMatch(/branch tip was [0-9a-f]{40}\n.*deleted: feat\/x\n$/);
    expect(branches()).toEqual(["main"]);
  });

  test("branches that are kept, a remote that fails, wrong words", async () => {
    const { worktree, w, git, branches, base } = world();
    git("remote", "add", "origin", join(base, "nowhere"));
    git("update-ref", "refs/remotes/origin/feat/x", "HEAD");
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/feat/x");
    const { code, stdout } = await worktree("teardown", ".", w);
    expect(code).toBe(0);
    expect(stdout).toContain("fetch --prune failed, going on");
    expect(stdout).toContain("branch kept: feat/x");
    expect(branches()).toContain("feat/x");
    git("worktree", "add", "-q", "--detach", w);
    expect((await worktree("teardown", ".", w)).stdout).toContain("branch kept: HEAD was detached");
    expect((await worktree("teardown", ".")).code).toBe(1);
    expect((await worktree("teardown", ".", w, "--pre-teardown")).code).toBe(1);
    const unknown = await worktree("teardown", ".", w, "--nope");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain("unknown arg --nope");
  });

  test("the upstream names answer to the same", async () => {
    const { call, w } = world();
    const { runJig } = await import("../support/run.ts");
    const { code, stdout } = await runJig(["--as", "worktree-setup.sh", w], { cwd: w });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "craft-setup: no recognized lockfile/manifest — dependency install skipped (noted).\n",
    });
    expect((await call(["worktree", "--help"])).code).toBe(0);
  });
});
