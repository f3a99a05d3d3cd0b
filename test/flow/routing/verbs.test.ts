import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import flow from "../../../src/flow/command.ts";
import { testHost } from "../../support/host.ts";
import { runRoom } from "../../support/room.ts";
import { runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";
import { readLog, readWorkflow, writeWorkflow } from "../written.ts";

const WF = "wf-login-20260706-141203-1a2b3c4d";

function world(stdin = "") {
  const root = tempDir();
  const host = testHost({ cwd: root, home: root, stdin: async () => new TextEncoder().encode(stdin) });
  const run = (...words: string[]) => runRoom(flow, words, host);
  const json = async (...words: string[]) => JSON.parse((await run(...words, "--json")).stdout);
  const memory = (text: string) => {
    mkdirSync(join(root, ".craftflow/state/project"), { recursive: true });
    writeFileSync(join(root, ".craftflow/state/project/activeContext.md"), text);
  };
  return { root, run, json, memory };
}

describe("route", () => {
  test("flow-43 the workflow and the words that chose it", async () => {
    const { run } = world();
    const text = async (request: string) => (await run("route", request)).stdout;
    expect(await text("plan the fix for login")).toBe("-> DEBUG workflow (signals: fix)\n");
    expect(await text("explain the prefix tree")).toBe(
      "-> BUILD workflow (signals: default)\n-> FAST-PATH BUILD (no risk signals)\n",
    );
    expect(await text("design an audit page")).toBe("-> PLAN workflow (signals: design)\n");
    expect(await text("")).toMatch(/^-> BUILD workflow/);
  });

  test("as JSON with the chain, what was outvoted and the length of a build", async () => {
    const { json } = world();
    expect(await json("route", "--request", "review the roadmap")).toEqual({
      workflow: "PLAN",
      priority: 2,
      signal: "PLAN",
      signals: ["roadmap"],
      other_signals: { REVIEW: ["review"] },
      chain: "brainstorming -> planner -> bounded fresh review loop",
      announce: "-> PLAN workflow (signals: roadmap)",
      advisory: false,
      build: null,
      live_scope_marker: null,
    });
    expect(await json("route", "is this good")).toMatchObject({ advisory: true, chain: "code-reviewer" });
    expect(await json("route", "race", "--host", "cursor")).toMatchObject({
      chain:
        "component-builder -> [code-reviewer || silent-failure-hunter] -> integration-verifier -> memory",
      build: { build_mode: "standard", matches: [{ group: "host" }] },
    });
    expect(await json("route", "race")).toMatchObject({
      chain: "component-builder -> integration-verifier -> memory",
      build: { build_mode: "fast_path" },
    });
  });

  test("flow-58 a scope decision that is pending in the project is named", async () => {
    const base = tempDir();
    for (const name of ["alpha", "beta"]) mkdirSync(join(base, name, ".git"), { recursive: true });
    const memory = join(base, "alpha/.craftflow/state/project");
    mkdirSync(memory, { recursive: true });
    writeFileSync(
      join(memory, "activeContext.md"),
      `# Active Context\n## Decisions\n- a\n[SCOPE-DECISION-PENDING: wf:${WF} reason:auth hole]\n\n## Learnings\n`,
    );
    const ask = async (project: string) =>
      runJig(["flow", "route", "--request", "next", "--project", project, "--json"], { cwd: base });
    const asked = await ask(join(base, "alpha"));
    expect([asked.code, JSON.parse(asked.stdout).live_scope_marker]).toEqual([0, WF]);
    expect(asked.stderr).toContain(`jig flow scope answer ${WF}`);
    expect(JSON.parse((await ask(join(base, "beta"))).stdout).live_scope_marker).toBeNull();
  });

  test("memory that cannot be read is said, and stops no routing", async () => {
    const { memory, root, run } = world();
    memory("");
    writeFileSync(join(root, ".craftflow/state/project/activeContext.md"), Buffer.from([0xff]));
    const { code, stderr, stdout } = await run("route", "plan it");
    expect([code, stdout]).toEqual([0, "-> PLAN workflow (signals: plan)\n"]);
    expect(stderr).toContain("not valid UTF-8");
  });

  test("the request comes from one place; a file loses one newline", async () => {
    const { root, run } = world("a fix\n");
    for (const words of [[], ["a", "--request", "b"], ["a", "--request-file", "f"], ["a", "b"]]) {
      expect((await run("route", ...words)).code).toBe(2);
    }
    expect((await run("route", "--request-file", "-")).stdout).toContain("DEBUG");
    expect((await run("route", "--request-file", join(root, "none"))).code).toBe(1);
    expect((await run("route", "a", "--project", join(root, "none"))).code).toBe(2);
  });
});

describe("fast-path", () => {
  test("flow-44 the risk signals of a request", async () => {
    const { run } = world();
    expect((await run("fast-path", "Add OAuth login, schema-change later")).stdout).toBe(
      "-> FULL BUILD (risk signals: auth, oauth, schema change)\n",
    );
    expect((await run("fast-path", "rename a button")).stdout).toBe("-> FAST-PATH BUILD (no risk signals)\n");
    expect((await run("fast-path", "ship it", "--add", "Ship", "--add", "it")).stdout).toBe(
      "-> FULL BUILD (risk signals: ship, it)\n",
    );
    expect((await run("fast-path", "x", "--add", " - ")).code).toBe(2);
  });

  test("flow-45 only a build on the short way is escalated, and once", async () => {
    const { root, run } = world();
    writeWorkflow(root, WF, { build_mode: "standard" });
    expect((await run("fast-path", "escalate", WF)).code).toBe(1);
    writeWorkflow(root, WF, { build_mode: "fast_path" });
    expect(await run("fast-path", "escalate", "1a2b3c4d")).toEqual({
      code: 0,
      stdout: "-> FAST-PATH BUILD [ESCALATED] (verifier FAIL — reviewer + hunter spawned)\n",
      stderr: "",
    });
    expect(readWorkflow(root, WF)).toMatchObject({
      build_mode: "fast_path_escalated",
      fast_path_escalated: true,
    });
    expect(readLog(root, WF).at(-1)).toMatchObject({
      event: "fast_path_escalated",
      reason: "verifier FAIL on fast path",
    });
    expect((await run("fast-path", "escalate", WF)).code).toBe(1);
    expect(readLog(root, WF)).toHaveLength(2);
  });

  test("is recorded in a build that has no mode yet, or this one", async () => {
    const { root, run } = world();
    writeWorkflow(root, WF);
    expect((await run("fast-path", "add auth", "--wf", WF)).code).toBe(0);
    expect(readWorkflow(root, WF)).toMatchObject({
      build_mode: "standard",
      fast_path_risk_signals: ["auth"],
      fast_path_escalated: false,
    });
    expect((await run("fast-path", "add jwt", "--wf", WF)).code).toBe(0);
    const refused = await run("fast-path", "rename a button", "--wf", WF);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("--replace")]);
    expect(readWorkflow(root, WF)).toMatchObject({ build_mode: "standard", fast_path_risk_signals: ["jwt"] });
    expect((await run("fast-path", "rename a button", "--wf", WF, "--replace")).code).toBe(0);
    expect((await run("fast-path", "escalate", WF)).code).toBe(0);
    expect((await run("fast-path", "x", "--wf", WF, "--replace")).code).toBe(1);
    writeWorkflow(root, WF, { workflow_type: "DEBUG" });
    expect((await run("fast-path", "x", "--wf", WF)).code).toBe(1);
  });

  test.each([
    ["escalate"],
    ["escalate", WF, "--wf", WF],
    ["escalate", WF, "--add", "x"],
    ["rename", "a"],
    [],
  ])("%j %j is a usage error", async (...words) => {
    expect((await world().run("fast-path", ...words)).code).toBe(2);
  });
});

