import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { holderMetadata } from "../../../src/flow/worktree/lock/metadata.ts";
import { ROOT } from "../../support/paths.ts";
import { catches, startJig, until } from "../../support/run.ts";
import { runUnprivileged, unprivilegedUid } from "../../support/unprivileged.ts";
import { commitIn, filesIn, gitIn, put, stateOf, worktreeWorld } from "./world.ts";

const PRELOAD = join(ROOT, "test/flow/programs/kill-at.ts");
const CLEANUP = "worktree_cleanup_failed";

/** A worktree with all there is to do: a merge, copies, removals, something to keep. */
function fullWorld() {
  const world = worktreeWorld();
  const { root, tree, git, treeGit } = world;
  for (const name of ["gone.txt", "dir/a", "dir/b"]) put(root, name);
  put(root, ".gitignore", ".env\n");
  git("add", ".");
  git("commit", "-qm", "two");
  treeGit("merge", "-q", "main");
  commitIn(treeGit, tree, "merged.txt");
  commitIn(git, root, "other.txt");
  put(tree, "README.md", "edited\n");
  rmSync(join(tree, "gone.txt"));
  rmSync(join(tree, "dir"), { recursive: true });
  symlinkSync("nowhere", join(tree, "dir"));
  put(tree, "new/run.sh", "#!/bin/sh\n", 0o755);
  put(tree, ".env", "SECRET=1\n");
  return world;
}

type World = ReturnType<typeof fullWorld>;

/** All of it is in the main tree, once, and nothing is left beside it. */
function expectWhole({ root, tree, git, artifact, memory }: World) {
  expect(artifact().worktree_mode).toBe("merged_and_removed");
  expect(filesIn(root, (path) => !/^\.(?:git|claude|craftflow)$/.test(path))).toEqual({
    ".gitignore": ".env\n",
    "README.md": "edited\n",
    "merged.txt": "merged.txt\n",
    "other.txt": "other.txt\n",
    dir: "-> nowhere",
    "new/run.sh": "x #!/bin/sh\n",
  });
  expect(git("log", "--merges", "--format=%s").trim().split("\n").length).toBe(1);
  expect(existsSync(tree)).toBe(false);
  expect(readdirSync(join(root, ".claude/worktrees"))).toEqual([]);
  const kept = readdirSync(join(memory, "from-worktree")).filter((name) => name.startsWith(".env"));
  expect(kept.map((name) => readFileSync(join(memory, "from-worktree", name), "utf8"))).toEqual([
    "SECRET=1\n",
  ]);
}

