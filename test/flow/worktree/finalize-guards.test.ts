import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sleep } from "../../support/run.ts";
import {
  commitIn,
  gitIn,
  put,
  repositoryWorld,
  stateOf,
  type WorktreeWorld,
  worktreeWorld,
} from "./world.ts";

/** A worktree with a commit, and a main tree that has gone on: a true merge. */
function diverging() {
  const world = worktreeWorld();
  commitIn(world.treeGit, world.tree, "f.txt");
  commitIn(world.git, world.root, "g.txt");
  return world;
}

function hook({ root }: WorktreeWorld, name: string, script: string) {
  put(root, `.git/hooks/${name}`, `#!/bin/sh\n${script}\n`, 0o755);
}

async function refused(world: WorktreeWorld, gate: string, ...flags: string[]) {
  const before = stateOf(world);
  const { code, report, stderr } = await world.finalize(...flags);
  expect({ code, outcome: report?.outcome, stderr }).toMatchObject({ code: 3, outcome: gate });
  expect(stateOf(world)).toEqual(before);
  const { pending_gate, status_history } = world.artifact();
  expect(pending_gate).toBe(gate);
  expect(status_history.at(-1)).toMatchObject({ event: "gate_set", gate });
  return report;
}

const UNRECOGNIZED = "worktree_merge_unrecognized_failure";
const COPY_FAILED = "worktree_copy_fallback_failed";
const DIRTY = "worktree_dirty_main_tree";

