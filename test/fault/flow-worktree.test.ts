/**
 * `flow worktree create` and `unlock`, met at every call: a worktree is recorded only when it is there, nothing of anyone's
 * is lost, and the next call works. Finalize has a killer of its own (test/flow/worktree/finalize-resume.test.ts).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { putArtifact, repositoryWorld, WF } from "../flow/worktree/world.ts";
import { JIG } from "../support/paths.ts";
import { faults } from "./harness.ts";

function project() {
  const world = repositoryWorld();
  const { root, env } = world;
  putArtifact(root, WF);
  const path = join(root, `.craftflow/state/workflows/${WF}.json`);
  const artifact = () => JSON.parse(readFileSync(path, "utf8"));
  return { ...world, directory: root, cwd: root, env: { ...env, PATH: process.env["PATH"] }, artifact };
}

faults({
  what: "flow worktree create",
  least: 4,
  most: 8,
  // Calls are counted for each process: those of git and of the runtime's start share their numbers.
  elusive: true,
  prepare: () => ({ ...project(), command: [JIG, "flow", "worktree", "create", WF] }),
  async holds({ root, git, jig, artifact }, { fate, code, stdout }) {
    const { worktree_mode: mode, worktree_path: path, of_a_newer_version: unknown } = artifact();
    expect(unknown).toEqual({ "1": 1 });
    if (mode === "auto_created") expect(readFileSync(join(path, "README.md"), "utf8")).toBe("one\n");
    // A fallback leaves no half of a worktree behind; a kill meets every git that is called, also the one that tidies up.
    else if (fate !== "KILL" && code === 0 && stdout === "main tree\n") {
      expect(git("worktree", "list").trim().split("\n").length).toBe(1);
      expect(git("branch", "--list", "wf-*")).toBe("");
    }
    expect(git("status", "--porcelain").replace("?? .claude/\n", "").replace("?? .craftflow/\n", "")).toBe(
      "",
    );
    rmSync(join(root, ".git/index.lock"), { force: true });
    const again = await jig(["flow", "worktree", "create", WF, "--json"]);
    expect({ code: again.code, said: again.stderr }).toMatchObject({ code: 0 });
    const now = JSON.parse(again.stdout);
    expect(["created", "reused", "fallback"]).toContain(now.outcome);
    if (mode === "auto_created") expect(now).toMatchObject({ outcome: "reused", worktree_path: path });
  },
});

faults({
  what: "flow worktree unlock",
  least: 2,
  elusive: true,
  prepare() {
    const made = project();
    const lock = join(made.root, ".claude/worktrees/.merge.lock");
    mkdirSync(lock, { recursive: true });
    const metadata = join(lock, "metadata.json");
    writeFileSync(metadata, '{"workflow_uuid":"wf-other","worktree_path":"/nowhere"}');
    const then = new Date(Date.now() - 3 * 3_600_000);
    utimesSync(lock, then, then);
    return { ...made, lock, metadata, command: [JIG, "flow", "worktree", "unlock", "--yes"] };
  },
  async holds({ root, lock, metadata, jig }, { killed, code }) {
    // The lock is there whole, or it is gone.
    if (existsSync(lock) && existsSync(metadata))
      expect(readFileSync(metadata, "utf8")).toContain("wf-other");
    if (!killed && code === 0) expect(existsSync(lock)).toBe(false);
    expect((await jig(["flow", "worktree", "unlock", "--yes"])).code).toBe(0);
    expect(existsSync(lock)).toBe(false);
    const beside = readdirSync(join(root, ".claude/worktrees"));
    if (!killed && code === 0) expect(beside).toEqual([]);
  },
});
