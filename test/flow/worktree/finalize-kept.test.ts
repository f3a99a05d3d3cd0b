/** What finalize must keep in the odd cases of docs/spec/flow-worktree.md 8: 49 to 58, 65 and 68 to 74. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../support/paths.ts";
import { commitIn, gitIn, put, repositoryWorld, stateOf, worktreeWorld } from "./world.ts";

const PRELOAD = join(ROOT, "test/flow/programs/kill-at.ts");
const text = (...path: string[]) => readFileSync(join(...path), "utf8");
const outcomeOf = ({ code, report }: { code: number | null; report: { outcome: string } }) => [
  code,
  report.outcome,
];
const MERGED = [0, "merged_and_removed"];
const UNRECOGNIZED = [3, "worktree_merge_unrecognized_failure"];
const COPY_FAILED = [3, "worktree_copy_fallback_failed"];
const CONFLICT = [3, "worktree_merge_conflict"];
const CLEANUP_FAILED = [3, "worktree_cleanup_failed"];

/** A hook of the repository. */
function hook(root: string, name: string, script: string): void {
  put(root, `.git/hooks/${name}`, `#!/bin/sh\n${script}\n`, 0o755);
}

/** A library with one commit, to be a submodule. */
function library({ base, home }: { base: string; home: string }) {
  const path = join(base, "library");
  mkdirSync(path);
  const git = gitIn(path, home);
  git("init", "-q", "-b", "main");
  commitIn(git, path, "lib.txt");
  return { path, git };
}

/** A world whose main tree has a submodule `lib`, which is populated in the worktree, too. */
function submoduleWorld() {
  const made = repositoryWorld();
  const { path } = library(made);
  writeFileSync(
    join(made.home, ".gitconfig"),
    `${text(made.home, ".gitconfig")}[protocol "file"]\n\tallow = always\n`,
  );
  made.git("submodule", "--quiet", "add", path, "lib");
  made.git("commit", "-qm", "submodule");
  const world = worktreeWorld({}, made);
  world.treeGit("submodule", "--quiet", "update", "--init");
  return {
    ...world,
    inTree: gitIn(join(world.tree, "lib"), made.home),
    inMain: gitIn(join(made.root, "lib"), made.home),
  };
}

