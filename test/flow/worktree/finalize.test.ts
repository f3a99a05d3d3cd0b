import { existsSync, lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitIn, filesIn, put, putArtifact, repositoryWorld, stateOf, worktreeWorld } from "./world.ts";

describe("the way home", { timeout: 240_000 }, () => {
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

  test("flow-worktree-7 what is uncommitted comes along beside commits", async () => {
    const { root, tree, git, treeGit, finalize } = worktreeWorld();
    commitIn(treeGit, tree, "c.txt");
    put(tree, "un.txt");
    const { code, report } = await finalize();
    expect(code).toBe(0);
    expect(report.merge.result).toBe("merged");
    expect(report.copy.applied).toEqual([{ action: "copy", path: "un.txt" }]);
    expect(git("status", "--porcelain")).toBe("?? un.txt\n");
    expect(readFileSync(join(root, "c.txt"), "utf8")).toBe("c.txt\n");
  });

  test("flow-worktree-11 the tool's own directories do not make the main tree dirty", async () => {
    const { tree, treeGit, git, finalize } = worktreeWorld({ exclude: false });
    commitIn(treeGit, tree, "f.txt");
    expect(git("status", "--porcelain")).not.toBe("");
    const { code, report } = await finalize();
    expect(code).toBe(0);
    expect(report.ignored_entries.length).toBeGreaterThan(0);
  });

  test("flow-worktree-15 a tag of the branch's name is not merged in its place", async () => {
    const { root, tree, branch, git, treeGit, finalize } = worktreeWorld();
    git("tag", branch, "HEAD");
    commitIn(treeGit, tree, "f.txt");
    expect((await finalize()).report.outcome).toBe("merged_and_removed");
    expect(existsSync(join(root, "f.txt"))).toBe(true);
    expect(git("tag", "--list")).toBe(`${branch}\n`);
  });

  test("flow-worktree-66 line endings are not divergence", async () => {
    const { root, tree, git, treeGit, finalize } = worktreeWorld();
    put(root, ".gitattributes", "* text eol=crlf\n");
    git("add", ".");
    git("commit", "-qm", "attributes");
    git("rm", "-q", "--cached", "-r", ".");
    git("reset", "-q", "--hard");
    treeGit("reset", "-q", "--hard", "main");
    rmSync(join(tree, "README.md"));
    treeGit("checkout", "-q", "--", "README.md");
    put(tree, "README.md", "one\r\nmore\r\n");
    const { code, report } = await finalize();
    expect({ code, diverged: report.copy.diverged }).toEqual({ code: 0, diverged: [] });
    expect(readFileSync(join(root, "README.md"), "utf8")).toBe("one\r\nmore\r\n");
  });

  test("flow-worktree-59 a main tree without a branch keeps the only name of the work", async () => {
    const made = repositoryWorld();
    made.git("switch", "-q", "--detach");
    const { tree, branch, git, treeGit, finalize } = worktreeWorld({}, made);
    commitIn(treeGit, tree, "f.txt");
    const { code, report } = await finalize();
    expect(code).toBe(0);
    expect(report.cleanup.branch_deleted).toBe(false);
    expect(report.warnings.join()).toContain("on no branch");
    expect(git("branch", "--list", branch)).toContain(branch);
  });
});

