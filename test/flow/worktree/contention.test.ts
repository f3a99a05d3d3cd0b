import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { layoutOf } from "../../../src/flow/common/layout.ts";
import { holderMetadata } from "../../../src/flow/worktree/lock/metadata.ts";
import { isoSeconds } from "../../../src/kernel/text/time.ts";
import { testHost } from "../../support/host.ts";
import { type RunOptions, runJig } from "../../support/run.ts";
import { runUnprivileged, unprivilegedUid } from "../../support/unprivileged.ts";
import { ago, git, HOUR_MS, lockWorld } from "./lock-world.ts";

const SHORT = ["--lock-attempts", "2", "--lock-interval", "10", "--json"];

/** A repository with one BUILD workflow, its worktree, and one commit in it. */
async function world(options: { run?: typeof runJig } = {}) {
  const { root, lock, metadata, hold, artifact } = lockWorld();
  const run = options.run ?? runJig;
  writeFileSync(join(dirname(root), ".gitconfig"), "[user]\n\tname = T\n\temail = t@example.invalid\n");
  if (options.run !== undefined) giveAway(dirname(root));
  const home = { HOME: dirname(root), GIT_CONFIG_NOSYSTEM: "1", TMPDIR: dirname(root) };
  const jig = (words: readonly string[], more: RunOptions = {}) =>
    run(words, { cwd: root, timeout: 120_000, ...more, env: { ...home, ...more.env } });
  const begin = async (request: string) => {
    const made = await jig(["flow", "new", "--type", "BUILD", "--request", request, "--json"]);
    const wf = JSON.parse(made.stdout).workflow_uuid as string;
    const created = JSON.parse((await jig(["flow", "worktree", "create", wf, "--json"])).stdout);
    const tree = created.worktree_path as string;
    writeFileSync(join(tree, `${request}.txt`), `${request}\n`);
    git(tree, "add", "--all");
    git(tree, "commit", "-qm", request);
    if (options.run !== undefined) giveAway(dirname(root));
    return { wf, tree };
  };
  const finalize = async (wf: string, ...words: string[]) => {
    const { code, stdout, stderr } = await jig(["flow", "worktree", "finalize", wf, ...SHORT, ...words]);
    return { code, stderr, report: JSON.parse(stdout) };
  };
  return { root, layout: layoutOf(root), lock, metadata, hold, artifact, begin, finalize, jig };
}

/** Everything below belongs to the user that mode bits bind. */
function giveAway(directory: string): void {
  if (unprivilegedUid === process.geteuid?.()) return;
  spawnSync("chown", ["-R", `${unprivilegedUid}:${unprivilegedUid}`, directory]);
  chmodSync(directory, 0o755);
}

