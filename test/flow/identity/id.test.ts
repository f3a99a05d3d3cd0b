import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { isTaken } from "../../../src/flow/artifact/create.ts";
import { mintId } from "../../../src/flow/identity/mint.ts";
import { testHost } from "../../support/host.ts";
import { runJig } from "../../support/run.ts";
import { flowWorld, makeRepository, type World } from "../world.ts";

let at: World;
beforeEach(() => {
  at = flowWorld();
});

const NOON = Date.UTC(2026, 6, 6, 12, 0, 3, 999);

describe("flow id", () => {
  test("flow-9 slug, moment and eight hexadecimal digits", async () => {
    const words = ["id", "--request", "fix: the bug (#123) in v1.2.3", "--branch", "main"];
    const run = await at.flow(words);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^wf-fix-bug-123-v1-2-3-\d{8}-\d{6}-[0-9a-f]{8}\n$/);
    expect(await at.json(words, { now: NOON })).toMatchObject({
      timestamp: "20260706-120003",
      iso_timestamp: "2026-07-06T12:00:03Z",
    });
  });

  test("flow-11 without a request there is no id", async () => {
    expect(await at.flow(["id"])).toMatchObject({ code: 2, stdout: "" });
    expect((await at.flow(["id", "--request", ""])).stdout).toMatch(/^wf-task-/);
  });

  test("the request also comes from a file or stdin, not from both", async () => {
    const file = at.write("request.txt", "The login page\n");
    expect((await at.flow(["id", "--request-file", file])).stdout).toMatch(/^wf-login-page-/);
    expect((await at.flow(["id", "--request-file", "-"], { stdin: "x y" })).stdout).toMatch(/^wf-x-y-/);
    expect(await at.flow(["id", "--request-file", file, "--request", "x"])).toMatchObject({ code: 2 });
    expect(await at.flow(["id", "--request-file", "nothere"])).toMatchObject({ code: 1, stdout: "" });
  });

  test("the branch of the working directory is the source, then that of the project", async () => {
    const slug = async (words: string[], cwd = at.root) =>
      (await at.json(["id", "--request", "Hello world", ...words], { cwd }))["slug"];
    expect(await slug([])).toBe("hello-world");
    at.git("checkout", "-q", "-b", "feature/auth-refactor");
    expect(await slug([])).toBe("auth-refactor");
    expect(await slug(["--branch", ""])).toBe("hello-world");
    expect(await slug([], at.base)).toBe("hello-world");
    expect(await slug(["--project", at.root], at.base)).toBe("auth-refactor");
    at.git("checkout", "-q", "--detach");
    expect(await slug(["--project", at.root])).toBe("hello-world");
  });

  test("an id that is taken is rolled again, eight times at most", () => {
    const rolled: string[] = [];
    const roll = () => {
      rolled.push(String(rolled.length).padStart(8, "0"));
      return rolled.at(-1)!;
    };
    const options = { request: "x", branch: undefined, roll };
    const host = testHost({ now: () => NOON });
    const taken = (id: string) => Number(id.slice(-8)) < 7;
    expect(mintId(host, { ...options, isTaken: taken }).short_hex).toBe("00000007");
    expect(() => mintId(host, { ...options, isTaken: () => true })).toThrow(/no free workflow id .* 8 tries/);
    expect(rolled).toHaveLength(16);
  });

  test("taken is what has a log, an artifact or a directory; a project may be missing", async () => {
    mkdirSync(at.layout.workflows, { recursive: true });
    writeFileSync(at.layout.events("wf-a"), "");
    mkdirSync(at.layout.memory("wf-b"));
    expect(["wf-a", "wf-b", "wf-c"].map((id) => isTaken(at.layout, id))).toEqual([true, true, false]);
    const run = await at.flow(["id", "--request", "x", "--project", join(at.base, "nowhere")]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
  });

  test("flags of later upstream releases: the session, assignments, the artifact", async () => {
    const session = { CLAUDE_CODE_SESSION_ID: "abcdefgh-1" };
    expect(await at.flow(["id", "--session-id"], { env: session })).toMatchObject({ stdout: "abcdefgh-1\n" });
    for (const env of [{}, { CLAUDE_CODE_SESSION_ID: "short" }, { CLAUDE_CODE_SESSION_ID: "-bcdefgh1" }]) {
      expect(await at.flow(["id", "--session-id"], { env })).toMatchObject({ code: 0, stdout: "\n" });
    }
    const env = (await at.flow(["id", "--request", "x", "--emit-env"], { env: session })).stdout;
    expect(env).toMatch(
      /^workflow_uuid=wf-x-\S+\niso_timestamp=\S+Z\nworktree_dir=x-\w{8}\nworktree_branch=wf-x-\w{8}\nsession_id=abcdefgh-1\nsession_id_json="abcdefgh-1"\n$/,
    );
    expect((await at.flow(["id", "--request", "x", "--emit-env"])).stdout).toMatch(
      /\nsession_id=\nsession_id_json=null\n$/,
    );
    const init = ["id", "--request", "x", "--init-artifact"];
    const missing = await at.flow([...init, "--project", at.root, "--phase", "build"]);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toContain("--workflow-type, --task-tools-available");
    const whole = [
      ...[...init, "--project", at.root, "--phase", "build", "--workflow-type", "BUILD"],
      ...["--task-tools-available", "true", "--task-id", "7", "--fallback-reason", "NO_REPO_FOUND"],
      ...["--workspace-writable-paths-json", '["/w/x"]'],
      ...["--writable-paths-dropped-json", '[{"entry":"a","reason":"r"}]'],
    ];
    expect(await at.flow([...whole.slice(0, -1), "{}"])).toMatchObject({ code: 2, stdout: "" });
    const made = await at.json(whole, { env: session });
    expect(made).toMatchObject({ slug: "x", session_id: "abcdefgh-1", session_id_json: '"abcdefgh-1"' });
    const wf = made["workflow_uuid"] as string;
    expect(at.artifact(wf)).toMatchObject({
      workflow_type: "BUILD",
      session_id: "abcdefgh-1",
      workspace_writable_paths: ["/w/x"],
      capabilities: { task_tools_available: true },
    });
    expect(at.events(wf)).toMatchObject([
      { event: "workflow_started", task_id: "7", phase: "build" },
      { event: "project_root_resolution_fallback", reason: "NO_REPO_FOUND" },
      { event: "workspace_writable_paths_entries_dropped", dropped: [{ entry: "a", reason: "r" }] },
    ]);
    expect(readdirSync(at.layout.workflows)).toHaveLength(3);
  });

  test("a repository without a commit has no branch", async () => {
    const bare = join(at.base, "unborn");
    mkdirSync(bare);
    makeRepository(join(at.base, "other"));
    const run = await runJig(["flow", "id", "--request", "x y"], { cwd: bare });
    expect(run.stdout).toMatch(/^wf-x-y-/);
  });
});