describe("a conflict", { timeout: 240_000 }, () => {
  const clash = () => {
    const world = worktreeWorld();
    put(world.tree, "README.md", "theirs\n");
    world.treeGit("commit", "-qam", "theirs");
    put(world.root, "README.md", "ours\n");
    world.git("commit", "-qam", "ours");
    return world;
  };

  test("flow-worktree-12 it is left to the user, and the same command goes on when it is resolved", async () => {
    const { root, tree, branch, git, finalize, artifact, events } = clash();
    const { code, report } = await finalize();
    expect({ code, outcome: report.outcome }).toEqual({ code: 3, outcome: "worktree_merge_conflict" });
    expect(report.message).toContain("run the same command again");
    expect(git("status", "--porcelain")).toBe("UU README.md\n");
    expect(existsSync(tree) && git("branch", "--list", branch) !== "").toBe(true);
    expect(existsSync(join(root, ".claude/worktrees/.merge.lock"))).toBe(false);
    expect(artifact()).toMatchObject({
      pending_gate: "worktree_merge_conflict",
      pending_gate_detail: { failed_command: "git merge", paths: ["README.md"] },
    });
    expect(events().at(-1)).toMatchObject({ event: "gate_set", gate: "worktree_merge_conflict" });
    expect((await finalize()).report.outcome).toBe("worktree_merge_conflict");
    put(root, "README.md", "both\n");
    git("commit", "-qam", "both");
    const done = await finalize();
    expect(done).toMatchObject({ code: 0, report: { outcome: "merged_and_removed" } });
    expect(artifact()).toMatchObject({ pending_gate: null, pending_gate_detail: null });
    expect(readFileSync(join(root, "README.md"), "utf8")).toBe("both\n");
  });

  test("flow-worktree-13 or it is aborted", async () => {
    const world = clash();
    const before = stateOf(world);
    const { code, report } = await world.finalize("--abort-on-conflict");
    expect({ code, outcome: report.outcome }).toEqual({ code: 3, outcome: "worktree_merge_conflict" });
    expect(stateOf(world)).toEqual(before);
  });

  test("flow-worktree-39 a dry run predicts it and writes nothing", async () => {
    const world = clash();
    const before = [stateOf(world), filesIn(join(world.root, ".craftflow"))];
    const { code, report } = await world.finalize("--dry-run");
    expect({ code, merge: report.merge.result }).toEqual({ code: 0, merge: "conflict" });
    expect([stateOf(world), filesIn(join(world.root, ".craftflow"))]).toEqual(before);
  });

  test("flow-worktree-46 one that rerere has resolved is still a conflict to look at", async () => {
    const { root, tree, branch, git, finalize } = clash();
    git("config", "rerere.enabled", "true");
    git("config", "rerere.autoupdate", "true");
    expect(() => git("merge", "-q", branch)).toThrow();
    put(root, "README.md", "both\n");
    git("commit", "-qam", "both");
    git("reset", "-q", "--hard", "HEAD~1");
    const { report } = await finalize();
    expect(report.outcome).toBe("worktree_merge_conflict");
    expect(existsSync(join(root, ".git/MERGE_HEAD"))).toBe(true);
    git("commit", "-qm", "merged");
    expect((await finalize()).report.outcome).toBe("merged_and_removed");
    expect(existsSync(tree)).toBe(false);
  });

  test("flow-worktree-48 another workflow waits for it and is not told to commit or stash", async () => {
    const first = clash();
    const second = worktreeWorld({ wf: "wf-other-20260706-141203-5e6f7a8b" }, first);
    await first.finalize();
    const { code, report } = await second.finalize();
    expect({ code, outcome: report.outcome }).toEqual({ code: 3, outcome: "worktree_dirty_main_tree" });
    expect(report.operation).toBe("merge");
    expect(report.message).toContain(first.wf);
    expect(report.message).not.toMatch(/commit|stash/i);
  });
});

describe("divergence", { timeout: 240_000 }, () => {
  const diverged = (theirs: string) => {
    const world = worktreeWorld();
    put(world.tree, "README.md", "mine\n");
    put(world.root, "README.md", theirs);
    world.git("commit", "-qam", "newer");
    return world;
  };

  test("flow-worktree-8 newer work on the main branch is not undone", async () => {
    const world = diverged("newer\n");
    const before = stateOf(world);
    const { code, report } = await world.finalize();
    expect({ code, outcome: report.outcome }).toEqual({ code: 3, outcome: "worktree_copy_fallback_failed" });
    expect(report.copy.diverged).toEqual(["README.md"]);
    expect(stateOf(world)).toEqual(before);
    world.treeGit("commit", "-qam", "mine");
    expect((await world.finalize()).report.outcome).toBe("worktree_merge_conflict");
  });

  test("a copy refused after the merge says that the commits are in", async () => {
    const world = diverged("newer\n");
    put(world.tree, "more.txt", "more\n");
    world.treeGit("add", "more.txt");
    world.treeGit("commit", "-qm", "more");
    for (const round of ["first", "again"]) {
      const { report } = await world.finalize();
      expect([round, report.outcome]).toEqual([round, "worktree_copy_fallback_failed"]);
      expect(report.message).toContain("The commits are merged");
      expect(report.message).not.toContain("Nothing was copied");
    }
    expect(existsSync(join(world.root, "more.txt"))).toBe(true);
  });

  test("flow-worktree-9 the same edit on both sides is none", async () => {
    const { git, finalize } = diverged("mine\n");
    expect(await finalize()).toMatchObject({ code: 0, report: { copy: { ran: false, diverged: [] } } });
    expect(git("status", "--porcelain")).toBe("");
  });

  test("flow-worktree-37 an ignored file of the main tree is no less the user's", async () => {
    const world = worktreeWorld();
    put(world.root, ".git/info/exclude", "/.claude/worktrees/\n/.craftflow/\n");
    put(world.root, ".env", "SECRET=1\n");
    put(world.root, ".gitignore", ".env\n");
    world.git("add", ".gitignore");
    world.git("commit", "-qm", "ignore");
    put(world.tree, ".env", "OTHER=2\n");
    const { report } = await world.finalize();
    expect(report.outcome).toBe("worktree_copy_fallback_failed");
    expect(report.copy.diverged).toEqual([".env"]);
    expect(readFileSync(join(world.root, ".env"), "utf8")).toBe("SECRET=1\n");
  });
});