describe("what is in the worktree and nowhere else", () => {
  test("flow-worktree-49 a worktree without its .git is not taken for the main tree", async () => {
    const { root, tree, finalize, git } = worktreeWorld();
    put(tree, "un.txt");
    rmSync(join(tree, ".git"));
    const head = git("rev-parse", "HEAD");
    expect(outcomeOf(await finalize())).toEqual(UNRECOGNIZED);
    expect(git("rev-parse", "HEAD")).toBe(head);
    expect([existsSync(join(tree, "un.txt")), existsSync(join(root, "un.txt"))]).toEqual([true, false]);
  });

  test("flow-worktree-50 commits of a submodule that stand on no remote hold the worktree", async () => {
    const world = submoduleWorld();
    const { tree, treeGit, inTree, inMain, finalize } = world;
    commitIn(inTree, join(tree, "lib"), "more.txt");
    treeGit("add", "lib");
    treeGit("commit", "-qm", "moved");
    const refused = await finalize();
    expect(outcomeOf(refused)).toEqual(COPY_FAILED);
    expect(refused.report.message).toContain("lib");
    inMain("fetch", "-q", join(tree, "lib"), "HEAD");
    inMain("branch", "kept", "FETCH_HEAD");
    expect(outcomeOf(await finalize())).toEqual(MERGED);
  });

  test("flow-worktree-50 an edit in a submodule counts, also where git is told to ignore it", async () => {
    const { tree, git, finalize } = submoduleWorld();
    put(tree, "lib/lib.txt", "edited\n");
    git("config", "submodule.lib.ignore", "all");
    expect(outcomeOf(await finalize())).toEqual(COPY_FAILED);
    expect(text(tree, "lib/lib.txt")).toBe("edited\n");
  });

  test("flow-worktree-51 a worktree inside it, a branch checked out twice, a foreign lock: named, and kept", async () => {
    const { root, tree, branch, git, finalize } = worktreeWorld();
    git("worktree", "add", "-q", "-b", "nested", join(tree, "nested"));
    put(tree, "nested/mine.txt");
    const nested = await finalize();
    expect(nested.code).toBe(3);
    expect(nested.report.message).toContain("nested");
    expect(existsSync(join(tree, "nested/mine.txt"))).toBe(true);
    git("worktree", "remove", "--force", join(tree, "nested"));
    git("worktree", "add", "-q", "--force", join(root, ".claude/worktrees/twice"), branch);
    expect((await finalize()).code).toBe(3);
    git("worktree", "remove", join(root, ".claude/worktrees/twice"));
    git("worktree", "lock", tree);
    expect((await finalize()).code).toBe(3);
    git("worktree", "unlock", tree);
    expect(outcomeOf(await finalize())).toEqual(MERGED);
  });

  test("flow-worktree-51 a loop of prunes beside it does no harm", async () => {
    const { root, home, tree, treeGit, finalize } = worktreeWorld();
    commitIn(treeGit, tree, "c.txt");
    put(tree, "un.txt");
    const script = "for i in $(seq 400); do git worktree prune --expire=now; sleep 0.01; done";
    const env = { PATH: process.env["PATH"]!, HOME: home };
    const loop = spawn("sh", ["-c", script], { cwd: root, env, stdio: "ignore", detached: true });
    const ended = new Promise((resolve) => loop.on("close", resolve));
    try {
      expect(outcomeOf(await finalize())).toEqual(MERGED);
    } finally {
      process.kill(-loop.pid!, "SIGKILL");
      await ended;
    }
    expect([text(root, "c.txt"), text(root, "un.txt")]).toEqual(["c.txt\n", "un.txt\n"]);
  });

  test("flow-worktree-52 an edit that git was told not to see arrives", async () => {
    const { root, tree, treeGit, finalize } = worktreeWorld();
    treeGit("update-index", "--skip-worktree", "README.md");
    put(tree, "README.md", "unseen\n");
    expect(treeGit("status", "--porcelain")).toBe("");
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect(text(root, "README.md")).toBe("unseen\n");
  });

  test("flow-worktree-53 ignored files are put aside but for caches, and what the main tree has alike", async () => {
    const ignoring = () => {
      const made = repositoryWorld();
      commitIn(made.git, made.root, ".gitignore", ".env\n*.sqlite\nnode_modules/\n");
      const world = worktreeWorld({}, made);
      for (const name of [".env", "run.sqlite", "node_modules/x"]) put(world.tree, name);
      return world;
    };
    const world = ignoring();
    const { code, report } = await world.finalize();
    expect(code).toBe(0);
    const kept = join(world.memory, "from-worktree");
    expect([text(kept, ".env"), text(kept, "run.sqlite")]).toEqual([".env\n", "run.sqlite\n"]);
    expect(report.cleanup.kept.toSorted()).toEqual([".env", "run.sqlite"]);
    expect([existsSync(join(kept, "node_modules")), existsSync(join(world.root, "node_modules"))]).toEqual([
      false,
      false,
    ]);
    expect(lstatSync(kept).mode & 0o777).toBe(0o700);

    const same = ignoring();
    put(same.root, ".env");
    expect((await same.finalize()).report.cleanup.kept).toEqual(["run.sqlite"]);

    const dropped = ignoring();
    const all = await dropped.finalize("--discard-ignored");
    expect([all.code, all.report.cleanup.kept]).toEqual([0, []]);
    expect(all.report.cleanup.ignored_files_discarded).toBeGreaterThan(0);
  });
});