describe("fix-verify", () => {
  test("a text fires by its words", async () => {
    const { json, run } = world("a DEFECT");
    expect(await run("fix-verify", "prefix")).toMatchObject({ code: 0, stdout: "fires\n" });
    expect(await run("fix-verify", "add a page")).toMatchObject({ code: 1, stdout: "does not fire\n" });
    expect((await run("fix-verify", "")).code).toBe(1);
    expect(await json("fix-verify", "--from", "-")).toEqual({
      fires: true,
      keywords: ["defect"],
      source: "text",
    });
    expect((await run("fix-verify")).code).toBe(2);
    expect((await run("fix-verify", "x", "--wf", WF)).code).toBe(2);
  });

  test.each([
    [{ workflow_type: "DEBUG" }, true, "workflow_type"],
    [{ workflow_type: "PLAN", user_request: "fix" }, false, "workflow_type"],
    [{ user_request: "patch it" }, true, "user_request"],
    [{ user_request: 5 }, false, "user_request"],
    [
      {
        user_request: "fix",
        phase_cursor: "p2",
        normalized_phases: [
          { phase_id: "p1", objective: "fix" },
          { phase_id: "p2", objective: "add" },
        ],
      },
      false,
      "objective",
    ],
    [{ phase_cursor: "p1", normalized_phases: [{ phase_id: "p1", objective: "close" }] }, true, "objective"],
    [
      { user_request: "fix", phase_cursor: null, normalized_phases: [{ phase_id: "p1" }] },
      false,
      "objective",
    ],
  ])("workflow %j: %j by its %s", async (fields, fires, source) => {
    const { json, root } = world();
    writeWorkflow(root, WF, fields);
    expect(await json("fix-verify", "--wf", "@latest")).toMatchObject({ fires, source });
  });
});

