import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decideLock, decisionLine } from "../../../src/flow/worktree/lock/decide.ts";
import { holderMetadata } from "../../../src/flow/worktree/lock/metadata.ts";
import { testHost } from "../../support/host.ts";
import { runJig } from "../../support/run.ts";
import { ago, git, HOUR_MS, lockWorld } from "./lock-world.ts";

const ask = (...words: string[]) => runJig(["flow", "worktree", "staleness", ...words]);

describe("flow worktree staleness", () => {
  test("flow-worktree-28 prints the decision for a path that is gone, own or other, and what git cannot tell", async () => {
    const { root, metadata, hold } = lockWorld();
    hold({ workflow_uuid: "wf-x", worktree_path: join(root, ".claude/worktrees/gone"), acquired_at: ago(0) });
    expect(await ask(metadata, root, "wf-x")).toMatchObject({ code: 0, stdout: "SELF_RECLAIM wf-x\n" });
    expect(await ask(metadata, root)).toMatchObject({ code: 0, stdout: "STALE_WORKTREE_GONE wf-x\n" });
    rmSync(join(root, ".git"), { recursive: true });
    const broken = await ask(metadata, root);
    expect(broken.code).toBe(0);
    expect(broken.stdout).toMatch(/^GIT_WORKTREE_LIST_ERROR NonZeroExit\(rc=128\): fatal: .*\n$/);
    const missing = await ask(metadata, join(root, "nowhere"));
    expect(missing).toMatchObject({ code: 0, stdout: "GIT_WORKTREE_LIST_ERROR FileNotFoundError\n" });
    const one = await ask(metadata);
    expect(one).toMatchObject({ code: 2, stdout: "" });
  });

  test("the table, row by row", async () => {
    const { root, metadata, hold, artifact, lock } = lockWorld();
    const host = testHost({ env: { PATH: process.env["PATH"] } });
    const line = async (options = {}) =>
      decisionLine(await decideLock(host, { metadataPath: metadata, root, ...options }));
    expect(await line()).toBe("CONTENDED_UNKNOWN_HOLDER unknown");
    hold(undefined, 3 * HOUR_MS);
    expect(await line()).toBe("STALE_INACTIVE unknown");
    for (const broken of ["{not json", "[1]", "null", Buffer.from([0xff, 0x7b]).toString("latin1")]) {
      hold(broken, 0);
      expect(await line()).toBe("CONTENDED_UNKNOWN_HOLDER unknown");
      hold(broken, 3 * HOUR_MS);
      expect(await line()).toBe("STALE_INACTIVE unknown");
    }
    const held = { workflow_uuid: "wf-slow", worktree_path: root, acquired_at: ago(3 * HOUR_MS) };
    hold(held);
    expect(await line()).toBe("STALE_INACTIVE wf-slow");
    artifact("wf-slow", 60_000);
    expect(await line()).toBe("CONTENDED wf-slow");
    artifact("wf-slow", 3 * HOUR_MS);
    expect(await line()).toBe("STALE_INACTIVE wf-slow");
    // Another form of the time is no time; no path is no path that is gone.
    hold({ ...held, acquired_at: "2020-01-01T00:00:00+00:00" });
    expect(await line()).toBe("CONTENDED wf-slow");
    hold({ workflow_uuid: 7, worktree_path: ["x"], acquired_at: ago(0) });
    expect(await line()).toBe("CONTENDED unknown");
    hold({ workflow_uuid: "../../x", worktree_path: "", acquired_at: ago(3 * HOUR_MS) });
    expect(await line()).toBe("STALE_INACTIVE ../../x");
    // A directory deleted without prune is still listed.
    git(root, "worktree", "add", "-q", "-b", "b", join(root, ".claude/worktrees/t"));
    rmSync(join(root, ".claude/worktrees/t"), { recursive: true });
    hold({ workflow_uuid: "wf-x", worktree_path: join(root, ".claude/worktrees/t"), acquired_at: ago(0) });
    expect(await line({ ownId: "wf-x" })).toBe("CONTENDED wf-x");
    rmSync(lock, { recursive: true });
    writeFileSync(lock, "a file");
    expect(await line()).toBe("CONTENDED_UNKNOWN_HOLDER unknown");
  });

  test("a living process holds its lock whatever its age and its worktree; a dead or recycled one does not", async () => {
    const { root, metadata, hold } = lockWorld();
    const host = testHost({ env: { PATH: process.env["PATH"] } });
    const line = async (askProcess: boolean) =>
      decisionLine(await decideLock(host, { metadataPath: metadata, root, askProcess }));
    const own = await holderMetadata(host, "wf-x", join(root, "gone"));
    hold({ ...own, acquired_at: ago(3 * HOUR_MS) });
    expect([await line(true), await line(false)]).toEqual(["CONTENDED wf-x", "STALE_WORKTREE_GONE wf-x"]);
    hold({ ...own, process_start: "another boot:1" });
    expect(await line(true)).toBe("STALE_HOLDER_DEAD wf-x");
    hold({ ...own, process_start: "another boot:1", host: "elsewhere", worktree_path: root });
    expect(await line(true)).toBe("CONTENDED wf-x");
  });
});