describe("while it is taken away", () => {
  test("flow-worktree-55 what a hook writes into the worktree during the merge arrives", async () => {
    const { root, tree, treeGit, finalize } = worktreeWorld();
    commitIn(treeGit, tree, "c.txt");
    hook(root, "post-merge", `echo late > '${tree}/late.txt'`);
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect(text(root, "late.txt")).toBe("late\n");
  });

  test("flow-worktree-55 what a hook commits there during the merge is merged, too", async () => {
    const { root, tree, treeGit, git, finalize } = worktreeWorld();
    commitIn(treeGit, tree, "c.txt");
    const commit = "git -c user.name=t -c user.email=t@example.org commit -qm late";
    hook(
      root,
      "post-merge",
      `[ -e '${tree}/late.txt' ] || { cd '${tree}' && unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_PREFIX && echo late > late.txt && git add late.txt && ${commit}; }`,
    );
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect(git("show", "main:late.txt")).toBe("late\n");
  });

  test("flow-worktree-55 something that keeps writing there keeps the worktree, and loses nothing", async () => {
    const { root, tree, git, finalize } = worktreeWorld();
    put(tree, "un.txt");
    const script = `i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo $i > '${tree}'/n$i 2>/dev/null; sleep 0.02; done`;
    const writer = spawn("sh", ["-c", script], { stdio: "ignore", detached: true });
    const ended = new Promise((resolve) => writer.on("close", resolve));
    const end = await finalize();
    try {
      process.kill(-writer.pid!, "SIGKILL");
    } catch {
      // It may have written all it had to.
    }
    await ended;
    expect(outcomeOf(end)).toEqual(CLEANUP_FAILED);
    expect(git("worktree", "list", "--porcelain")).not.toMatch(/^locked/m);
    expect(existsSync(tree)).toBe(true);
    expect([existsSync(join(tree, "n1")), existsSync(join(root, "un.txt"))]).toEqual([true, true]);
  });

  test("flow-worktree-56 a worktree that was moved by git is named, one moved by hand is waited for", async () => {
    const moved = worktreeWorld();
    const elsewhere = join(moved.root, ".claude/worktrees/elsewhere");
    moved.git("worktree", "move", moved.tree, elsewhere);
    const named = await moved.finalize();
    expect(outcomeOf(named)).toEqual(UNRECOGNIZED);
    expect(named.report.message).toContain(elsewhere);

    const { tree, treeGit, git, finalize } = worktreeWorld();
    commitIn(treeGit, tree, "c.txt");
    renameSync(tree, `${tree}.moved`);
    expect(outcomeOf(await finalize())).toEqual(COPY_FAILED);
    expect(git("worktree", "list")).toContain(tree);
    renameSync(`${tree}.moved`, tree);
    expect(outcomeOf(await finalize())).toEqual(MERGED);
  });

  test("flow-worktree-57 a worktree deleted by hand: its commits are merged when that is accepted", async () => {
    const { root, tree, treeGit, finalize } = worktreeWorld();
    commitIn(treeGit, tree, "c.txt");
    rmSync(tree, { recursive: true });
    expect(outcomeOf(await finalize())).toEqual(COPY_FAILED);
    const accepted = await finalize("--accept-missing");
    expect(outcomeOf(accepted)).toEqual(MERGED);
    expect(accepted.report.warnings.length).toBeGreaterThan(0);
    expect(text(root, "c.txt")).toBe("c.txt\n");
  });

  test("flow-worktree-57 one that was detached at a commit of its own is never dropped", async () => {
    const { tree, treeGit, git, finalize } = worktreeWorld();
    treeGit("switch", "-q", "--detach");
    commitIn(treeGit, tree, "stray.txt");
    const stray = treeGit("rev-parse", "HEAD").trim();
    rmSync(tree, { recursive: true });
    for (const words of [[], ["--accept-missing"]]) {
      const end = await finalize(...words);
      expect(end.code).toBe(3);
      expect(end.report.message).toContain(stray.slice(0, 7));
    }
    expect(git("worktree", "list", "--porcelain")).toContain(stray);
  });

  test("flow-worktree-58 a branch whose upstream lacks its commits is not deleted before that is settled", async () => {
    const { base, root, tree, branch, treeGit, git, finalize } = worktreeWorld();
    const remote = join(base, "remote.git");
    git("init", "-q", "--bare", remote);
    git("remote", "add", "origin", remote);
    commitIn(treeGit, tree, "c.txt");
    treeGit("push", "-q", "-u", "origin", branch);
    commitIn(treeGit, tree, "d.txt");
    const end = await finalize();
    expect(outcomeOf(end)).toEqual(CLEANUP_FAILED);
    expect(end.report.cleanup.failed_command).toContain("git branch -d");
    expect(text(root, "d.txt")).toBe("d.txt\n");
    const head = git("rev-parse", "HEAD");
    git("branch", "--unset-upstream", branch);
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect(git("rev-parse", "HEAD")).toBe(head);
  });
});

