import { existsSync, lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { put, stateOf, worktreeWorld } from "./world.ts";

describe("the way home", () => {
  test("flow-worktree-5 a commit is merged, worktree and branch go; again there is nothing to do", async () => {
    const world = worktreeWorld();
    const { root, tree, branch, git, treeGit, finalize, artifact, events } = world;
    put(tree, "f.txt");
    treeGit("add", ".");
    treeGit("commit", "-qm", "f");
    const { code, report, stderr } = await finalize();
    expect({ code, stderr, outcome: report.outcome }).toEqual({
      code: 0,
      stderr: "",
      outcome: "merged_and_removed",
    });
    expect(git("show", "HEAD:f.txt")).toBe("f.txt\n");
    expect(readFileSync(join(root, "f.txt"), "utf8")).toBe("f.txt\n");
    expect(existsSync(tree)).toBe(false);
    expect(git("branch", "--list", branch)).toBe("");
    expect(git("status", "--porcelain")).toBe("");
    expect(stateOf(world)).toMatchObject({ registered: false, beside: [] });
    expect(artifact()).toMatchObject({
      worktree_mode: "merged_and_removed",
      pending_gate: null,
      of_a_newer_version: { "1": 1.0 },
      status_history: [
        {},
        { event: "worktree_merged_and_removed", merge_result: "merged", worktree_branch: branch },
      ],
    });
    expect(events().map(({ event }) => event)).toEqual([
      "worktree_finalize_started",
      "merge_lock_acquired",
      "worktree_merged",
      "worktree_removed",
      "worktree_branch_deleted",
      "worktree_finalized",
    ]);
    const again = await finalize();
    expect(again).toMatchObject({
      code: 0,
      report: { outcome: "already_finalized", next: "memory_finalize" },
    });
  });

  test("flow-worktree-6 uncommitted work arrives uncommitted, whatever it is", async () => {
    const { root, tree, git, treeGit, finalize, ...world } = worktreeWorld();
    for (const name of ["gone.txt", "old name.txt"]) put(root, name);
    git("add", ".");
    git("commit", "-qm", "two");
    treeGit("merge", "-q", "main");
    const before = git("log", "--format=%H");
    put(tree, "a b.txt");
    put(tree, "run.sh", "#!/bin/sh\n", 0o755);
    treeGit("mv", "README.md", "GUIDE.md");
    rmSync(join(tree, "gone.txt"));
    symlinkSync("nowhere", join(tree, "link"));
    const { code, report } = await finalize();
    expect({ code, outcome: report.outcome }).toEqual({ code: 0, outcome: "merged_and_removed" });
    expect(git("status", "--porcelain=1", "-uall").split("\n").filter(Boolean).sort()).toEqual(
      [" D README.md", " D gone.txt", '?? "a b.txt"', "?? GUIDE.md", "?? link", "?? run.sh"].sort(),
    );
    expect(lstatSync(join(root, "run.sh")).mode & 0o111).toBe(0o111);
    expect(readlinkSync(join(root, "link"))).toBe("nowhere");
    expect(git("log", "--format=%H")).toBe(before);
    expect(existsSync(world.memory) && existsSync(join(world.memory, "copy-backup"))).toBe(false);
  });
});