describe("a run that was cut off", { timeout: 240_000 }, () => {
  test("flow-worktree-30 killed anywhere, the same command finishes it", { timeout: 400_000 }, async () => {
    const counted = fullWorld();
    const words = ["flow", "worktree", "finalize", counted.wf, "--json"];
    const file = join(counted.base, "count");
    const env = (at: string) => ({ BUN_OPTIONS: `--preload=${PRELOAD}`, JIG_KILL_AT: at });
    expect((await counted.jig(words, { env: env(file) })).code).toBe(0);
    expectWhole(counted);
    const calls = Number(readFileSync(file, "utf8").trim());
    expect(calls).toBeGreaterThan(40);
    const points = Array.from({ length: 12 }, (_, index) => 1 + Math.round((index * (calls - 2)) / 11));
    for (const point of points) {
      const world = fullWorld();
      const killed = await world.jig(words, { env: env(String(point)) });
      expect([point, killed.signal]).toEqual([point, "SIGKILL"]);
      const again = await world.finalize();
      expect({ point, code: again.code, said: again.stderr + again.stdout }).toMatchObject({
        point,
        code: 0,
      });
      expectWhole(world);
    }
  });

  test("flow-worktree-68 what was committed meanwhile is not undone", async () => {
    const world = worktreeWorld();
    const { root, tree, wf, memory, git, finalize, artifact } = world;
    put(tree, "a.txt");
    put(tree, "b.txt");
    const words = ["flow", "worktree", "finalize", wf, "--json"];
    const path = await killedAtRename(world, words, join(root, "b.txt"));
    expect(path).toBe("a.txt");
    expect(artifact().worktree_finalize.stage).toBe("copying");
    git("add", "a.txt");
    git("commit", "-qm", "a");
    expect((await finalize()).report.outcome).toBe("merged_and_removed");
    expect(git("status", "--porcelain")).toBe("?? b.txt\n");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("a.txt\n");
    expect(readdirSync(memory)).toEqual([]);
  });

  test("a copy that fails in the middle is undone, whatever it was", async () => {
    const world = fullWorld();
    rmSync(join(world.root, ".git/hooks"), { recursive: true, force: true });
    const before = filesIn(world.root, (path) => !/^\.(?:git|claude|craftflow)$/.test(path));
    const words = ["flow", "worktree", "finalize", world.wf, "--json"];
    const env = { BUN_OPTIONS: `--preload=${PRELOAD}`, JIG_FAIL_RENAME_TO: join(world.root, "new/run.sh") };
    const run = await world.jig(words, { env });
    expect({ code: run.code, outcome: JSON.parse(run.stdout).outcome }).toEqual({
      code: 3,
      outcome: "worktree_copy_fallback_failed",
    });
    expect(filesIn(world.root, (path) => !/^\.(?:git|claude|craftflow)$/.test(path))).toEqual({
      ...before,
      "merged.txt": "merged.txt\n",
    });
    expect(world.git("status", "--porcelain")).toBe("");
    expect((await world.finalize()).code).toBe(0);
    expectWhole(world);
  });

  test("flow-worktree-44 a lock file that a killed git left is named, and goes by hand", async () => {
    for (const name of ["index.lock", "HEAD.lock"]) {
      const world = worktreeWorld();
      commitIn(world.treeGit, world.tree, "f.txt");
      commitIn(world.git, world.root, "g.txt");
      const words = ["flow", "worktree", "finalize", world.wf, "--json"];
      // Its git is killed with its files changed and HEAD not moved.
      const bin = join(world.base, "bin");
      put(
        bin,
        "git",
        `#!/bin/sh\ncase "$*" in merge\\ --commit*) PATH='${process.env["PATH"]}' git read-tree -m -u HEAD "$(PATH='${process.env["PATH"]}' git merge-tree --write-tree HEAD '${world.branch}')";` +
          ` touch '${join(world.root, ".git", name)}'; kill -9 $PPID; exit 1;; esac\nPATH='${process.env["PATH"]}' exec git "$@"\n`,
        0o755,
      );
      const killed = await world.jig(words, { env: { PATH: `${bin}:${process.env["PATH"]}` } });
      expect(killed.signal).toBe("SIGKILL");
      expect(world.artifact().worktree_finalize.stage).toBe("merging");
      const { report } = await world.finalize();
      expect(report.outcome).toBe("worktree_merge_unrecognized_failure");
      expect(report.message).toContain(name);
      rmSync(join(world.root, ".git", name));
      expect((await world.finalize()).report.outcome).toBe("merged_and_removed");
      expect(world.git("status", "--porcelain")).toBe("");
      expect(world.git("log", "--merges", "--format=%s").trim().split("\n").length).toBe(1);
      expect(existsSync(join(world.root, "f.txt")) && existsSync(join(world.root, "g.txt"))).toBe(true);
    }
  });
});