describe("what kind of thing it is", () => {
  test("flow-worktree-65 files that become directories, directories that become files, names that change case", async () => {
    const made = repositoryWorld();
    for (const name of ["dir/x", "dir/y", "a.md"]) put(made.root, name);
    made.git("add", ".");
    made.git("commit", "-qm", "two");
    const { root, tree, treeGit, finalize } = worktreeWorld({}, made);
    rmSync(join(tree, "README.md"));
    put(tree, "README.md/inside.txt");
    rmSync(join(tree, "dir"), { recursive: true });
    put(tree, "dir", "a file\n");
    treeGit("mv", "a.md", "A.md");
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect([text(root, "README.md/inside.txt"), text(root, "dir")]).toEqual([
      "README.md/inside.txt\n",
      "a file\n",
    ]);
    expect([text(root, "A.md"), existsSync(join(root, "a.md"))]).toEqual(["a.md\n", false]);
  });

  test("flow-worktree-74 a mode alone, a directory that became a link, a link that became a directory", async () => {
    const made = repositoryWorld();
    put(made.root, "dir/x");
    symlinkSync("README.md", join(made.root, "link"));
    made.git("add", ".");
    made.git("commit", "-qm", "two");
    const { root, tree, finalize } = worktreeWorld({}, made);
    chmodSync(join(tree, "README.md"), 0o755);
    rmSync(join(tree, "dir"), { recursive: true });
    symlinkSync("README.md", join(tree, "dir"));
    rmSync(join(tree, "link"));
    put(tree, "link/inside.txt");
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect(lstatSync(join(root, "README.md")).mode & 0o111).toBe(0o111);
    expect([readlinkSync(join(root, "dir")), text(root, "link/inside.txt")]).toEqual([
      "README.md",
      "link/inside.txt\n",
    ]);
  });

  test("flow-worktree-71 a sparse main tree stays sparse", async () => {
    const made = repositoryWorld();
    for (const name of ["a/x", "b/y"]) put(made.root, name);
    made.git("add", ".");
    made.git("commit", "-qm", "two");
    made.git("sparse-checkout", "set", "a");
    const { root, tree, git, finalize } = worktreeWorld({}, made);
    const before = git("ls-files", "-s");
    put(tree, "a/x", "edited\n");
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect(text(root, "a/x")).toBe("edited\n");
    expect(git("ls-files", "-s")).toBe(before);
    expect(git("status", "--porcelain")).toBe(" M a/x\n");
  });

  test("flow-worktree-72 a populated submodule does not hold up an edit beside it", async () => {
    const { root, tree, finalize } = submoduleWorld();
    put(tree, "README.md", "edited\n");
    const end = await finalize();
    expect(outcomeOf(end)).toEqual(MERGED);
    expect(text(root, "README.md")).toBe("edited\n");
  });

  test("flow-worktree-72 a moved pointer is merged, and the cure for the checkout is named, also to the next workflow", async () => {
    const world = submoduleWorld();
    const { base, treeGit, inTree, finalize } = world;
    const upstream = gitIn(join(base, "library"), world.home);
    commitIn(upstream, join(base, "library"), "more.txt");
    inTree("fetch", "-q");
    inTree("checkout", "-q", "origin/main");
    treeGit("add", "lib");
    treeGit("commit", "-qm", "moved");
    const end = await finalize();
    expect(outcomeOf(end)).toEqual(MERGED);
    expect(end.report.warnings.join("\n")).toContain("git submodule update");
    const second = worktreeWorld({ wf: "wf-login-20260706-141204-9a2b3c4d" }, world);
    commitIn(second.treeGit, second.tree, "d.txt");
    const blocked = await second.finalize();
    expect(outcomeOf(blocked)).toEqual([3, "worktree_dirty_main_tree"]);
    expect(blocked.report.message).toContain("git submodule update");
  });

  test("flow-worktree-73 one file renamed twice, a directory against a file, committed on both sides: a conflict", async () => {
    const made = repositoryWorld();
    for (const name of ["one.txt", "two.txt"]) put(made.root, name, `${name}\nwith\nlines\n`);
    made.git("add", ".");
    made.git("commit", "-qm", "two");
    const renamed = worktreeWorld({}, made);
    renamed.treeGit("mv", "one.txt", "theirs.txt");
    renamed.treeGit("commit", "-qm", "theirs");
    renamed.git("mv", "one.txt", "ours.txt");
    renamed.git("commit", "-qm", "ours");
    expect(outcomeOf(await renamed.finalize())).toEqual(CONFLICT);
    expect([existsSync(renamed.tree), stateOf(renamed).registered]).toEqual([true, true]);

    const against = worktreeWorld();
    commitIn(against.treeGit, against.tree, "thing/inside.txt");
    commitIn(against.git, against.root, "thing");
    expect(outcomeOf(await against.finalize())).toEqual(CONFLICT);
    expect(existsSync(join(against.tree, "thing/inside.txt"))).toBe(true);
  });

  test("flow-worktree-73 one submodule at two commits is a conflict", async () => {
    const world = submoduleWorld();
    const { base, home, root, tree, git, treeGit, inTree, inMain, finalize } = world;
    const upstream = gitIn(join(base, "library"), home);
    commitIn(upstream, join(base, "library"), "a.txt");
    upstream("switch", "-q", "-c", "side", "HEAD~1");
    commitIn(upstream, join(base, "library"), "b.txt");
    for (const [inside, commit, outer] of [
      [inTree, "origin/side", treeGit],
      [inMain, "origin/main", git],
    ] as const) {
      inside("fetch", "-q");
      inside("checkout", "-q", commit);
      outer("add", "lib");
      outer("commit", "-qm", "moved");
    }
    expect(outcomeOf(await finalize())).toEqual(CONFLICT);
    expect([existsSync(tree), existsSync(join(root, "lib"))]).toEqual([true, true]);
  });

  test("flow-worktree-73 an uncommitted rename of a file that main has renamed since: both names are there", async () => {
    const { root, git, treeGit, finalize } = worktreeWorld();
    git("mv", "README.md", "OURS.md");
    git("commit", "-qm", "ours");
    treeGit("mv", "README.md", "THEIRS.md");
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect([text(root, "OURS.md"), text(root, "THEIRS.md")]).toEqual(["one\n", "one\n"]);
  });
});

