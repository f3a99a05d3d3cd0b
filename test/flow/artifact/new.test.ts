import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Beginning, createWorkflow, firstArtifact } from "../../../src/flow/artifact/create.ts";
import { FIELDS } from "../../../src/flow/artifact/fields.ts";
import { layoutOf } from "../../../src/flow/common/layout.ts";
import { testHost } from "../../support/host.ts";
import { flowWorld, makeRepository, type World } from "../world.ts";

let at: World;
beforeEach(() => {
  at = flowWorld();
});

const BUILD = ["new", "--type", "BUILD", "--request", 'Add "login" page'];

describe("flow new", () => {
  test("flow-12 makes artifact, event log and directory", async () => {
    const made = await at.json(BUILD);
    const wf = made["workflow_uuid"] as string;
    expect(made).toMatchObject({
      slug: "login-page",
      project_root: at.root,
      artifact: at.layout.artifact(wf),
      events: at.layout.events(wf),
      state_dir: at.layout.memory(wf),
      session_id: null,
    });
    const artifact = at.artifact(wf);
    const atBeginning = Object.keys(FIELDS).filter((name) => name in artifact);
    expect(Object.keys(artifact)).toEqual(atBeginning);
    // All but the additions that are made when there is something to say.
    const later = ["pending_gate_detail", "phase_after", "worktree_base", "worktree_finalize"];
    expect(Object.keys(FIELDS).filter((name) => !(name in artifact))).toEqual(later);
    expect(artifact).toMatchObject({
      workflow_uuid: wf,
      workflow_id: wf,
      workflow_type: "BUILD",
      user_request: 'Add "login" page',
      status_history: [{ event: "workflow_started", phase: "build", ts: made["iso_timestamp"] }],
      created_at: made["iso_timestamp"],
      updated_at: made["iso_timestamp"],
      capabilities: { task_tools_available: "unknown", websearch_available: "unknown" },
      circuit_breaker: { remfix_count: 0, broken: false },
      phase_status: {},
    });
    expect(at.artifactText(wf)).toMatch(/^\{.*\}\n$/);
    expect(readFileSync(at.layout.events(wf), "utf8")).toBe(
      `{"ts":"${made["iso_timestamp"]}","wf":"${wf}","event":"workflow_started","host":"claude-code","phase":"build",` +
        '"task_id":null,"agent":"router","decision":"start","reason":"User request"}\n',
    );
    expect(readdirSync(at.layout.memory(wf))).toEqual([]);
    expect((await at.flow(BUILD)).stdout).toMatch(/^wf-login-page-\d{8}-\d{6}-[0-9a-f]{8}\n$/);
  });

  test("what is said of it is kept", async () => {
    const wf = await at.begin([
      ...["--type", "PLAN", "--request", "x", "--plan", "p.md", "--design", "d.md", "--host", "cursor"],
      ...[
        "--task-id",
        "9",
        "--task-tools",
        "false",
        "--session-id",
        "S",
        "--fallback-reason",
        "NO_REPO_FOUND",
      ],
    ]);
    expect(at.artifact(wf)).toMatchObject({
      plan_file: "p.md",
      design_file: "d.md",
      session_id: "S",
      capabilities: { task_tools_available: false },
      status_history: [
        { event: "workflow_started", phase: "plan" },
        { event: "project_root_resolution_fallback", reason: "NO_REPO_FOUND" },
      ],
    });
    expect(at.events(wf)).toMatchObject([
      { event: "workflow_started", host: "cursor", phase: "plan", task_id: "9" },
      { event: "project_root_resolution_fallback", reason: "NO_REPO_FOUND", phase: null, agent: null },
    ]);
  });

  test("several repositories are a question: exit 3, nothing made", async () => {
    const path = join(at.base, "W");
    for (const name of ["a", "b"]) makeRepository(join(path, name));
    const run = await at.flow(BUILD, { cwd: path });
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toContain(join(path, "b"));
    expect(readdirSync(path).sort()).toEqual(["a", "b"]);
    const named = await at.json(["new", "--type", "BUILD", "--request", "mend b"], { cwd: path });
    expect(named).toMatchObject({ project_root: join(path, "b") });
  });

  test("the root's document brings the allowlist, what was dropped and why the root is a guess", async () => {
    const path = join(at.base, "W");
    makeRepository(join(path, "a"));
    writeFileSync(join(path, ".craftflow-workspace.json"), '{"writable_paths":["X.md","a"]}');
    const file = join(at.base, "root.json");
    writeFileSync(file, JSON.stringify(await at.json(["root", "--cwd", path])));
    const made = await at.json(["new", "--type", "BUILD", "--request", "x", "--root-json", file]);
    const artifact = JSON.parse(readFileSync(made["artifact"] as string, "utf8"));
    expect(made).toMatchObject({ project_root: join(path, "a") });
    expect(artifact.workspace_writable_paths).toEqual([join(path, "X.md")]);
    const dropped = [{ entry: "a", reason: "resolves_inside_nested_repo" }];
    expect(artifact.status_history[1]).toMatchObject({
      event: "workspace_writable_paths_entries_dropped",
      dropped,
    });
    const plain = join(at.base, "plain");
    mkdirSync(plain);
    const found = JSON.stringify(await at.json(["root", "--cwd", plain]));
    const fell = await at.json(["new", "--type", "PLAN", "--request", "x", "--root-json", "-"], {
      stdin: found,
    });
    expect(JSON.parse(readFileSync(fell["artifact"] as string, "utf8")).status_history[1]).toMatchObject({
      event: "project_root_resolution_fallback",
      reason: "NO_REPO_FOUND",
    });
  });

  test("flow-57 --project and --root-json have to name one directory", async () => {
    const [a, b] = [join(at.base, "A"), join(at.base, "B")];
    for (const path of [a, b]) mkdirSync(path);
    const file = join(at.base, "root.json");
    const found = await at.json(["root", "--cwd", b]);
    writeFileSync(file, JSON.stringify({ ...found, workspace_writable_paths: ["/w/X"] }));
    const words = ["new", "--type", "BUILD", "--request", "x", "--root-json", file, "--project"];
    const run = await at.flow([...words, a]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect([existsSync(join(a, ".craftflow")), existsSync(join(b, ".craftflow"))]).toEqual([false, false]);
    const made = await at.json([...words, b]);
    const artifact = JSON.parse(readFileSync(made["artifact"] as string, "utf8"));
    expect(artifact.workspace_writable_paths).toEqual(["/w/X"]);
  });

  test.each([
    ["{bad", "line 1, column 2"],
    ["{}", "outcome"],
    ['{"outcome":"SINGLE_REPO","project_root":5}', "project_root"],
  ])("a document that is none is refused: %s", async (text, said) => {
    const run = await at.flow([...BUILD, "--root-json", at.write("root.json", text)]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(said);
    expect(existsSync(at.layout.state)).toBe(false);
  });

  test("a root that is not there, and an allowlist that is not absolute", async () => {
    const found = await at.json(["root"]);
    for (const wrong of [{ project_root: "/does/not/exist" }, { workspace_writable_paths: ["x"] }]) {
      const file = at.write("root.json", JSON.stringify({ ...found, ...wrong }));
      expect(await at.flow([...BUILD, "--root-json", file])).toMatchObject({ code: 1, stdout: "" });
    }
    const ambiguous = { ...found, outcome: "AMBIGUOUS", project_root: null, candidates: ["/a", "/b"] };
    const file = at.write("root.json", JSON.stringify(ambiguous));
    const run = await at.flow([...BUILD, "--root-json", file]);
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toContain("/b");
    expect(await at.flow([...BUILD, "--project", "nothere"])).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(at.layout.state)).toBe(false);
  });

  test("a failure removes what this call made, and nothing else", async () => {
    const beginning: Beginning = {
      ...{
        id: "wf-a",
        at: "2026-07-06T12:00:03Z",
        request: "x",
        phase: "build",
        agentHost: "h",
        taskId: null,
      },
      ...{ taskTools: true, sessionId: null, plan: null, design: null, fallbackReason: null },
      ...{ type: "BUILD", writablePaths: [], dropped: [] },
    };
    const host = testHost();
    mkdirSync(at.layout.artifact("wf-a"), { recursive: true });
    expect(() => createWorkflow(host, at.layout, beginning)).toThrow(/wf-a\.json exists already/);
    expect(readdirSync(at.layout.workflows)).toEqual(["wf-a.json"]);
    writeFileSync(at.layout.events("wf-b"), "theirs");
    expect(() => createWorkflow(host, at.layout, { ...beginning, id: "wf-b" })).toThrow(/exists already/);
    expect(readFileSync(at.layout.events("wf-b"), "utf8")).toBe("theirs");
    const fresh = layoutOf(join(at.base, "fresh"));
    expect(() =>
      createWorkflow(host, fresh, { ...beginning, request: "x", phase: "p".repeat(70_000) }),
    ).toThrow(/phase is too long/);
    expect(existsSync(fresh.root)).toBe(false);
    expect(firstArtifact(beginning).get("workflow_uuid")).toBe("wf-a");
  });

  test("a state directory that leads out of the project is refused", async () => {
    const elsewhere = join(at.base, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(at.root, ".craftflow"));
    const run = await at.flow(BUILD);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("leads out of the project");
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
