import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { dropInNames } from "../../../src/cli/names/names.ts";
import { runJig } from "../../support/run.ts";
import { ambiguous, flowWorld, type World, workspace } from "../world.ts";

const ROOT = "craftflow_resolve_workspace_root.py";
const ID = "craftflow_workflow_id.py";
const isDeclared = (name: string) => dropInNames().includes(name);

let at: World;
beforeEach(() => {
  at = flowWorld();
});

const root = (...words: string[]) => runJig(["--as", ROOT, ...words], { cwd: at.root });
const id = (...words: string[]) => runJig(["--as", ID, ...words], { cwd: at.base });

describe.skipIf(!isDeclared(ROOT))(ROOT, () => {
  test("flow-6 a directory that cannot be listed fails, and prints nothing", async () => {
    const run = await root("--cwd", "/does/not/exist", "--request", "x");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^craftflow_resolve_workspace_root: .*no such file or directory/);
  });

  test("flow-7 what a workspace allows to be written, and what was dropped", async () => {
    const path = workspace(at);
    const entries = ["CONTRACTS.md", "../x", "alpha", 5, null];
    writeFileSync(join(path, ".craftflow-workspace.json"), JSON.stringify({ writable_paths: entries }));
    const asked = async () => {
      return (await root("--cwd", path, "--request", "beta")).stdout;
    };
    expect(await asked()).toBe(
      `{"outcome": "DETERMINISTIC", "project_root": "${path}/beta", ` +
        `"workspace_writable_paths": ["${path}/CONTRACTS.md"], "workspace_writable_paths_dropped": ` +
        '[{"entry": "../x", "reason": "not_a_direct_workspace_root_child"}, ' +
        '{"entry": "alpha", "reason": "resolves_inside_nested_repo"}, ' +
        '{"entry": "5", "reason": "not_a_string"}, {"entry": "None", "reason": "not_a_string"}]}\n',
    );
    execFileSync("rm", [join(path, ".craftflow-workspace.json")]);
    expect(await asked()).toBe(`{"outcome": "DETERMINISTIC", "project_root": "${path}/beta"}\n`);
  });

  test("the upstream name answers every outcome with exit 0, and wants both flags", async () => {
    const path = workspace(at);
    const several = await root("--cwd", path, "--request", "");
    expect(several.code).toBe(0);
    expect(JSON.parse(several.stdout)).toEqual({ outcome: "AMBIGUOUS", candidates: ambiguous(path) });
    const none = await root("--cwd", join(path, "plain"), "--request", "x");
    expect(none).toMatchObject({ code: 0, stdout: '{"outcome": "NO_REPO_FOUND"}\n' });
    const missing = await root("--cwd", path);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^usage: .*\n.*the following arguments are required: --request\n/);
    expect((await root("--cwd", path, "--request", "x", "--json")).stderr).toMatch(/^usage:/);
  });
});

describe.skipIf(!isDeclared(ID))(ID, () => {
  test("flow-10 under the upstream name: seven keys, Python's JSON", async () => {
    const { stdout, code } = await id("--request", "x", "--branch", "Feature/Auth", "--json");
    expect(code).toBe(0);
    const made = JSON.parse(stdout);
    expect(Object.keys(made)).toEqual([
      ...["workflow_uuid", "slug", "short_hex", "timestamp", "iso_timestamp"],
      ...["worktree_dir", "worktree_branch"],
    ]);
    expect(stdout).toContain('", "slug": "auth", ');
    expect([made.worktree_dir, made.worktree_branch]).toEqual([
      `auth-${made.short_hex}`,
      `wf-auth-${made.short_hex}`,
    ]);
    expect(made.workflow_uuid).toBe(`wf-auth-${made.timestamp}-${made.short_hex}`);
  });

  test("wants a request", async () => {
    const run = await id("--branch", "x");
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(/^usage: .*\n.*the following arguments are required: --request\n/);
    expect((await id("--session-id")).code).toBe(0);
  });

  test("looks for the branch in the working directory alone", async () => {
    at.git("checkout", "-q", "-b", "feature/auth-refactor");
    const run = await id("--request", "Hello world", "--project", at.root);
    expect(run.stdout).toMatch(/^wf-hello-world-/);
  });
});