describe("a cleanup that fails", { timeout: 240_000 }, () => {
  test("flow-worktree-31 a registration that stays: the work is there, and the rest is done later", async () => {
    const world = worktreeWorld();
    commitIn(world.treeGit, world.tree, "f.txt");
    put(world.tree, "un.txt");
    const bin = join(world.base, "bin");
    put(
      bin,
      "git",
      `#!/bin/sh\ncase "$*" in worktree\\ remove*) echo 'fatal: read-only' >&2; exit 1;; esac\nPATH='${process.env["PATH"]}' exec git "$@"\n`,
      0o755,
    );
    const run = await world.jig(["flow", "worktree", "finalize", world.wf, "--json"], {
      env: { PATH: `${bin}:${process.env["PATH"]}` },
    });
    const report = JSON.parse(run.stdout);
    expect({ code: run.code, outcome: report.outcome }).toEqual({ code: 3, outcome: CLEANUP });
    expect(report.cleanup.failed_command).toBe("git worktree remove");
    expect(world.git("branch", "--list", world.branch)).not.toBe("");
    expect(readFileSync(join(world.root, "un.txt"), "utf8")).toBe("un.txt\n");
    expect(readFileSync(join(report.cleanup.trash, "un.txt"), "utf8")).toBe("un.txt\n");
    expect((await world.finalize()).report.outcome).toBe("merged_and_removed");
    expect(world.events().filter(({ event }) => event === "worktree_merged").length).toBe(1);
    expect(stateOf(world)).toMatchObject({ registered: false, beside: [] });
  });

  test("flow-worktree-58 a branch that its upstream lacks is kept until that is settled", async () => {
    const world = worktreeWorld();
    const { base, branch, git, treeGit, tree, home } = world;
    gitIn(base, home)("init", "-q", "--bare", "remote.git");
    git("remote", "add", "origin", join(base, "remote.git"));
    treeGit("push", "-q", "-u", "origin", branch);
    commitIn(treeGit, tree, "f.txt");
    const { report } = await world.finalize();
    expect(report).toMatchObject({ outcome: CLEANUP, cleanup: { failed_command: "git branch -d" } });
    expect(report.message).toContain("--unset-upstream");
    expect(existsSync(join(world.root, "f.txt"))).toBe(true);
    git("branch", "--unset-upstream", branch);
    expect((await world.finalize()).report.outcome).toBe("merged_and_removed");
    expect(world.events().filter(({ event }) => event === "worktree_merged").length).toBe(1);
  });

  test("flow-worktree-69 copied files committed before the rerun are no obstacle", async () => {
    const world = worktreeWorld();
    put(world.tree, "un.txt");
    put(
      world.root,
      ".git/hooks/reference-transaction",
      '#!/bin/sh\ngrep -q "refs/heads/wf-" && exit 1; exit 0\n',
      0o755,
    );
    expect((await world.finalize()).report.outcome).toBe(CLEANUP);
    rmSync(join(world.root, ".git/hooks/reference-transaction"));
    world.git("add", "un.txt");
    world.git("commit", "-qm", "un");
    expect((await world.finalize()).report.outcome).toBe("merged_and_removed");
    expect(world.git("status", "--porcelain")).toBe("");
  });

  test("flow-worktree-55 what is written late arrives, too; what never ends is named", {
    timeout: 200_000,
  }, async () => {
    const late = worktreeWorld();
    commitIn(late.treeGit, late.tree, "f.txt");
    put(late.root, ".git/hooks/post-merge", `#!/bin/sh\necho late > '${late.tree}/late.txt'\n`, 0o755);
    expect((await late.finalize()).report.outcome).toBe("merged_and_removed");
    expect(readFileSync(join(late.root, "late.txt"), "utf8")).toBe("late\n");

    const commits = worktreeWorld();
    commitIn(commits.treeGit, commits.tree, "f.txt");
    const inTree = `cd '${commits.tree}' 2>/dev/null && unset GIT_DIR GIT_INDEX_FILE && [ ! -e l ] && echo l > l && git add l && git commit -qm l`;
    put(commits.root, ".git/hooks/post-merge", `#!/bin/sh\n${inTree}\nexit 0\n`, 0o755);
    expect((await commits.finalize()).report.outcome).toBe("merged_and_removed");
    expect(commits.git("show", "HEAD:l")).toBe("l\n");

    const endless = worktreeWorld();
    // Whoever locks the worktree adds a file to it right before: it has changed at every last look.
    const bin = join(endless.base, "bin");
    put(
      bin,
      "git",
      `#!/bin/sh\ncase "$*" in worktree\\ lock*) echo x > "${endless.tree}/$$";; esac\nPATH='${process.env["PATH"]}' exec git "$@"\n`,
      0o755,
    );
    const run = await endless.jig(["flow", "worktree", "finalize", endless.wf, "--json"], {
      env: { PATH: `${bin}:${process.env["PATH"]}` },
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ outcome: CLEANUP });
    expect(JSON.parse(run.stdout).message).toContain("still writing");
    expect(endless.git("worktree", "list", "--porcelain")).not.toContain("locked");
    expect(readdirSync(endless.tree).filter((name) => /^\d+$/.test(name)).length).toBe(2);
  });
});