describe("task-check and contract-check", () => {
  test("flow-46 what is missing is named, one line each", async () => {
    const { run } = world("wf:wf-x\nkind:remfix\nphase:re-review\n");
    const { code, stderr, stdout } = await run("task-check", "-");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^origin: .*\nreason: .*\n$/);
    expect(stderr).toContain("no artifact for workflow wf-x");
    const pending = world("wf:PENDING_SELF\nkind:agent\nphase:build\nplan:N/A\n");
    expect((await pending.run("task-check", "--from", "-")).stdout).toMatch(/^wf: PENDING_SELF/);
  });

  test("a task of a workflow that is there", async () => {
    const text = `wf:${WF}\nkind:agent\norigin:router\nphase:build-review\nplan:N/A\nscope:N/A\nreason:N/A\n`;
    const { json, root, run } = world(text);
    writeWorkflow(root, WF);
    expect(await run("task-check", "--subject", "CRAFTFLOW x", "-")).toEqual({
      code: 0,
      stdout: "ok\n",
      stderr: "",
    });
    expect(await json("task-check", "-")).toMatchObject({
      valid: true,
      warnings: [],
      metadata: { wf: WF, phase: "build-review" },
    });
    expect((await run("task-check")).code).toBe(2);
    expect((await run("task-check", "-", "--from", "x")).code).toBe(2);
  });

  test("what a task says cannot steer a terminal", async () => {
    const { run } = world("wf:a\nkind:\x1b[2J\nphase:\u202e\n");
    const { stdout } = await run("task-check", "-");
    expect(stdout).toContain("\\x1b[2J");
    expect(stdout).not.toMatch(/[\x1b\u202e]/);
  });

  test("a contract's report is one line of JSON, exit 0 but for --strict", async () => {
    const { run } = world("### Router Contract (MACHINE-READABLE)\n```yaml\nSTATUS: SO-SO é\n```\n");
    const loose = await run("contract-check", "--kind", "x");
    expect([loose.code, loose.stdout]).toEqual([
      0,
      expect.stringMatching(/^\{"valid": false, "errors": \["invalid STATUS: 'SO-SO \\u00e9'; /),
    ]);
    expect((await run("contract-check", "--kind", "x", "--strict")).code).toBe(1);
    expect((await run("contract-check", "--kind", "x", "--json")).stdout).toBe(loose.stdout);
    expect((await run("contract-check")).code).toBe(2);
  });

  test("upstream's name reads stdin, and names a flag that is missing", async () => {
    const run = (...words: string[]) =>
      runJig(["--as", "craftflow_contract_validate.py", ...words], { cwd: tempDir(), stdin: "no contract" });
    expect(await run("--kind", "planner")).toMatchObject({
      code: 0,
      stdout: '{"valid": false, "errors": ["no Router Contract YAML block found"]}\n',
    });
    const wrong = await run();
    expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
    expect(wrong.stderr).toMatch(/^usage:[\s\S]*the following arguments are required: --kind/);
  });
});
