/** What is left of a store when the disk is full, and when several save at once. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canMount, smallDisk } from "../../support/disk.ts";
import { runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

const STORE = ".claude/craft-memory.md";

function repository(root = tempDir()): string {
  execFileSync("git", ["init", "-q", root]);
  return root;
}

const observation = (size: string) =>
  JSON.stringify([{ concern: "part-sizing", payload: { size, outcome: "pass" } }]);

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
});