describe("guards of the main tree", { timeout: 240_000 }, () => {
  test("flow-worktree-10 changes of its own stop it, and are named", async () => {
    const world = worktreeWorld();
    commitIn(world.treeGit, world.tree, "f.txt");
    put(world.root, "README.md", "edited\n");
    const before = stateOf(world);
    const { code, report } = await world.finalize();
    expect({ code, outcome: report.outcome }).toEqual({ code: 3, outcome: "worktree_dirty_main_tree" });
    expect(world.events().at(-1)).toMatchObject({ event: "gate_set", paths: [" M README.md"] });
    expect(stateOf(world)).toEqual(before);
    world.git("stash", "-q");
    expect((await world.finalize()).code).toBe(0);
    expect(world.artifact().pending_gate).toBeNull();
  });

  test("flow-worktree-19 another branch than the one it began on needs a word", async () => {
    const world = worktreeWorld();
    commitIn(world.treeGit, world.tree, "f.txt");
    world.git("switch", "-qc", "other");
    const before = stateOf(world);
    expect((await world.finalize()).report.outcome).toBe("worktree_base_branch_changed");
    expect(stateOf(world)).toEqual(before);
    expect((await world.finalize("--onto-current")).report.outcome).toBe("merged_and_removed");
    expect(world.git("show", "other:f.txt")).toBe("f.txt\n");
  });

  test("flow-worktree-60 a rewritten history, and a main tree on the branch itself", async () => {
    const world = worktreeWorld();
    world.git("commit", "-q", "--amend", "-m", "rewritten");
    expect((await world.finalize()).report.outcome).toBe("worktree_base_branch_changed");
    const other = worktreeWorld();
    other.git("switch", "-q", "--ignore-other-worktrees", other.branch);
    for (const flags of [[], ["--onto-current"]]) {
      expect((await other.finalize(...flags)).report.outcome).toBe("worktree_base_branch_changed");
    }
  });

  test("flow-worktree-47 an operation under way is never aborted", async () => {
    const merging = worktreeWorld();
    const { git } = merging;
    git("switch", "-qc", "side");
    git("commit", "-q", "--allow-empty", "-m", "side");
    git("switch", "-q", "main");
    git("merge", "-q", "-s", "ours", "--no-commit", "--no-ff", "side");
    expect(git("status", "--porcelain")).toBe("");
    expect((await merging.finalize()).report).toMatchObject({
      outcome: "worktree_dirty_main_tree",
      operation: "merge",
    });
    expect(existsSync(join(merging.root, ".git/MERGE_HEAD"))).toBe(true);
    const rebasing = worktreeWorld();
    rebasing.git("commit", "-q", "--allow-empty", "-m", "two");
    rebasing.git(
      "-c",
      "sequence.editor=sed -i s/^pick/edit/",
      "rebase",
      "-q",
      "-i",
      "--keep-empty",
      "HEAD~1",
    );
    expect((await rebasing.finalize()).report).toMatchObject({
      outcome: "worktree_dirty_main_tree",
      operation: "rebase",
    });
    expect(existsSync(join(rebasing.root, ".git/rebase-merge"))).toBe(true);
  });

  test("flow-worktree-41 a merge does not overwrite what git does not track", async () => {
    for (const [ignored, committed] of [
      [".env", ".env"],
      ["cache/data", "cache"],
      [".craftflow/state/project/patterns.md", ".craftflow/state/project/patterns.md"],
    ] as const) {
      const world = worktreeWorld();
      put(world.root, ".git/info/exclude", "/.claude/worktrees/\n/.craftflow/\n.env\ncache/\n");
      put(world.root, ignored, "mine\n");
      put(world.tree, committed, "theirs\n");
      world.treeGit("add", "-f", committed);
      world.treeGit("commit", "-qm", "forced");
      const before = stateOf(world);
      const { report } = await world.finalize();
      expect(report).toMatchObject({ outcome: "worktree_dirty_main_tree", would_overwrite: [ignored] });
      expect(readFileSync(join(world.root, ignored), "utf8")).toBe("mine\n");
      expect(stateOf(world)).toEqual(before);
    }
  });
});

