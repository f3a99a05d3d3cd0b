import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { acquireMergeLock } from "../../../src/flow/worktree/lock/acquire.ts";
import { holderMetadata } from "../../../src/flow/worktree/lock/metadata.ts";
import { testHost } from "../../support/host.ts";
import { runJig } from "../../support/run.ts";
import { ago, HOUR_MS, lockWorld } from "./lock-world.ts";

const HOLDER = { wf: "wf-me", worktreePath: "/nowhere/t" };
const host = testHost({ env: { PATH: process.env["PATH"] } });

describe("the merge lock", () => {
  test("is signed, renewed in no way, and released only while it is ours", async () => {
    const { layout, lock, metadata } = lockWorld();
    const got = await acquireMergeLock(host, layout, HOLDER);
    if (!("lock" in got)) throw new Error(got.refused.message);
    const signed = JSON.parse(readFileSync(metadata, "utf8"));
    expect(signed).toMatchObject({
      workflow_uuid: "wf-me",
      worktree_path: "/nowhere/t",
      acquired_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      pid: process.pid,
      process_start: expect.any(String),
      host: expect.any(String),
      token: got.lock.token,
    });
    expect(got).toMatchObject({ attempts: 1, waitedMs: 0, reclaimed: [] });
    expect(got.lock.isOurs()).toBe(true);
    expect(got.lock.release()).toBe("released");
    expect(existsSync(lock)).toBe(false);
    expect(got.lock.release()).toBe("lost");
  });

  test("is not taken from a living holder, and the refusal names it", async () => {
    const { layout, metadata, hold, root } = lockWorld();
    hold({ workflow_uuid: "wf-other", worktree_path: root, acquired_at: ago(0) });
    const before = readFileSync(metadata, "utf8");
    const got = await acquireMergeLock(host, layout, HOLDER, { attempts: 2, intervalMs: 10 });
    expect(got).toMatchObject({
      attempts: 2,
      refused: { holder: "wf-other", decision: "CONTENDED wf-other" },
    });
    expect(readFileSync(metadata, "utf8")).toBe(before);
  });

  test("is taken at once from one that is proven gone, of which the old metadata is kept", async () => {
    const { layout, hold } = lockWorld();
    hold({ workflow_uuid: "wf-me", worktree_path: "/nowhere/else", acquired_at: ago(0) });
    const got = await acquireMergeLock(host, layout, HOLDER, { attempts: 1, intervalMs: 10 });
    if (!("lock" in got)) throw new Error(got.refused.message);
    expect(got.reclaimed).toEqual([
      { decision: "SELF_RECLAIM wf-me", metadata: expect.stringContaining("/nowhere/else") },
    ]);
    got.lock.release();
    hold(undefined, 3 * HOUR_MS);
    const again = await acquireMergeLock(host, layout, HOLDER, { attempts: 1, intervalMs: 10 });
    expect(again).toMatchObject({ reclaimed: [{ decision: "STALE_INACTIVE unknown", metadata: null }] });
  });

  test("a local error is told at once, and is nobody's doing", async () => {
    const { layout } = lockWorld();
    mkdirSync(join(layout.root, ".claude"));
    writeFileSync(layout.worktrees, "a file");
    const got = await acquireMergeLock(host, layout, HOLDER, { attempts: 9, intervalMs: 60_000 });
    expect(got).toMatchObject({ attempts: 1, waitedMs: 0 });
    if (!("refused" in got)) throw new Error("taken");
    expect(got.refused.holder).toMatch(/^(FileExistsError|NotADirectoryError)$/);
    expect(got.refused.message).toContain("no other workflow");
  });

  test("of two at once one gets it, twenty times over", async () => {
    const { layout } = lockWorld();
    for (let round = 0; round < 20; round++) {
      const tries = await Promise.all(
        ["wf-a", "wf-b", "wf-c"].map((wf) =>
          acquireMergeLock(host, layout, { wf, worktreePath: layout.root }, { attempts: 1, intervalMs: 1 }),
        ),
      );
      const held = tries.flatMap((one) => ("lock" in one ? [one.lock] : []));
      expect(held.length).toBe(1);
      expect(held[0]!.release()).toBe("released");
    }
  });
});

describe("flow worktree unlock", () => {
  const unlock = (cwd: string, ...words: string[]) =>
    runJig(["flow", "worktree", "unlock", ...words], { cwd });

  test("says that there is none", async () => {
    const { root } = lockWorld();
    expect(await unlock(root)).toMatchObject({ code: 0, stdout: "no merge lock\n" });
  });

  test("removes what is proven gone, and anything else only when told to", async () => {
    const { root, lock, hold } = lockWorld();
    hold({ workflow_uuid: "wf-gone", worktree_path: join(root, "gone"), acquired_at: ago(0) });
    const gone = await unlock(root);
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining("STALE_WORKTREE_GONE wf-gone") });
    expect(gone.stdout).toContain('"worktree_path"');
    expect(existsSync(lock)).toBe(false);
    hold({ workflow_uuid: "wf-other", worktree_path: root, acquired_at: ago(0) });
    expect(await unlock(root)).toMatchObject({ code: 3, stderr: expect.stringContaining("--yes") });
    expect(existsSync(lock)).toBe(true);
    const told = await unlock(root, "--yes", "--json");
    expect(told.code).toBe(0);
    expect(JSON.parse(told.stdout)).toMatchObject({ removed: true, metadata: { workflow_uuid: "wf-other" } });
    expect(existsSync(lock)).toBe(false);
  });

  test("leaves the lock of a running process, also when told to", async () => {
    const { root, lock, hold } = lockWorld();
    const own = await holderMetadata(host, "wf-x", join(root, "gone"));
    hold({ ...own, acquired_at: ago(3 * HOUR_MS) });
    expect(await unlock(root, "--yes")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("running"),
    });
    expect(existsSync(lock)).toBe(true);
  });

  test("flow-worktree-26 a fresh lock that replaced a stale one between decision and removal survives", async () => {
    const { layout, lock, metadata, hold } = lockWorld();
    hold({ workflow_uuid: "wf-old", worktree_path: "/gone", acquired_at: ago(0) });
    const { reclaim, sightMergeLock } = await import("../../../src/flow/worktree/lock/acquire.ts");
    const seen = sightMergeLock(layout);
    renameSync(lock, `${lock}.x`);
    rmSync(`${lock}.x`, { recursive: true });
    hold({ workflow_uuid: "wf-new", worktree_path: "/gone", acquired_at: ago(0) });
    expect(reclaim(layout, seen)).toBe(false);
    expect(readFileSync(metadata, "utf8")).toContain("wf-new");
  });
});
