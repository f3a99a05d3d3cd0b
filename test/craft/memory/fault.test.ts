/** What is left of a store when the process or the disk ends at any step, and when several save at once. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canMount, smallDisk } from "../../support/disk.ts";
import { JIG } from "../../support/paths.ts";
import { runJig } from "../../support/run.ts";
import { callsTouching, canTrace, runInjected } from "../../support/strace.ts";
import { tempDir } from "../../support/temp.ts";

const STORE = ".claude/craft-memory.md";

function repository(root = tempDir()): string {
  execFileSync("git", ["init", "-q", root]);
  return root;
}

const observation = (size: string) =>
  JSON.stringify([{ concern: "part-sizing", payload: { size, outcome: "pass" } }]);

function withStore(): { root: string; before: string; words: string[] } {
  const root = repository();
  const delta = join(root, "delta.json");
  writeFileSync(delta, observation("new"));
  mkdirSync(join(root, ".claude"));
  const first = [JIG, "craft", "memory", "save", "--delta", "-", "--date", "2026-01-01"];
  execFileSync(first[0]!, first.slice(1), { cwd: root, input: observation("old") });
  const before = readFileSync(join(root, STORE), "utf8");
  return { root, before, words: [JIG, "craft", "memory", "save", "--delta", delta, "--date", "2026-01-02"] };
}

describe.skipIf(!canTrace)("a save", () => {
  test("killed at any call leaves the old store or the new, and the next one works", async () => {
    const sample = withStore();
    const calls = callsTouching(join(sample.root, ".claude"), sample.words, { cwd: sample.root });
    const after = readFileSync(join(sample.root, STORE), "utf8");
    expect(calls.map(({ name }) => name).join()).toMatch(/rename/);
    for (const call of calls) {
      const { root, before, words } = withStore();
      const run = runInjected(words, call, "signal=KILL", { cwd: root });
      const left = readFileSync(join(root, STORE), "utf8");
      expect([before, after]).toContain(left);
      // What was acknowledged is there.
      if (run.stdout.includes('"written": true')) expect(left).toBe(after);
      expect((await runJig(words.slice(1), { cwd: root })).stdout).toContain('"written": true');
    }
  }, 120_000);

  test("that meets a fault keeps the old store, and says so", () => {
    const sample = withStore();
    const calls = callsTouching(join(sample.root, ".claude"), sample.words, { cwd: sample.root });
    const writing = calls.filter(({ name }) => /^(?:write|fsync|rename)/.test(name));
    expect(writing.length).toBeGreaterThan(1);
    for (const call of writing) {
      for (const error of ["ENOSPC", "EIO"]) {
        const { root, before, words } = withStore();
        const run = runInjected(words, call, `error=${error}`, { cwd: root });
        const left = readFileSync(join(root, STORE), "utf8");
        const { written, writeNote } = JSON.parse(run.stdout);
        if (written) continue;
        expect(writeNote).toMatch(/^save failed: /);
        if (!/flush the directory/.test(writeNote)) expect(left).toBe(before);
      }
    }
  }, 120_000);
});

test.skipIf(!canMount)("on a full disk a save fails and the store is as it was", async () => {
  const root = repository(smallDisk("256k"));
  await runJig(["craft", "memory", "save", "--delta", "-"], { cwd: root, stdin: observation("old") });
  const before = readFileSync(join(root, STORE), "utf8");
  execFileSync("sh", ["-c", "dd if=/dev/zero of=filler bs=1k 2>/dev/null || true"], { cwd: root });
  const many = JSON.stringify(
    Array.from({ length: 500 }, (_, index) => ({ concern: "part-sizing", payload: { size: `s${index}` } })),
  );
  const run = await runJig(["craft", "memory", "save", "--delta", "-"], { cwd: root, stdin: many });
  expect([run.code, JSON.parse(run.stdout)]).toMatchObject([
    0,
    { written: false, writeNote: expect.stringContaining("no space left on device") },
  ]);
  expect(readFileSync(join(root, STORE), "utf8")).toBe(before);
});

test("runs that end at the same time lose nothing of each other", async () => {
  const root = repository();
  const view = join(root, "view.json");
  await runJig(["craft", "memory", "load", "--out", view], { cwd: root });
  const sizes = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const runs = await Promise.all(
    sizes.map((size) =>
      runJig(["craft", "memory", "save", "--delta", "-", "--view", view], {
        cwd: root,
        stdin: observation(size),
      }),
    ),
  );
  expect(runs.map(({ stdout }) => JSON.parse(stdout).written)).not.toContain(false);
  const { stdout } = await runJig(["craft", "memory", "load"], { cwd: root });
  const { entries } = JSON.parse(stdout);
  expect(entries["part-sizing"].map(({ size }: { size: string }) => size).sort()).toEqual(sizes.toSorted());
  expect(existsSync(join(root, ".git/craft-memory.lock"))).toBe(true);
}, 60_000);