describe("a merge that git does not make", { timeout: 240_000 }, () => {
  test("flow-worktree-14 hooks and a signer that fail leave nothing behind", async () => {
    for (const spoil of [
      (world: WorktreeWorld) => hook(world, "pre-merge-commit", "echo CONFLICT; exit 1"),
      (world: WorktreeWorld) => hook(world, "commit-msg", "exit 1"),
      ({ git }: WorktreeWorld) => {
        git("config", "commit.gpgSign", "true");
        git("config", "gpg.program", "false");
      },
    ]) {
      const world = diverging();
      spoil(world);
      await refused(world, UNRECOGNIZED);
      expect(existsSync(join(world.root, ".git/MERGE_HEAD"))).toBe(false);
    }
  });

  test("flow-worktree-42 a ref that is refused or locked, and a filter that fails, are put back", async () => {
    const spoils: [string, (world: WorktreeWorld) => void][] = [
      [
        "hook",
        (world) =>
          hook(
            world,
            "reference-transaction",
            'grep -q refs/heads/main && [ "$1" = prepared ] && exit 1; exit 0',
          ),
      ],
      ["main.lock", ({ root }) => writeFileSync(join(root, ".git/refs/heads/main.lock"), "")],
      ["index.lock", ({ root }) => writeFileSync(join(root, ".git/index.lock"), "")],
      [
        "smudge",
        ({ root, tree, treeGit }) => {
          commitIn(treeGit, tree, ".gitattributes", "*.bad filter=bad\n");
          commitIn(treeGit, tree, "a.bad");
          gitIn(root, join(root, "../home"))("config", "filter.bad.smudge", "false");
          gitIn(root, join(root, "../home"))("config", "filter.bad.required", "true");
        },
      ],
    ];
    for (const [name, spoil] of spoils) {
      for (const isForward of [true, false]) {
        const world = worktreeWorld();
        commitIn(world.treeGit, world.tree, "f.txt");
        put(world.tree, "README.md", "changed\n");
        world.treeGit("commit", "-qam", "changed");
        if (!isForward) commitIn(world.git, world.root, "g.txt");
        spoil(world);
        const report = await refused(world, UNRECOGNIZED);
        expect(world.git("status", "--porcelain")).toBe("");
        if (name.endsWith(".lock")) expect(report.message).toContain(name);
      }
    }
  });

  test("flow-worktree-42 files that the sparse patterns leave out come back with a merge that is put back", async () => {
    const made = repositoryWorld();
    for (const path of ["a/one", "b/two"]) commitIn(made.git, made.root, path);
    const world = worktreeWorld({}, made);
    const { root, tree, git, treeGit } = world;
    // The patterns leave `b` out, but its file is still on the disk and in the index: git's next merge takes it away.
    git("config", "core.sparseCheckout", "true");
    git("config", "core.sparseCheckoutCone", "true");
    put(root, ".git/info/sparse-checkout", "/*\n!/*/\n/a/\n");
    commitIn(treeGit, tree, ".gitattributes", "*.bad filter=bad\n");
    commitIn(treeGit, tree, "f.bad");
    git("config", "filter.bad.smudge", "false");
    git("config", "filter.bad.required", "true");
    await refused(world, UNRECOGNIZED);
    expect(readFileSync(join(root, "b/two"), "utf8")).toBe("b/two\n");
    expect(git("status", "--porcelain")).toBe("");
  });

  test("flow-worktree-42 a lock file that goes away is waited for", async () => {
    const world = diverging();
    const lock = join(world.root, ".git/refs/heads/main.lock");
    writeFileSync(lock, "");
    const run = world.finalize();
    await sleep(300);
    rmSync(lock);
    expect((await run).report.outcome).toBe("merged_and_removed");
  });

  test("flow-worktree-43 what a hook has written meanwhile is not the merge's, and is left", async () => {
    const world = diverging();
    hook(world, "pre-merge-commit", "echo hook > README.md; exit 1");
    const { code, report } = await world.finalize();
    expect({ code, outcome: report.outcome }).toEqual({ code: 3, outcome: UNRECOGNIZED });
    expect(report.message).toMatch(/^Left changed in the main tree: README\.md/);
    expect(readFileSync(join(world.root, "README.md"), "utf8")).toBe("hook\n");
    expect(existsSync(world.tree)).toBe(true);
  });

  test("flow-worktree-45 configuration that would not commit, squash or stash is overruled", async () => {
    for (const option of ["--no-commit", "--squash"]) {
      const { git, finalize } = diverging();
      git("config", "branch.main.mergeOptions", option);
      expect((await finalize()).report.outcome).toBe("merged_and_removed");
      expect(git("show", "-s", "--format=%P").trim().split(" ").length).toBe(2);
      expect(git("status", "--porcelain")).toBe("");
    }
    const world = worktreeWorld();
    commitIn(world.git, world.root, ".craftflow/x", "one\n");
    world.treeGit("merge", "-q", "main");
    commitIn(world.treeGit, world.tree, ".craftflow/x", "theirs\n");
    put(world.root, ".craftflow/x", "mine\n");
    world.git("config", "merge.autoStash", "true");
    await refused(world, UNRECOGNIZED);
    expect(world.git("stash", "list")).toBe("");
    expect(readFileSync(join(world.root, ".craftflow/x"), "utf8")).toBe("mine\n");
  });

  test("flow-worktree-73 conflicts without a marker in any file are conflicts", async () => {
    const clashes: ((world: WorktreeWorld) => void)[] = [
      ({ git, treeGit }) => {
        treeGit("mv", "README.md", "theirs.md");
        treeGit("commit", "-qm", "theirs");
        git("mv", "README.md", "ours.md");
        git("commit", "-qm", "ours");
      },
      ({ git, root, tree, treeGit }) => {
        commitIn(treeGit, tree, "place/inside");
        commitIn(git, root, "place");
      },
    ];
    for (const clash of clashes) {
      const world = worktreeWorld();
      clash(world);
      const { report } = await world.finalize();
      expect(report.outcome).toBe("worktree_merge_conflict");
      expect(existsSync(world.tree)).toBe(true);
    }
    const submodule = withSubmodule();
    for (const [top, name] of [
      [submodule.tree, "theirs.txt"],
      [submodule.root, "ours.txt"],
    ] as const) {
      commitIn(gitIn(join(top, "lib"), submodule.home), join(top, "lib"), name);
      gitIn(top, submodule.home)("commit", "-qam", name);
    }
    gitIn(join(submodule.root, "lib"), submodule.home)("fetch", "-q", join(submodule.tree, "lib"), "HEAD");
    expect((await submodule.finalize()).report.outcome).toBe("worktree_merge_conflict");
    const renamed = worktreeWorld();
    renamed.git("mv", "README.md", "ours.md");
    renamed.git("commit", "-qm", "ours");
    renamed.treeGit("mv", "README.md", "theirs.md");
    expect((await renamed.finalize()).report.outcome).toBe("merged_and_removed");
    expect(existsSync(join(renamed.root, "ours.md")) && existsSync(join(renamed.root, "theirs.md"))).toBe(
      true,
    );
  });

  test("flow-worktree-16 the language of the user changes nothing", async () => {
    const world = diverging();
    const run = await world.jig(["flow", "worktree", "finalize", world.wf, "--json"], {
      env: { LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8", LANGUAGE: "de" },
    });
    expect(JSON.parse(run.stdout).outcome).toBe("merged_and_removed");
  });
});

describe("a worktree that is not what the workflow left", { timeout: 240_000 }, () => {
  test("flow-worktree-20 commits on another branch would be lost", async () => {
    const world = worktreeWorld();
    world.treeGit("switch", "-qc", "elsewhere");
    commitIn(world.treeGit, world.tree, "f.txt");
    expect((await refused(world, UNRECOGNIZED)).message).toContain("elsewhere");
  });

  test("flow-worktree-49 without its own .git, git would answer for the main tree", async () => {
    const world = worktreeWorld();
    rmSync(join(world.tree, ".git"));
    put(world.tree, "un.txt");
    await refused(world, UNRECOGNIZED);
    expect(existsSync(join(world.tree, "un.txt"))).toBe(true);
  });

  test("flow-worktree-51 worktrees inside it, its branch elsewhere, a lock of someone's", async () => {
    const nested = worktreeWorld();
    nested.git("worktree", "add", "-q", "-b", "nested", join(nested.tree, "inner"));
    put(nested.tree, "inner/f.txt");
    expect((await refused(nested, UNRECOGNIZED)).message).toContain("inner");
    const twice = worktreeWorld();
    twice.git("worktree", "add", "-q", "-f", join(twice.base, "second"), twice.branch);
    expect((await refused(twice, UNRECOGNIZED)).message).toContain("second");
    const locked = worktreeWorld();
    locked.git("worktree", "lock", locked.tree);
    await refused(locked, UNRECOGNIZED);
  });

  test("flow-worktree-51 a prune beside it takes nothing away", async () => {
    const world = worktreeWorld();
    commitIn(world.treeGit, world.tree, "f.txt");
    let isDone = false;
    const prune = async () => {
      while (!isDone) {
        world.git("worktree", "prune", "--expire=now");
        await sleep(5);
      }
    };
    const pruning = prune();
    const { report } = await world.finalize();
    isDone = true;
    await pruning;
    expect(report.outcome).toBe("merged_and_removed");
  });

  test("flow-worktree-56 a worktree that was moved is named, or missed", async () => {
    const moved = worktreeWorld();
    moved.git("worktree", "move", moved.tree, join(moved.root, ".claude/worktrees/elsewhere"));
    expect((await refused(moved, UNRECOGNIZED)).message).toContain("elsewhere");
    const world = worktreeWorld();
    put(world.tree, "un.txt");
    renameSync(world.tree, join(world.base, "away"));
    await refused(world, COPY_FAILED);
    expect(world.git("worktree", "list")).toContain(world.branch);
    renameSync(join(world.base, "away"), world.tree);
    expect((await world.finalize()).report.outcome).toBe("merged_and_removed");
    expect(existsSync(join(world.root, "un.txt"))).toBe(true);
  });

  test("flow-worktree-57 one that is gone is accepted only by a word, and never with commits of its own", async () => {
    const world = worktreeWorld();
    commitIn(world.treeGit, world.tree, "f.txt");
    rmSync(world.tree, { recursive: true });
    await refused(world, COPY_FAILED);
    const { code, report } = await world.finalize("--accept-missing");
    expect({ code, outcome: report.outcome }).toEqual({ code: 0, outcome: "merged_and_removed" });
    expect(report.warnings.join()).toContain("was gone");
    expect(existsSync(join(world.root, "f.txt"))).toBe(true);
    const detached = worktreeWorld();
    detached.treeGit("switch", "-q", "--detach");
    commitIn(detached.treeGit, detached.tree, "f.txt");
    const commit = detached.treeGit("rev-parse", "HEAD").trim();
    rmSync(detached.tree, { recursive: true });
    for (const flags of [[], ["--accept-missing"]]) {
      expect((await refused(detached, UNRECOGNIZED, ...flags)).message).toContain(commit);
    }
  });

  test("flow-worktree-32 all of it gone by hand is accepted only by a word", async () => {
    const { tree, branch, git, treeGit, finalize, artifact } = worktreeWorld();
    commitIn(treeGit, tree, "f.txt");
    git("merge", "-q", branch);
    git("worktree", "remove", tree);
    git("branch", "-q", "-D", branch);
    expect((await finalize()).report.outcome).toBe(UNRECOGNIZED);
    const { code, report } = await finalize("--accept-missing");
    expect({ code, outcome: report.outcome }).toEqual({ code: 0, outcome: "removed_no_merge_needed" });
    expect(artifact()).toMatchObject({ worktree_mode: "removed_no_merge_needed", pending_gate: null });
  });

  test("flow-worktree-70 the folder of all worktrees gone is no error of the lock", async () => {
    const world = worktreeWorld();
    rmSync(join(world.root, ".claude/worktrees"), { recursive: true });
    expect((await world.finalize()).report.outcome).toBe(COPY_FAILED);
  });
});

describe("work that must not be guessed at", { timeout: 240_000 }, () => {
  test("flow-worktree-33 unmerged entries", async () => {
    const world = worktreeWorld();
    commitIn(world.git, world.root, "clash", "one\n");
    commitIn(world.treeGit, world.tree, "clash", "two\n");
    expect(() => world.treeGit("merge", "-q", "main")).toThrow();
    rmSync(join(world.root, ".git/worktrees", world.tree.split("/").at(-1)!, "MERGE_HEAD"));
    expect((await refused(world, COPY_FAILED)).message).toContain("refusing to guess");
  });

  test("flow-worktree-35 a repository inside it; a directory of new files comes whole", async () => {
    const world = worktreeWorld();
    mkdirSync(join(world.tree, "inner"));
    world.git("init", "-q", join(world.tree, "inner"));
    put(world.tree, "inner/f.txt");
    put(world.tree, "new/a/b.txt");
    expect((await refused(world, COPY_FAILED)).message).toContain("inner");
    rmSync(join(world.tree, "inner/.git"), { recursive: true });
    expect((await world.finalize()).code).toBe(0);
    expect(existsSync(join(world.root, "new/a/b.txt")) && existsSync(join(world.root, "inner/f.txt"))).toBe(
      true,
    );
  });

  test("flow-worktree-50 a submodule's commits that nothing else has, and an edit in it", async () => {
    const world = withSubmodule();
    const { tree, root, home, finalize } = world;
    const inner = gitIn(join(tree, "lib"), home);
    commitIn(inner, join(tree, "lib"), "new.txt");
    world.treeGit("commit", "-qam", "pointer");
    expect((await refused(world, COPY_FAILED)).message).toContain("lib");
    gitIn(join(root, "lib"), home)("fetch", "-q", join(tree, "lib"), "HEAD");
    world.treeGit("config", "submodule.lib.ignore", "all");
    put(tree, "lib/lib.txt", "edited\n");
    expect((await refused(world, COPY_FAILED)).message).toContain("lib");
    inner("checkout", "-q", "--", "lib.txt");
    const { code, report } = await finalize();
    expect({ code, outcome: report.outcome }).toEqual({ code: 0, outcome: "merged_and_removed" });
    expect(report.warnings.join()).toContain("git submodule update");
  });

  test("flow-worktree-72 submodules that are clean are in nobody's way", async () => {
    const clean = withSubmodule();
    put(clean.tree, "README.md", "edited\n");
    expect((await clean.finalize()).report).toMatchObject({ outcome: "merged_and_removed" });
    expect(clean.artifact().worktree_finalize.attempt).toBe(1);
    const moved = withSubmodule();
    const { tree, root, home } = moved;
    commitIn(gitIn(join(tree, "lib"), home), join(tree, "lib"), "new.txt");
    gitIn(join(root, "lib"), home)("fetch", "-q", join(tree, "lib"), "HEAD");
    moved.treeGit("commit", "-qam", "pointer");
    // Killed right behind the merge: the journal knows only that it was begun.
    const bin = join(moved.base, "bin");
    const path = process.env["PATH"];
    put(
      bin,
      "git",
      `#!/bin/sh\ncase "$*" in merge\\ --commit*) PATH='${path}' git "$@"; kill -9 $PPID; exit;; esac\nPATH='${path}' exec git "$@"\n`,
      0o755,
    );
    const words = ["flow", "worktree", "finalize", moved.wf, "--json"];
    expect((await moved.jig(words, { env: { PATH: `${bin}:${path}` } })).signal).toBe("SIGKILL");
    const second = worktreeWorld({ wf: "wf-other-20260706-141203-5e6f7a8b" }, moved);
    expect((await moved.finalize()).report.warnings.join()).toContain("git submodule update");
    const { report } = await second.finalize();
    expect(report.outcome).toBe(DIRTY);
    expect(report.message).toContain("git submodule update");
    expect(report.message).not.toMatch(/stash/);
  });
});

/** A submodule `lib`, populated in both trees. */
function withSubmodule() {
  const world = worktreeWorld();
  const { base, home, git, treeGit } = world;
  const library = join(base, "library");
  mkdirSync(library);
  const inLibrary = gitIn(library, home);
  inLibrary("init", "-q", "-b", "main");
  commitIn(inLibrary, library, "lib.txt");
  git("submodule", "--quiet", "add", library, "lib");
  git("commit", "-qm", "submodule");
  treeGit("merge", "-q", "main");
  treeGit("submodule", "--quiet", "update", "--init");
  return world;
}