describe("a directory that cannot be deleted", { timeout: 240_000 }, () => {
  test("flow-worktree-54 what is left of the worktree is a warning", async () => {
    const world = worktreeWorld();
    commitIn(world.treeGit, world.tree, "shut/f.txt");
    chmodSync(join(world.tree, "shut"), 0o555);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) execFileSync("chown", ["-R", String(unprivilegedUid), world.base]);
    const run = await runUnprivileged(["flow", "worktree", "finalize", world.wf, "--json"], {
      cwd: world.root,
      env: world.env,
      timeout: 120_000,
    });
    if (isRoot) execFileSync("chown", ["-R", "0", world.base]);
    const report = JSON.parse(run.stdout);
    expect({ code: run.code, outcome: report.outcome }).toEqual({ code: 0, outcome: "merged_and_removed" });
    const [left] = readdirSync(join(world.root, ".claude/worktrees"));
    expect(left).toMatch(/^\.trash-/);
    expect(report.warnings.join()).toContain(left);
    expect(readFileSync(join(world.root, "shut/f.txt"), "utf8")).toBe("shut/f.txt\n");
    const status = await world.jig(["flow", "worktree", "status", "--json"]);
    expect(status.stdout).toContain(left);
    chmodSync(join(world.root, ".claude/worktrees", left!, "shut"), 0o755);
  });
});

