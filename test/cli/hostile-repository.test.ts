import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plantPrograms, type Traps } from "../support/hostile-repository.ts";
import { runJig, testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const PLAN = "---\ntitle: T\ntype: feat\ndate: 2026-01-01\n---\n\n# T\n\n- R1. One.\n";

/** Calls of every room that looks at a repository, or runs in one. */
const CALLS: readonly (readonly string[])[] = [
  ["config", "check"],
  ["config", "list", "--all"],
  ["config", "get", "plan_output"],
  ["config", "docs-root", "plans"],
  ["packs", "resolve"],
  ["packs", "list"],
  ["packs", "show", "house"],
  ["packs", "refresh"],
  ["plan", "check", "docs/plans/2026-01-01-001-feat-t-plan.md"],
  ["plan", "sections", "docs/plans/2026-01-01-001-feat-t-plan.md"],
  ["plan", "reserve", "--type", "feat", "--topic", "t"],
  ["base-dir", "resolve", "task"],
  ["base-dir", "resolve"],
  ["elevate", "--resolve", "--key", "plan_model"],
  ["scratch", "s", "r"],
  ["job", "list"],
  ["web", "status", "--root", "web"],
  ["skills", "list", "--scope", "project"],
  ["skills", "check", "--dir", "."],
  ["craft", "manifest-lint"],
  ["doctor"],
];

interface Place {
  cwd: string;
  base: string;
  traps: Traps;
}

function fill(tree: string, source: string): void {
  mkdirSync(join(tree, ".compound-engineering"), { recursive: true });
  mkdirSync(join(tree, "docs/plans"), { recursive: true });
  const packs = `packs:\n  - source: ${source}\n    ref: v1\n  - source: http://trap.invalid/x\n    ref: v1\n`;
  writeFileSync(
    join(tree, ".compound-engineering/config.yaml"),
    `plan_output: md\nplan_model: opus\n${packs}`,
  );
  writeFileSync(join(tree, "docs/plans/2026-01-01-001-feat-t-plan.md"), PLAN);
}

function prepare(): {
  base: string;
  root: string;
  source: string;
  plain: (cwd: string, ...words: string[]) => void;
} {
  const base = tempDir();
  const env = testEnv({ HOME: base });
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
  const plain = (cwd: string, ...words: string[]) =>
    void execFileSync("git", [...identity, ...words], { cwd, env, stdio: "ignore" });
  const [root, source] = [join(base, "repo"), join(base, "packs")];
  for (const path of [root, join(source, "house")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(source, "house/r.md"), "---\ntitle: A\napplies_when:\n  - always\n---\n");
  for (const path of [root, source]) plain(path, "init", "-q");
  plain(source, "add", "-A");
  plain(source, "commit", "-q", "-m", "x");
  plain(source, "tag", "v1");
  return { base, root, source: `file://${source}`, plain };
}

/** A checkout whose own configuration is full of programs. */
function hostileCheckout(): Place {
  const { base, root, source, plain } = prepare();
  fill(root, source);
  plain(root, "add", "-A");
  plain(root, "commit", "-q", "-m", "x");
  return { cwd: root, base, traps: plantPrograms(join(root, ".git"), base) };
}

/** A clone in which somebody committed a bare repository, with a work tree beside it. */
function hostileClone(): Place {
  const { base, root, source, plain } = prepare();
  const bare = join(root, "ex");
  plain(root, "init", "-q", "--bare", "ex");
  const tree = join(bare, "wt");
  fill(tree, source);
  writeFileSync(join(bare, "config"), "[core]\n\trepositoryformatversion = 0\n\tworktree = wt\n");
  const other = join(base, "filled");
  mkdirSync(other);
  plain(other, "init", "-q");
  fill(other, source);
  plain(other, "add", "-A");
  plain(other, "commit", "-q", "-m", "x");
  cpSync(join(other, ".git/index"), join(bare, "index"));
  cpSync(join(other, ".git/objects"), join(bare, "objects"), { recursive: true });
  return { cwd: tree, base, traps: plantPrograms(bare, base) };
}

describe("a repository whose configuration names programs", () => {
  test.each([
    ["its own", hostileCheckout, '"findings":[]'],
    ["a bare one committed inside it", hostileClone, "lies in a bare repository"],
  ])("runs none of them in any room: %s", { timeout: 180_000 }, async (_, make, expected) => {
    const { cwd, base, traps } = make();
    const env = { HOME: base, CE_PACKS_CACHE_ROOT: join(base, "cache"), JIG_TMP_ROOT: base, TMPDIR: base };
    for (const words of CALLS) {
      const run = await runJig(words, { cwd, env, timeout: 60_000 });
      expect([words.join(" "), run.code, run.stderr]).not.toEqual([words.join(" "), 70, run.stderr]);
      expect([words.join(" "), traps.sprung()]).toEqual([words.join(" "), []]);
    }
    const check = await runJig(["config", "check", "--json"], { cwd, env });
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining(expected)]);
    // The traps do work: git by itself springs one.
    spawnSync("git", ["status"], { cwd, env: testEnv(env) });
    expect(traps.sprung()).toContain("core.fsmonitor");
  });
});
