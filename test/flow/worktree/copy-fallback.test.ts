import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runJig } from "../../support/run.ts";
import { gitIn, put, repositoryWorld } from "./world.ts";

const COMMAND = ["flow", "worktree", "copy-fallback"];

/** A worktree beside the repository, and the command called on the two. */
function world() {
  const made = repositoryWorld();
  const { base, root, home, git, env } = made;
  for (const name of ["a.txt", "b.txt", "c.txt"]) put(root, name);
  git("add", ".");
  git("commit", "-q", "-m", "two");
  const tree = join(base, "T");
  git("worktree", "add", "-q", "-b", "B", tree);
  const apply = (...words: string[]) =>
    runJig([...COMMAND, ...(words.length > 0 ? words : [tree, root])], { cwd: base, env });
  return { ...made, tree, apply, treeGit: gitIn(tree, home) };
}

describe("the table of section 6", () => {
  test("each record is applied and named, the index is not touched", async () => {
    const { root, tree, apply, git, treeGit } = world();
    put(tree, "a.txt", "edited\n");
    treeGit("mv", "b.txt", "b 2.txt");
    rmSync(join(tree, "c.txt"));
    put(tree, "new/run.sh", "#!/bin/sh\n", 0o755);
    symlinkSync("nowhere", join(tree, "dangling"));
    const { code, stdout, stderr } = await apply();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n").sort()).toEqual(
      [
        "",
        "copied a.txt",
        "copied dangling",
        "copied new/run.sh",
        "deleted c.txt",
        "rename_or_copy b.txt b 2.txt",
      ].sort(),
    );
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("edited\n");
    expect(lstatSync(join(root, "new/run.sh")).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(root, "dangling"))).toBe("nowhere");
    expect(git("status", "--porcelain=1", "--untracked-files=all").split("\n").sort()).toEqual(
      ["", " D b.txt", " D c.txt", " M a.txt", "?? b 2.txt", "?? dangling", "?? new/run.sh"]
        .sort()
        .map((line) => line.replace("b 2.txt", '"b 2.txt"')),
    );
  });

  test("a copy keeps its old path; a link at the destination is replaced, not written through", async () => {
    const { base, root, tree, apply, treeGit } = world();
    treeGit("config", "status.renames", "copies");
    put(tree, "copy.txt", "a.txt\n");
    put(tree, "a.txt", "a.txt\nmore\n");
    treeGit("add", ".");
    put(base, "outside", "kept\n");
    rmSync(join(root, "b.txt"));
    symlinkSync(join(base, "outside"), join(root, "b.txt"));
    put(tree, "b.txt", "edited\n");
    const { code, stdout } = await apply();
    expect(code).toBe(0);
    expect(stdout).toContain("rename_or_copy a.txt copy.txt\n");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("a.txt\nmore\n");
    expect(readFileSync(join(root, "copy.txt"), "utf8")).toBe("a.txt\n");
    expect(lstatSync(join(root, "b.txt")).isFile()).toBe(true);
    expect(readFileSync(join(base, "outside"), "utf8")).toBe("kept\n");
  });

  test("flow-worktree-33 an unmerged entry is refused before anything is applied", async () => {
    const { root, tree, apply, git, treeGit } = world();
    put(tree, "a.txt", "theirs\n");
    treeGit("commit", "-qam", "theirs");
    put(root, "a.txt", "ours\n");
    git("commit", "-qam", "ours");
    expect(() => treeGit("merge", "-q", "main")).toThrow();
    put(tree, "new.txt");
    const { code, stdout, stderr } = await apply();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("unsupported/conflict porcelain status 'UU' for 'a.txt'");
    expect(stderr).toContain("refusing to guess");
    expect(git("status", "--porcelain")).toBe("");
  });

  test("flow-worktree-34 a staged rename whose new path was deleted is refused", async () => {
    const { tree, apply, git, treeGit } = world();
    treeGit("mv", "a.txt", "moved.txt");
    rmSync(join(tree, "moved.txt"));
    const { code, stdout, stderr } = await apply();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("has no source file at 'moved.txt'; refusing to guess");
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(git("status", "--porcelain")).toBe("");
  });

  test("flow-worktree-36 an absolute link into the worktree leads into the root, a chain stays a chain", async () => {
    const { base, root, tree, apply } = world();
    mkdirSync(join(tree, "sub"));
    put(tree, "sub/payload");
    symlinkSync("payload", join(tree, "sub/link2"));
    symlinkSync(join(tree, "sub/link2"), join(tree, "link1"));
    symlinkSync(join(tree, "a.txt"), join(tree, "direct"));
    symlinkSync(join(base, "T2/a.txt"), join(tree, "foreign"));
    symlinkSync(join(tree, "no/such"), join(tree, "gone"));
    symlinkSync(base, join(base, "alias"));
    symlinkSync(join(base, "alias/T/a.txt"), join(tree, "spelled"));
    expect((await apply()).code).toBe(0);
    expect(readlinkSync(join(root, "link1"))).toBe(join(root, "sub/link2"));
    expect(readlinkSync(join(root, "sub/link2"))).toBe("payload");
    expect(readlinkSync(join(root, "direct"))).toBe(join(root, "a.txt"));
    expect(readlinkSync(join(root, "foreign"))).toBe(join(base, "T2/a.txt"));
    expect(readlinkSync(join(root, "gone"))).toBe(join(root, "no/such"));
    expect(readlinkSync(join(root, "spelled"))).toBe(join(root, "a.txt"));
  });

  test("a name that is no UTF-8 is copied exactly and shown byte by byte", async () => {
    const { root, tree, apply } = world();
    const name = Buffer.from("b\xffd\nname", "latin1");
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), name]), "content");
    const { code, stdout } = await apply();
    expect(code).toBe(0);
    expect(stdout).toContain("copied b\\xffd\nname\n");
    expect(readFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), "utf8")).toBe("content");
  });

  test("what fails is said without a trace; what was applied before stays", async () => {
    const { base, root, tree, apply, git } = world();
    put(tree, "a.txt", "edited\n");
    rmSync(join(root, "b.txt"));
    mkdirSync(join(root, "b.txt"));
    put(tree, "b.txt", "edited\n");
    const failed = await apply();
    expect({ code: failed.code, stdout: failed.stdout }).toEqual({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("copy-fallback failed while applying ' M' to 'b.txt'");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("edited\n");
    git("init", "-q", join(tree, "inner"));
    expect((await apply(tree, root)).stderr).toContain("copy-fallback failed while");
    const none = await apply(base, root);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("git status failed in worktree");
    rmSync(join(tree, ".git"));
    expect((await apply()).stderr).toContain("git status failed in worktree");
    const usage = await apply(tree);
    expect(usage).toMatchObject({ code: 2, stdout: "" });
  });
});