describe("what is carried over and kept", { timeout: 240_000 }, () => {
  test("flow-worktree-38 the tool's own files of the worktree are kept beside the main tree's", async () => {
    const { root, tree, memory, finalize } = worktreeWorld({ exclude: false });
    put(root, ".craftflow/state/project/patterns.md", "main\n");
    put(tree, ".craftflow/state/project/patterns.md", "theirs\n");
    const { code, report } = await finalize();
    expect(code).toBe(0);
    expect(readFileSync(join(root, ".craftflow/state/project/patterns.md"), "utf8")).toBe("main\n");
    expect(readFileSync(join(memory, "from-worktree/.craftflow/state/project/patterns.md"), "utf8")).toBe(
      "theirs\n",
    );
    expect(report.cleanup.kept).toEqual([".craftflow/state/project/patterns.md"]);
  });

  test("flow-worktree-53 ignored files are kept, caches are not", async () => {
    const ignoring = () => {
      const world = worktreeWorld();
      put(
        world.root,
        ".git/info/exclude",
        "/.claude/worktrees/\n/.craftflow/\n.env\n*.sqlite\nnode_modules/\ndist/\n",
      );
      for (const path of [".env", "run.sqlite", "node_modules/x", "dist/y"]) put(world.tree, path);
      return world;
    };
    const { memory, finalize } = ignoring();
    const { code, report } = await finalize();
    expect(code).toBe(0);
    expect(report.cleanup).toMatchObject({ kept: [".env", "run.sqlite"], ignored_files_discarded: 2 });
    expect(readFileSync(join(memory, "from-worktree/.env"), "utf8")).toBe(".env\n");
    const same = ignoring();
    put(same.root, ".env");
    expect((await same.finalize()).report.cleanup.kept).toEqual(["run.sqlite"]);
    const dropped = ignoring();
    expect((await dropped.finalize("--discard-ignored")).report.cleanup).toMatchObject({
      kept: [],
      ignored_files_discarded: 4,
    });
  });

  test("flow-worktree-52 an edit that git is told not to look for", async () => {
    const { root, tree, treeGit, finalize } = worktreeWorld();
    treeGit("update-index", "--skip-worktree", "README.md");
    put(tree, "README.md", "edited\n");
    expect((await finalize()).code).toBe(0);
    expect(readFileSync(join(root, "README.md"), "utf8")).toBe("edited\n");
  });

  test("flow-worktree-65 files, directories and names that change places", async () => {
    const { root, tree, git, treeGit, finalize } = worktreeWorld();
    for (const path of ["a.md", "dir/a", "dir/b"]) commitIn(git, root, path);
    treeGit("merge", "-q", "main");
    rmSync(join(tree, "README.md"));
    put(tree, "README.md/inside");
    rmSync(join(tree, "dir"), { recursive: true });
    put(tree, "dir");
    treeGit("rm", "-q", "a.md");
    put(tree, "A.md");
    treeGit("add", "A.md");
    expect((await finalize()).code).toBe(0);
    expect(filesIn(root, (path) => !/^\.(?:git|claude|craftflow)$/.test(path))).toEqual({
      "A.md": "A.md\n",
      "README.md/inside": "README.md/inside\n",
      dir: "dir\n",
    });
  });

  test("flow-worktree-74 a mode alone, a directory for a link and a link for a directory", async () => {
    const { root, tree, git, treeGit, finalize } = worktreeWorld();
    commitIn(git, root, "dir/a");
    symlinkSync("dir", join(root, "link"));
    git("add", "link");
    git("commit", "-qm", "link");
    treeGit("merge", "-q", "main");
    chmodSync(join(tree, "README.md"), 0o755);
    rmSync(join(tree, "dir"), { recursive: true });
    symlinkSync("elsewhere", join(tree, "dir"));
    rmSync(join(tree, "link"));
    put(tree, "link/inside");
    expect((await finalize()).code).toBe(0);
    expect(filesIn(root, (path) => !/^\.(?:git|claude|craftflow)$/.test(path))).toEqual({
      "README.md": "x one\n",
      dir: "-> elsewhere",
      "link/inside": "link/inside\n",
    });
  });

  test("flow-worktree-36 links into the worktree lead into the main tree", async () => {
    const { root, tree, finalize } = worktreeWorld();
    put(tree, "sub/payload");
    symlinkSync("payload", join(tree, "sub/link2"));
    symlinkSync(join(tree, "sub/link2"), join(tree, "link1"));
    expect((await finalize()).code).toBe(0);
    expect(filesIn(root, (path) => !/^\.(?:git|claude|craftflow)$/.test(path))).toMatchObject({
      link1: `-> ${join(root, "sub/link2")}`,
      "sub/link2": "-> payload",
    });
  });

  test("flow-worktree-71 a sparse main tree stays sparse", async () => {
    const made = worktreeWorld();
    for (const path of ["a/one", "b/two"]) commitIn(made.git, made.root, path);
    made.git("sparse-checkout", "set", "a");
    const { root, git, finalize, tree } = worktreeWorld({ wf: "wf-sparse-20260706-141203-5e6f7a8b" }, made);
    const before = git("ls-files", "-t");
    put(tree, "a/one", "edited\n");
    expect((await finalize()).code).toBe(0);
    expect(readFileSync(join(root, "a/one"), "utf8")).toBe("edited\n");
    expect(git("ls-files", "-t")).toBe(before);
    expect(git("status", "--porcelain")).toBe(" M a/one\n");
  });

  test("names that are no UTF-8 arrive exactly", async () => {
    const { root, tree, finalize } = worktreeWorld();
    const at = (top: string) =>
      Buffer.concat([Buffer.from(`${top}/`), Buffer.from("b\xffd\nname", "latin1")]);
    writeFileSync(at(tree), "content");
    const { code, report } = await finalize();
    expect(code).toBe(0);
    expect(report.copy.applied).toEqual([{ action: "copy", path: "b\\xffd\nname" }]);
    expect(readFileSync(at(root), "utf8")).toBe("content");
  });
});