describe("what the artifact says", { timeout: 240_000 }, () => {
  test("flow-worktree-17 without path or branch there is nothing to do, and no git runs", async () => {
    for (const [field, outcome] of [
      ["worktree_path", "skipped_worktree_path_missing"],
      ["worktree_branch", "skipped_worktree_branch_missing"],
    ] as const) {
      const world = worktreeWorld();
      putArtifact(world.root, world.wf, {
        ...world.artifact(),
        pending_gate: "worktree_merge_locked",
        [field]: field === "worktree_path" ? null : "",
      });
      const run = await world.jig(["flow", "worktree", "finalize", world.wf, "--json"], {
        env: { PATH: "/nowhere" },
      });
      expect({ code: run.code, outcome: JSON.parse(run.stdout).outcome }).toEqual({ code: 0, outcome });
      expect(world.events().at(-1)).toMatchObject({ event: outcome.replace("skipped_", "") });
      expect(world.artifact().pending_gate).toBeNull();
    }
  });

  test("flow-worktree-18 a path that is not this project's must not steer anything", async () => {
    const other = worktreeWorld();
    for (const path of ["/", other.tree, "relative", `${other.root}/.claude/worktrees/../worktrees/x`]) {
      const world = worktreeWorld();
      putArtifact(world.root, world.wf, { ...world.artifact(), worktree_path: path });
      const before = [stateOf(world), stateOf(other), world.artifact()];
      const { code, stdout, stderr } = await world.finalize();
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain("worktree_path");
      expect([stateOf(world), stateOf(other), world.artifact()]).toEqual(before);
    }
  });

  test("flow-worktree-61 once is enough: two at once, and a gate left behind", async () => {
    const world = worktreeWorld();
    commitIn(world.treeGit, world.tree, "f.txt");
    const flags = ["--lock-attempts", "500", "--lock-interval", "50"];
    const both = await Promise.all([world.finalize(...flags), world.finalize(...flags)]);
    expect(both.map(({ report }) => report.outcome).sort()).toEqual([
      "already_finalized",
      "merged_and_removed",
    ]);
    expect(world.artifact().pending_gate).toBeNull();
    putArtifact(world.root, world.wf, { ...world.artifact(), pending_gate: "worktree_merge_conflict" });
    expect(await world.finalize()).toMatchObject({ code: 0, report: { outcome: "already_finalized" } });
    expect(world.artifact().pending_gate).toBeNull();
  });

  test("flow-worktree-67 from inside the worktree nothing is done", async () => {
    const world = worktreeWorld();
    put(world.tree, "un.txt");
    const before = stateOf(world);
    const run = await world.jig(["flow", "worktree", "finalize", world.wf, "--project", world.root], {
      cwd: world.tree,
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("run it from outside");
    expect(stateOf(world)).toEqual(before);
  });

  test("a gate of another kind blocks it, and a workflow without a worktree is skipped", async () => {
    const world = worktreeWorld();
    putArtifact(world.root, world.wf, { ...world.artifact(), pending_gate: "scope_decision" });
    expect(await world.finalize()).toMatchObject({
      code: 3,
      report: { outcome: "blocked_by_gate", gate: "scope_decision" },
    });
    putArtifact(world.root, world.wf, { worktree_mode: null });
    expect(await world.finalize()).toMatchObject({ code: 0, report: { outcome: "skipped" } });
  });
});
