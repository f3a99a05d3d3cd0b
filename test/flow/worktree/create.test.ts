import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layoutOf } from "../../../src/flow/common/layout.ts";
import { runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";
import { git, lockWorld } from "./lock-world.ts";

const WF = "wf-login-20260706-141203-1a2b3c4d";
const ID = "1a2b3c4d";

/** A repository with a BUILD workflow, made by hand where git is to be missing. */
function world(root = lockWorld().root) {
  const layout = layoutOf(root);
  mkdirSync(layout.memory(WF), { recursive: true });
  const save = (more: object) =>
    writeFileSync(
      layout.artifact(WF),
      `${JSON.stringify({ workflow_uuid: WF, workflow_type: "BUILD", worktree_mode: null, ...more })}\n`,
    );
  save({});
  writeFileSync(layout.events(WF), "");
  const create = (...words: (string | Record<string, string>)[]) => {
    const env = words.find((word) => typeof word === "object") ?? {};
    const given = words.filter((word) => typeof word === "string");
    return runJig(["flow", "worktree", "create", ID, ...given], { cwd: root, env });
  };
  const artifact = () => JSON.parse(readFileSync(layout.artifact(WF), "utf8"));
  const events = () =>
    readFileSync(layout.events(WF), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const place = join(root, ".claude/worktrees/login-1a2b3c4d");
  return { root, layout, save, create, artifact, events, place };
}

describe("flow worktree create", () => {
  test("flow-worktree-1 makes the worktree once, records it, and finds it again", async () => {
    const { root, create, artifact, events, place } = world();
    const made = await create();
    expect(made).toMatchObject({ code: 0, stdout: `${place}\n` });
    expect(artifact()).toMatchObject({
      worktree_mode: "auto_created",
      worktree_path: place,
      worktree_branch: "wf-login-1a2b3c4d",
      worktree_base: { branch: "main", commit: git(root, "rev-parse", "HEAD").trim() },
    });
    expect(git(place, "branch", "--show-current").trim()).toBe("wf-login-1a2b3c4d");
    const again = await create("--json");
    expect(JSON.parse(again.stdout)).toMatchObject({
      outcome: "reused",
      prompt_section: expect.stringMatching(new RegExp(`^## Worktree\\nWORKTREE_PATH: ${place}\\n`)),
    });
    expect(events().filter(({ event }) => event === "worktree_created")).toHaveLength(1);
  });

  test("flow-worktree-2 without git the work goes into the main tree, and the reason is logged", async () => {
    const { create, artifact, events } = world(tempDir());
    expect(await create()).toMatchObject({ code: 0, stdout: "main tree\n" });
    expect(artifact().worktree_mode).toBeNull();
    expect(events()).toMatchObject([
      { event: "worktree_fallback", reason: expect.stringContaining("not a git repository") },
    ]);
    expect((await create("--strict")).code).toBe(1);
  });

  test("flow-worktree-3 a branch of that name is left alone, and so is everything else", async () => {
    const { root, create, artifact, place } = world();
    git(root, "branch", "wf-login-1a2b3c4d");
    const before = git(root, "for-each-ref");
    const run = await create("--json");
    expect(JSON.parse(run.stdout)).toMatchObject({ outcome: "fallback", worktree_path: null });
    expect(git(root, "for-each-ref")).toBe(before);
    expect([existsSync(place), artifact().worktree_mode]).toEqual([false, null]);
  });

  test("flow-worktree-4 the tool's own directories do not make the main tree dirty", async () => {
    const { root, create } = world();
    const path = join(root, ".git/info/exclude");
    mkdirSync(join(root, ".git/info"), { recursive: true });
    writeFileSync(path, "old without an end");
    const { stdout } = await create("--json");
    expect(JSON.parse(stdout).excluded).toEqual(["/.claude/worktrees/", "/.craftflow/"]);
    expect(git(root, "status", "--porcelain")).toBe("");
    expect(readFileSync(path, "utf8")).toBe("old without an end\n/.claude/worktrees/\n/.craftflow/\n");
  });

  test("--no-exclude leaves info/exclude alone; what is ignored already is not excluded again", async () => {
    const { root, create } = world();
    writeFileSync(join(root, ".gitignore"), ".claude/\n");
    git(root, "add", ".gitignore");
    git(root, "commit", "-qm", "ignore");
    const { stdout } = await create("--json");
    expect(JSON.parse(stdout).excluded).toEqual(["/.craftflow/"]);
    const other = world();
    await other.create("--no-exclude");
    expect(git(other.root, "status", "--porcelain")).toContain(".claude/");
  });

  test("flow-worktree-63 below the top of a repository it falls back, and says why", async () => {
    const { root } = lockWorld();
    mkdirSync(join(root, "sub"));
    const below = world(join(root, "sub"));
    const run = await runJig(["flow", "worktree", "create", ID, "--project", below.root, "--json"], {
      cwd: below.root,
    });
    expect(JSON.parse(run.stdout)).toMatchObject({
      outcome: "fallback",
      reason: expect.stringContaining("is not the top of its working tree"),
    });
  });

  test("flow-worktree-64 killed before it wrote the artifact, the same call finishes; a failing hook leaves nothing", async () => {
    const { root, create, artifact, place } = world();
    git(root, "worktree", "add", "-q", "--no-track", "-b", "wf-login-1a2b3c4d", place);
    const run = await create("--json");
    expect(JSON.parse(run.stdout)).toMatchObject({ outcome: "reused", worktree_path: place });
    expect(artifact()).toMatchObject({
      worktree_mode: "auto_created",
      worktree_base: { branch: "main", commit: git(root, "rev-parse", "main").trim() },
    });

    const hooked = world();
    const hook = join(hooked.root, ".git/hooks/post-checkout");
    mkdirSync(join(hooked.root, ".git/hooks"), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\necho no >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    const failed = await hooked.create("--json");
    expect(JSON.parse(failed.stdout).outcome).toBe("fallback");
    expect(existsSync(hooked.place)).toBe(false);
    expect(git(hooked.root, "branch", "--list", "wf-*")).toBe("");
    expect(git(hooked.root, "worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  test("a git that is killed half way leaves no registration behind that breaks the repository", async () => {
    const { root, create, place } = world();
    const bin = join(root, "../bin");
    mkdirSync(bin);
    // What stands there when it dies before it has written `commondir`.
    writeFileSync(
      join(bin, "git"),
      `#!/bin/sh\nPATH='${process.env["PATH"]}'\ngit "$@"; code=$?\ncase "$*" in *"worktree add"*)\n` +
        `: > '${root}/.git/worktrees/login-1a2b3c4d/commondir'; kill -9 $$;; esac\nexit $code\n`,
      { mode: 0o755 },
    );
    const run = await create("--json", { PATH: `${bin}:${process.env["PATH"]}` });
    expect(JSON.parse(run.stdout).outcome).toBe("fallback");
    expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect([existsSync(place), git(root, "branch", "--list", "wf-*")]).toEqual([false, ""]);
    expect(JSON.parse((await create("--json")).stdout).outcome).toBe("created");
  });

  test("a recorded worktree that is not what it was is named, and nothing is changed", async () => {
    const { root, create, place } = world();
    await create();
    const git_ = join(place, ".git");
    const text = readFileSync(git_, "utf8");
    rmSync(git_);
    expect(await create()).toMatchObject({ code: 1, stderr: expect.stringContaining(".git is missing") });
    writeFileSync(git_, text);
    renameSync(place, `${place}.moved`);
    symlinkSync(`${place}.moved`, place);
    expect(await create()).toMatchObject({ code: 1, stderr: expect.stringContaining("symlink") });
    rmSync(place);
    expect(await create()).toMatchObject({ code: 1, stderr: expect.stringContaining("--recreate") });
    renameSync(`${place}.moved`, place);
    git(root, "worktree", "move", place, join(root, ".claude/worktrees/elsewhere"));
    const moved = await create("--recreate");
    expect(moved).toMatchObject({ code: 1, stderr: expect.stringContaining("elsewhere") });
  });

  test("--recreate checks the branch out again, unless its registration holds something else", async () => {
    const { root, create, place } = world();
    await create();
    writeFileSync(join(place, "c.txt"), "c");
    git(place, "add", "c.txt");
    git(place, "commit", "-qm", "c");
    rmSync(place, { recursive: true });
    git(root, "worktree", "lock", place);
    expect(await create("--recreate")).toMatchObject({ code: 1, stderr: expect.stringContaining("locked") });
    git(root, "worktree", "unlock", place);
    const run = await create("--recreate", "--json");
    expect(JSON.parse(run.stdout)).toMatchObject({ outcome: "recreated" });
    expect(readFileSync(join(place, "c.txt"), "utf8")).toBe("c");
    git(place, "checkout", "-q", "--detach");
    rmSync(place, { recursive: true });
    expect(await create("--recreate")).toMatchObject({ code: 1, stderr: expect.stringContaining("commit") });
  });

  test("finalized, another type, a damaged path, a bad name: said, and nothing made", async () => {
    const { root, create, save, place } = world();
    save({ worktree_mode: "merged_and_removed" });
    expect(await create()).toMatchObject({ code: 1, stderr: expect.stringContaining("already finalized") });
    save({ workflow_type: "DEBUG" });
    expect(await create()).toMatchObject({ code: 2, stderr: expect.stringContaining("BUILD") });
    save({ worktree_mode: "auto_created", worktree_path: "/", worktree_branch: "x" });
    expect((await create("--recreate")).code).toBe(1);
    save({ worktree_mode: "auto_created", worktree_path: null });
    expect(await create()).toMatchObject({ code: 0, stdout: "main tree\n" });
    save({});
    for (const words of [
      ["--dir", "../x"],
      ["--dir", ".x"],
      ["--branch", "-x"],
      ["--branch", "a..b"],
      ["--base=-x"],
    ]) {
      expect((await create(...words)).code).toBe(2);
    }
    expect(existsSync(place)).toBe(false);
    expect(git(root, "branch", "--list", "wf-*")).toBe("");
  });

  test("two calls at once make one worktree", async () => {
    const { create, events, root } = world();
    const runs = await Promise.all([create("--json"), create("--json"), create("--json")]);
    const outcomes = runs.map(({ stdout }) => JSON.parse(stdout).outcome).sort();
    expect(outcomes).toEqual(["created", "reused", "reused"]);
    expect(events().filter(({ event }) => event === "worktree_created")).toHaveLength(1);
    expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(2);
  });

  test("a state folder that leads out of the project makes nothing outside", async () => {
    const { root, create } = world();
    const outside = tempDir();
    mkdirSync(join(root, ".claude"));
    symlinkSync(outside, join(root, ".claude/worktrees"));
    const run = await create("--json");
    expect(JSON.parse(run.stdout)).toMatchObject({
      outcome: "fallback",
      reason: expect.stringContaining("leads out"),
    });
    expect(existsSync(join(outside, "login-1a2b3c4d"))).toBe(false);
  });
});

describe("flow worktree status", () => {
  test("flow-worktree-40 lists the worktree with its counts, and a branch that nobody owns", async () => {
    const { root, create, place } = world();
    await create();
    git(root, "branch", "wf-old-deadbeef");
    writeFileSync(join(place, "c.txt"), "c");
    git(place, "add", "c.txt");
    git(place, "commit", "-qm", "c");
    writeFileSync(join(place, "un.txt"), "u");
    mkdirSync(join(root, ".claude/worktrees/.trash-login-00000000"));
    mkdirSync(join(root, ".claude/worktrees/stray"));
    const run = await runJig(["flow", "worktree", "status", "--json"], { cwd: root });
    expect(run.code).toBe(0);
    const report = JSON.parse(run.stdout);
    expect(report.worktrees).toMatchObject([
      {
        path: place,
        branch: "wf-login-1a2b3c4d",
        workflow: WF,
        mode: "auto_created",
        exists: true,
        registered: true,
        head_on_branch: true,
        ahead: 1,
        behind: 0,
        uncommitted: 1,
        gate: null,
        stage: null,
      },
      { workflow: null, registered: false },
    ]);
    expect(report.findings).toMatchObject([
      { kind: "no-workflow" },
      { kind: "branch-left", what: "wf-old-deadbeef", merged: true },
      { kind: "trash-left" },
    ]);
    expect(report.lock).toBeNull();
    rmSync(place, { recursive: true });
    const gone = await runJig(["flow", "worktree", "status"], { cwd: root });
    expect(gone.stdout).toContain("directory-gone");
  });
});