describe("a run that was killed at its very end", () => {
  test("the same command takes its own lock away, and never one of a living holder or of another", async () => {
    const world = fullWorld();
    expect((await world.finalize()).report.outcome).toBe("merged_and_removed");
    const lock = join(world.root, ".claude/worktrees/.merge.lock");
    const hold = async (wf: string, pid: number) => {
      const holder = await holderMetadata({ pid, now: Date.now }, wf, world.tree);
      put(lock, "metadata.json", JSON.stringify(holder));
      expect((await world.finalize()).report.outcome).toBe("already_finalized");
      const stays = existsSync(lock);
      rmSync(lock, { recursive: true, force: true });
      return stays;
    };
    const dead = spawn("true");
    await new Promise((resolve) => dead.on("close", resolve));
    expect(await hold(world.wf, dead.pid!)).toBe(false);
    expect(await hold(world.wf, process.pid)).toBe(true);
    expect(await hold("wf-other-20260706-141203-5e6f7a8b", dead.pid!)).toBe(true);
  });
});

describe.skipIf(process.platform !== "linux")("a run that is told to end", () => {
  test("SIGINT and SIGTERM end it between two steps, its lock released; the same command goes on", async () => {
    for (const [signal, code] of [
      ["INT", 130],
      ["TERM", 143],
    ] as const) {
      const world = fullWorld();
      // The hook's parent is git, and git's parent is jig.
      const script = `kill -${signal} $(cut -d' ' -f4 /proc/$PPID/stat)`;
      put(world.root, ".git/hooks/pre-merge-commit", `#!/bin/sh\n${script}\n`, 0o755);
      const run = await world.finalize();
      expect(run).toMatchObject({ code, signal: null, stdout: "" });
      expect(run.stderr).toContain("run the same command again");
      expect(world.artifact()).toMatchObject({ worktree_mode: "auto_created", pending_gate: null });
      expect(existsSync(world.tree)).toBe(true);
      expect(existsSync(join(world.root, ".claude/worktrees/.merge.lock"))).toBe(false);
      rmSync(join(world.root, ".git/hooks/pre-merge-commit"));
      expect((await world.finalize()).report.outcome).toBe("merged_and_removed");
      expectWhole(world);
    }
  });

  test("while it waits for the lock of another, a signal ends it at once", async () => {
    const world = fullWorld();
    const lock = join(world.root, ".claude/worktrees/.merge.lock");
    put(lock, "metadata.json", JSON.stringify({ workflow_uuid: "wf-other", worktree_path: world.root }));
    const before = stateOf(world);
    const words = ["flow", "worktree", "finalize", world.wf, "--lock-interval", "60000"];
    const child = startJig(words, { cwd: world.root, env: world.env });
    const ended = new Promise((resolve) => child.on("close", resolve));
    await until("the lock was tried", () =>
      existsSync(join(world.root, `.craftflow/state/workflows/${world.wf}.events.jsonl`)),
    );
    await catches(child.pid!, "SIGTERM");
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(stateOf(world)).toEqual(before);
    expect(existsSync(join(lock, "metadata.json"))).toBe(true);
  });
});

/** Kill finalize right before it renames something to a place; the files it had applied by then. */
async function killedAtRename(world: Pick<World, "jig" | "git">, words: readonly string[], place: string) {
  const run = await world.jig(words, {
    env: { BUN_OPTIONS: `--preload=${PRELOAD}`, JIG_KILL_AT_RENAME_TO: place },
  });
  expect(run.signal).toBe("SIGKILL");
  return world.git("ls-files", "--others", "--exclude-standard", "--exclude=.jig-*").trim();
}