describe("finalize and the merge lock", () => {
  test("flow-worktree-21 a lock held by another workflow whose worktree exists stands, and all is kept", async () => {
    const { root, begin, finalize, hold, metadata } = await world();
    const { wf, tree } = await begin("mine");
    hold({ workflow_uuid: "wf-other", worktree_path: root, acquired_at: ago(0) });
    const before = readFileSync(metadata, "utf8");
    const { code, report } = await finalize(wf);
    expect([code, report.outcome, report.holder]).toEqual([3, "worktree_merge_locked", "wf-other"]);
    expect(readFileSync(metadata, "utf8")).toBe(before);
    expect(existsSync(join(tree, "mine.txt"))).toBe(true);
    expect(existsSync(join(root, "mine.txt"))).toBe(false);
  });

  test.each([
    ["without metadata", undefined],
    ["with metadata that is no JSON", "{not json"],
  ])("flow-worktree-22 a lock %s is nobody's known, and stale after two hours", async (_, content) => {
    const { root, begin, finalize, hold, lock } = await world();
    const { wf } = await begin("mine");
    hold(content);
    const fresh = await finalize(wf);
    expect([fresh.code, fresh.report.holder]).toEqual([3, "unknown"]);
    const old = new Date(Date.now() - 3 * HOUR_MS);
    utimesSync(lock, old, old);
    const { code, report } = await finalize(wf);
    expect([code, report.outcome]).toEqual([0, "merged_and_removed"]);
    expect([existsSync(lock), existsSync(join(root, "mine.txt"))]).toEqual([false, true]);
  });

  test("flow-worktree-23 metadata that cannot be read is this machine's trouble", async () => {
    const { root, begin, finalize, hold, metadata } = await world({ run: runUnprivileged });
    const { wf } = await begin("mine");
    hold({ workflow_uuid: "wf-other", worktree_path: root, acquired_at: ago(0) });
    giveAway(dirname(root));
    chmodSync(metadata, 0o000);
    const { code, report } = await finalize(wf);
    expect([code, report.holder]).toEqual([3, "PermissionError"]);
    expect(report.message).toContain("no other workflow");
  });

  test("flow-worktree-24 a lock of its own is reclaimed when its path is gone, and not while it is listed", async () => {
    const { root, begin, finalize, hold } = await world();
    const { wf, tree } = await begin("mine");
    hold({ workflow_uuid: wf, worktree_path: tree, acquired_at: ago(0) });
    const listed = await finalize(wf);
    expect([listed.code, listed.report.outcome]).toEqual([3, "worktree_merge_locked"]);
    hold({ workflow_uuid: wf, worktree_path: join(root, ".claude/worktrees/gone"), acquired_at: ago(0) });
    const { code, report } = await finalize(wf);
    expect(code).toBe(0);
    expect(report.lock.reclaimed).toMatchObject([{ decision: `SELF_RECLAIM ${wf}` }]);
  });

  test("flow-worktree-25 an old lock stands while its workflow is at work, and falls when it is not", async () => {
    const { root, begin, finalize, hold, artifact } = await world();
    const { wf } = await begin("mine");
    hold({ workflow_uuid: "wf-slow", worktree_path: root, acquired_at: ago(3 * HOUR_MS) });
    artifact("wf-slow", 60_000);
    expect((await finalize(wf)).report).toMatchObject({
      outcome: "worktree_merge_locked",
      holder: "wf-slow",
    });
    artifact("wf-slow", 3 * HOUR_MS);
    expect((await finalize(wf)).code).toBe(0);
    const other = await begin("other");
    hold({ workflow_uuid: "wf-none", worktree_path: root, acquired_at: ago(3 * HOUR_MS) });
    expect((await finalize(other.wf)).code).toBe(0);
  });

  test("flow-worktree-27 where the lock cannot be made, it says so at once", async () => {
    const { root, layout, begin, jig } = await world({ run: runUnprivileged });
    const { wf, tree } = await begin("mine");
    chmodSync(layout.worktrees, 0o555);
    const words = ["flow", "worktree", "finalize", wf, "--lock-interval", "60000", "--json"];
    const { code, stdout } = await jig(words, { timeout: 55_000 });
    chmodSync(layout.worktrees, 0o755);
    expect([code, JSON.parse(stdout).holder]).toEqual([3, "PermissionError"]);
    expect([existsSync(tree), existsSync(join(root, "mine.txt"))]).toEqual([true, false]);
  });

  test("flow-worktree-54 a directory that cannot be emptied is left set aside, named, and listed", async () => {
    const { root, begin, finalize, jig } = await world({ run: runUnprivileged });
    const { wf, tree } = await begin("mine");
    mkdirSync(join(tree, "closed"));
    writeFileSync(join(tree, "closed/x"), "x\n");
    git(tree, "add", "--all");
    git(tree, "commit", "-qm", "closed");
    giveAway(dirname(root));
    chmodSync(join(tree, "closed"), 0o555);
    const { code, report } = await finalize(wf);
    expect([code, report.outcome]).toEqual([0, "merged_and_removed"]);
    expect(report.warnings.join("\n")).toContain(".trash-");
    const status = JSON.parse((await jig(["flow", "worktree", "status", "--json"])).stdout);
    const left = status.findings.filter(({ kind }: { kind: string }) => kind === "trash-left");
    expect(left).toHaveLength(1);
    expect([existsSync(join(root, "closed/x")), existsSync(join(root, "mine.txt"))]).toEqual([true, true]);
    chmodSync(join(left[0].what, "closed"), 0o755);
  });

  test("flow-worktree-29 eight workflows finalized at once all arrive", { timeout: 240_000 }, async () => {
    const { root, begin, jig, lock } = await world();
    const names = Array.from({ length: 8 }, (_, index) => `work${index}`);
    const started: { wf: string }[] = [];
    for (const name of names) started.push(await begin(name));
    const finalize = (wf: string) =>
      jig(["flow", "worktree", "finalize", wf, "--lock-attempts", "40", "--lock-interval", "100", "--json"]);
    const ends = await Promise.all(started.map(({ wf }) => finalize(wf)));
    for (const [index, { code, stdout }] of ends.entries()) {
      if (code === 0) continue;
      expect([code, JSON.parse(stdout).outcome]).toEqual([3, "worktree_merge_locked"]);
      expect((await finalize(started[index]!.wf)).code).toBe(0);
    }
    for (const name of names) expect(git(root, "show", `main:${name}.txt`)).toBe(`${name}\n`);
    expect(existsSync(lock)).toBe(false);
  });

  test("flow-worktree-62 a living holder keeps its lock whatever its age; a dead one loses it at once", async () => {
    const { root, begin, finalize, hold, jig, metadata } = await world();
    const { wf } = await begin("mine");
    const sleeper = spawn("sleep", ["300"], { stdio: "ignore" });
    try {
      const host = testHost({ pid: sleeper.pid! });
      const alive = await holderMetadata(host, "wf-other", join(root, ".claude/worktrees/gone"));
      const listed = { ...alive, worktree_path: root, acquired_at: ago(3 * HOUR_MS) };
      const line = async () => (await jig(["flow", "worktree", "staleness", metadata, root])).stdout.trim();
      for (const [held, plain] of [
        [listed, "STALE_INACTIVE wf-other"],
        [alive, "STALE_WORKTREE_GONE wf-other"],
      ] as const) {
        hold(held);
        expect((await finalize(wf)).report).toMatchObject({ outcome: "worktree_merge_locked" });
        expect((await jig(["flow", "worktree", "unlock", "--yes"])).code).toBe(3);
        expect(await line()).toBe(plain);
      }
      hold({ ...listed, acquired_at: isoSeconds(Date.now()), host: "another machine" });
      sleeper.kill("SIGKILL");
      await new Promise((resolve) => sleeper.on("close", resolve));
      expect((await finalize(wf)).report).toMatchObject({ outcome: "worktree_merge_locked" });
      hold({ ...listed, acquired_at: isoSeconds(Date.now()) });
      const { code, report } = await finalize(wf);
      expect(code).toBe(0);
      expect(report.lock.reclaimed).toMatchObject([{ decision: "STALE_HOLDER_DEAD wf-other" }]);
    } finally {
      sleeper.kill("SIGKILL");
      rmSync(join(root, ".claude/worktrees/.merge.lock"), { recursive: true, force: true });
      mkdirSync(join(root, ".claude/worktrees"), { recursive: true });
    }
  });
});