describe("a run that goes on from another", () => {
  test("flow-worktree-68 what was committed by hand after an interrupted copy is not undone", async () => {
    const { root, tree, git, finalize, jig, wf, artifact } = worktreeWorld();
    put(tree, "a.txt");
    put(tree, "b.txt");
    // It dies before the second file is put in its place.
    const killed = await jig(["flow", "worktree", "finalize", wf], {
      env: { BUN_OPTIONS: `--preload=${PRELOAD}`, JIG_KILL_AT_RENAME_TO: join(root, "b.txt") },
    });
    expect([killed.signal, artifact().worktree_finalize.stage]).toEqual(["SIGKILL", "copying"]);
    git("add", "a.txt");
    git("commit", "-qm", "by hand");
    const byHand = git("rev-parse", "HEAD").trim();
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect([text(root, "a.txt"), text(root, "b.txt")]).toEqual(["a.txt\n", "b.txt\n"]);
    expect(git("status", "--porcelain")).toBe("?? b.txt\n");
    expect(git("merge-base", byHand, "HEAD").trim()).toBe(byHand);
  });

  test("flow-worktree-69 copied files that were committed since do not stop the cleanup", async () => {
    const { root, tree, branch, treeGit, git, base, finalize } = worktreeWorld();
    const remote = join(base, "remote.git");
    git("init", "-q", "--bare", remote);
    git("remote", "add", "origin", remote);
    commitIn(treeGit, tree, "c.txt");
    treeGit("push", "-q", "-u", "origin", branch);
    commitIn(treeGit, tree, "d.txt");
    put(tree, "un.txt");
    expect(outcomeOf(await finalize())).toEqual(CLEANUP_FAILED);
    git("add", "un.txt");
    git("commit", "-qm", "by hand");
    git("branch", "--unset-upstream", branch);
    expect(outcomeOf(await finalize())).toEqual(MERGED);
    expect([text(root, "un.txt"), git("status", "--porcelain")]).toEqual(["un.txt\n", ""]);
  });

  test("flow-worktree-70 with the whole directory of worktrees gone, it still takes its lock and says what is missing", async () => {
    const { root, tree, treeGit, finalize } = worktreeWorld();
    commitIn(treeGit, tree, "c.txt");
    rmSync(join(root, ".claude/worktrees"), { recursive: true });
    expect(outcomeOf(await finalize())).toEqual(COPY_FAILED);
    expect(outcomeOf(await finalize("--accept-missing"))).toEqual(MERGED);
    expect(text(root, "c.txt")).toBe("c.txt\n");
  });
});
