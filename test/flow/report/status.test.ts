import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import flow from "../../../src/flow/command.ts";
import { fromPlain, type JsonMap } from "../../../src/flow/common/lossless-json.ts";
import { progressOf } from "../../../src/flow/report/status/phases.ts";
import { specificationOf } from "../../../src/flow/report/status/specs.ts";
import { testHost } from "../../support/host.ts";
import { runRoom } from "../../support/room.ts";
import { runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";
import { writeWorkflow } from "../written.ts";

const NOW = Date.parse("2026-07-06T15:00:00Z");
const AUTH = "wf-auth-refactor-20260706-141203-1a2b3c4d";
const LOGIN = "wf-login-20260705-101010-0badcafe";

const phases = (...ids: string[]) => ids.map((phase_id) => ({ phase_id, title: `The ${phase_id}` }));
const FIVE = phases("phase_1", "phase_2", "phase_3", "phase_4", "phase_5");

function world() {
  const root = tempDir();
  const host = testHost({ cwd: root, now: () => NOW });
  const run = (...words: string[]) => runRoom(flow, ["status", ...words], host);
  const lines = async (...words: string[]) => (await run(...words)).stdout.split("\n");
  /** A workflow whose artifact was modified so many seconds ago. */
  const workflow = (
    id: string,
    secondsAgo: number,
    fields: Record<string, unknown> = {},
    events: Record<string, unknown>[] = [],
  ) => {
    const path = writeWorkflow(root, id, fields, events);
    const at = new Date(NOW - secondsAgo * 1_000);
    utimesSync(path, at, at);
  };
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  return { root, host, run, lines, workflow, write };
}

describe("a workflow in a few lines", () => {
  test("what it is for, how far, what happened last", async () => {
    const { run, workflow } = world();
    const fields = {
      updated_at: "2026-07-06T14:57:30Z",
      proof_status: "gaps_found",
      normalized_phases: FIVE,
      phase_cursor: "phase_2",
      phase_status: { phase_1: "completed", "build-implement": "completed" },
      worktree_branch: "wf-auth-refactor-1a2b3c4d",
      worktree_path: "/x",
    };
    const events = [
      { event: "agent_completed", agent: "component-builder", status: "COMPLETE", confidence: 90 },
    ];
    workflow(AUTH, 30, fields, events);
    expect((await run()).stdout).toBe(
      `🟢 RUNNING  BUILD    ${AUTH}   updated 2m ago
  goal: Add "login" page
  phases: ✓▶○○○  (phase_1:done · phase_2:▶running · phase_3:pending +2)   proof: gaps_found
  last: agent_completed · component-builder · COMPLETE · conf 90
  worktree: wf-auth-refactor-1a2b3c4d
`,
    );
  });

  test("a gate is said with its reason, and wins over everything", async () => {
    const { lines, workflow } = world();
    const history = [{ event: "memory_finalized" }];
    workflow(AUTH, 0, {
      workflow_type: "PLAN",
      pending_gate: "clarification",
      pending_gate_detail: { reason: "which\ndb" },
      status_history: history,
    });
    const [first, , blocked] = await lines();
    expect(first).toMatch(/^⚠️ {2}BLOCKED {2}PLAN {5}wf-auth/);
    expect(blocked).toBe("  ⛔ blocked: which db");
    workflow(AUTH, 0, { pending_gate: { reason: "old form" } });
    expect((await lines())[2]).toBe("  ⛔ blocked: old form");
    workflow(AUTH, 0, { pending_gate: "phase_blocked" });
    expect((await lines())[2]).toBe("  ⛔ blocked: phase_blocked");
  });

  test.each([
    [91, {}, [], "⏸  IDLE   "],
    [90, {}, [], "🟢 RUNNING"],
    [0, { status_history: [{ event: "workflow_complete" }] }, [], "✅ DONE   "],
    [0, {}, [{ event: "memory_finalized" }, { event: "compact_occurred" }], "✅ DONE   "],
    [0, {}, [{ event: "workflow_failed" }], "✅ DONE   "],
    [0, {}, [{ event: "agent_started", reason: "memory_finalized" }], "🟢 RUNNING"],
  ])("%d s after the last write, %j, %j: %s", async (age, fields, events, label) => {
    const { lines, workflow } = world();
    workflow(AUTH, age, fields, events);
    expect((await lines())[0]!.startsWith(`${label}  BUILD  `)).toBe(true);
  });

  test.each([
    ["2026-07-06T15:00:09+00:00", "0s ago"],
    ["2026-07-06T14:59:01.5", "58s ago"],
    ["2026-07-06T14:03:12.123456+00:00", "56m ago"],
    ["2026-07-06T15:00:00+02:00", "2h ago"],
    ["2026-07-04", "2d ago"],
    ["yesterday", "5m ago"],
    [null, "5m ago"],
  ])("updated_at %j is %s", async (updated_at, age) => {
    const { lines, workflow } = world();
    workflow(AUTH, 300, { updated_at });
    expect((await lines())[0]).toMatch(new RegExp(`   updated ${age}$`));
  });

  test("without a plan the steps are listed, and the cursor; without those nothing is", async () => {
    const { lines, workflow } = world();
    workflow(AUTH, 0, {
      phase_status: {
        "build-implement": "completed",
        "build-review": "in_progress",
        x: "skipped",
        y: "blocked",
      },
      phase_cursor: "p9",
      proof_status: "passed",
    });
    expect((await lines())[2]).toBe(
      "  phases: ✓build-implement:completed · ▶build-review:in_progress · ○x:skipped · ⚠y:blocked · ▶p9:running   proof: passed",
    );
    workflow(AUTH, 0, { user_request: "" }, [{ event: "agent_started", agent: "router" }]);
    expect((await lines()).slice(1, 5)).toEqual([
      "  goal: —",
      "  phases: —   proof: gaps_found",
      "  last: agent_started",
      "  worktree: —",
    ]);
  });

  test("the goal is one line of 120 characters, and cannot steer a terminal", async () => {
    const { lines, workflow } = world();
    workflow(AUTH, 0, { intent: { goal: `\x1b[2J a\n\tb ${"x".repeat(200)}` }, worktree_branch: "\u202eb" });
    const [, goal, , , worktree] = await lines();
    expect(goal).toMatch(/^ {2}goal: \\x1b\[2J a b x+…$/);
    expect([...goal!.replace("\\x1b", "E").slice("  goal: ".length)]).toHaveLength(120);
    expect(worktree).toBe("  worktree: \\u{202e}b");
  });

  test("the last event is the newest line that is one", async () => {
    const { lines, root, workflow } = world();
    workflow(AUTH, 0);
    const log = join(root, `.craftflow/state/workflows/${AUTH}.events.jsonl`);
    const long = JSON.stringify({ event: "agent_started", details: "x".repeat(200_000) });
    writeFileSync(log, `${JSON.stringify({ event: "first" })}\n${long}\nnot json\n[]\n{"event":`);
    expect((await lines())[3]).toBe("  last: agent_started");
    writeFileSync(log, '{"event":"only"}');
    expect((await lines())[3]).toBe("  last: only");
    rmSync(log);
    expect((await lines())[3]).toBe("  last: —");
  });
});

describe("which workflow", () => {
  test("the newest, or the one of the snapshot while that is open or nothing newer is", async () => {
    const { run, workflow, write } = world();
    const shown = async (...words: string[]) => /wf-\S+/.exec((await run(...words)).stdout)![0];
    const snapshot = (id: unknown) =>
      write(".craftflow/state/precompact-state.json", JSON.stringify({ workflow_uuid: id }));
    const done = { status_history: [{ event: "memory_finalized" }] };
    workflow(LOGIN, 1_000);
    workflow(AUTH, 500);
    expect(await shown()).toBe(AUTH);
    snapshot(LOGIN);
    expect(await shown()).toBe(LOGIN);
    workflow(LOGIN, 1_000, done);
    expect(await shown()).toBe(AUTH);
    workflow(AUTH, 500, done);
    expect(await shown()).toBe(LOGIN);
    workflow(AUTH, 2_000);
    expect(await shown()).toBe(LOGIN);
    for (const other of ["wf-gone", "../x", 5]) {
      snapshot(other);
      expect(await shown()).toBe(LOGIN);
    }
    write(".craftflow/state/precompact-state.json", "{bad");
    expect(await shown()).toBe(LOGIN);
    expect(await shown("--wf", "1a2b3c4d")).toBe(AUTH);
    expect(await shown("--wf", "wf-au")).toBe(AUTH);
  });

  test("by part of its goal, by its worktree or what that ends with", async () => {
    const { run, workflow } = world();
    workflow(LOGIN, 10, { user_request: "Add login", worktree_path: "/w/.claude/worktrees/login-0badcafe" });
    workflow(AUTH, 5, { intent: { goal: "Refactor LOGIN" }, worktree_branch: "wf-auth-refactor-1a2b3c4d" });
    const feature = await run("--feature", "login");
    expect([feature.stdout.includes(AUTH), feature.stderr]).toEqual([
      true,
      `2 workflows match login; this is the newest, the others: ${LOGIN}\n`,
    ]);
    expect((await run("--feature", "add L")).stdout).toContain(LOGIN);
    for (const place of [
      "/w/.claude/worktrees/login-0badcafe",
      "/w/.claude/worktrees/login-0badcafe/",
      "wf-x-0badcafe",
    ])
      expect((await run("--worktree", place)).stdout).toContain(LOGIN);
    expect((await run("--worktree", "wf-auth-refactor-1a2b3c4d")).stdout).toContain(AUTH);
  });

  test("what is not there fails and says so", async () => {
    const { run, workflow } = world();
    for (const words of [[], ["--all"], ["--json"], ["--wf", AUTH], ["--feature", "x"]]) {
      const { code, stderr, stdout } = await run(...words);
      expect([words, code, stdout]).toEqual([words, 1, ""]);
      expect(stderr).not.toBe("");
    }
    workflow(AUTH, 0);
    expect(await run("--wf", "wf-none")).toMatchObject({ code: 1, stderr: expect.stringContaining(AUTH) });
    expect(await run("--feature", "none")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("none"),
    });
    expect((await run("--worktree", "none")).code).toBe(1);
    expect((await run("--all", "--wf", AUTH)).code).toBe(2);
    expect((await run("--spec-dir", "x")).code).toBe(2);
  });

  test("one that cannot be read is passed over, with a word of it", async () => {
    const { run, workflow, write } = world();
    workflow(LOGIN, 10);
    write(`.craftflow/state/workflows/${AUTH}.json`, "{bad");
    for (const words of [[], ["--all"]]) {
      const { code, stderr, stdout } = await run(...words);
      expect([code, stdout.includes(LOGIN), stdout.includes(AUTH)]).toEqual([0, true, false]);
      expect(stderr).toMatch(new RegExp(`${AUTH}.json: line 1, column 2`));
    }
    expect((await run("--wf", AUTH)).code).toBe(1);
  });

  test("the project is the nearest with workflows, else what the host names", async () => {
    const { root, workflow } = world();
    workflow(AUTH, 0);
    mkdirSync(join(root, "a/b"), { recursive: true });
    const elsewhere = tempDir();
    const inside = await runJig(["flow", "status"], { cwd: join(root, "a/b") });
    const named = await runJig(["flow", "status"], { cwd: elsewhere, env: { CLAUDE_PROJECT_DIR: root } });
    const given = await runJig(["flow", "status", "--project", root], { cwd: elsewhere });
    for (const { code, stdout } of [inside, named, given])
      expect([code, stdout.includes(AUTH)]).toEqual([0, true]);
  });
});

describe("for programs and for all", () => {
  test("JSON has the artifact's values as they are", async () => {
    const { root, run, workflow, write } = world();
    workflow(AUTH, 0, { phase_status: { x: "PLACE" } });
    const artifact = `.craftflow/state/workflows/${AUTH}.json`;
    const text = readFileSync(join(root, artifact), "utf8").replace(
      '"x":"PLACE"',
      '"2":"pending","1":"pending"',
    );
    write(artifact, text);
    const { code, stdout } = await run("--json");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\{\n {2}"workflow_id": /);
    expect(stdout).toMatch(/"phase_status": \{\n {4}"2": "pending",\n {4}"1"/);
    expect(Object.keys(JSON.parse(stdout))).toEqual(
      "workflow_id workflow_type state phase_cursor phase_status proof_status quality pending_gate updated_at worktree_branch worktree_path goal last_event results telemetry context_usage".split(
        " ",
      ),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      goal: 'Add "login" page',
      last_event: { event: "workflow_started" },
      context_usage: null,
    });
    expect(JSON.parse((await run("--all", "--json")).stdout)).toHaveLength(1);
  });

  test("under upstream's name it is JSON as Python indents it, in ASCII", async () => {
    const { root, workflow } = world();
    workflow(AUTH, 0, { user_request: "é" });
    const { code, stdout } = await runJig(["--as", "craftflow_status_report.py", "--json"], { cwd: root });
    expect([code, JSON.parse(stdout).goal]).toEqual([0, "é"]);
    expect(stdout).toMatch(/^\{\n {2}"workflow_id": [\s\S]*"goal": "\\u00e9",\n/);
    const wrong = await runJig(["--as", "craftflow_status_report.py", "--nonsense"], { cwd: root });
    expect([wrong.code, wrong.stderr.startsWith("usage:")]).toEqual([2, true]);
  });

  test("every workflow has a row, newest first", async () => {
    const { lines, workflow } = world();
    workflow(LOGIN, 1_000, { user_request: `Add ${"x".repeat(80)}`, updated_at: null });
    workflow(AUTH, 0, { phase_cursor: "phase_2", workflow_type: "DEBUG" });
    const [header, rule, first, second] = await lines("--all");
    expect(header).toBe(
      "STATE            WORKFLOW ID                             TYPE     PHASE CURSOR            UPDATED     GOAL",
    );
    expect(rule).toBe("─".repeat(136));
    expect(first).toBe(
      `🟢 RUNNING        ${AUTH}  DEBUG    phase_2                 47m ago     Add "login" page`,
    );
    expect(second).toMatch(/^⏸ {2}IDLE {8,}wf-login\S+ {7}BUILD {4}— {23}16m ago {5}Add x{50}…$/u);
  });

  test("verbose adds what the artifact, the log and the memory say", async () => {
    const { run, workflow, write } = world();
    const criteria = ["first", "second", "third"];
    workflow(
      AUTH,
      0,
      {
        normalized_phases: [{ phase_id: "p1", title: "Build it", exit_criteria: criteria }],
        results: { builder: { STATUS: "COMPLETE", confidence: 90, SUMMARY: "built" }, hunter: null },
        task_ids: { verifier: "t7" },
        quality: { confidence: 0.5, convergence_state: "pending" },
      },
      [{ event: "agent_completed", agent: "code-reviewer", status: "PASS", ts: "2026-07-06T14:20:00Z" }],
    );
    const bullets = Array.from({ length: 10 }, (_, n) => `- l${n}\n`).join("");
    write(`.craftflow/state/workflows/${AUTH}/activeContext.md`, `## Learnings\n${bullets}\x1b[2J\n`);
    const { stdout } = await run("-v");
    const report = stdout.slice(stdout.indexOf("\nPhases\n"));
    expect(report).toBe(`
Phases
  ○ p1  Build it  (pending)
      - first
      - second

Agent Chain
  builder: COMPLETE · conf 90 · built
  reviewer: agent_completed · code-reviewer · PASS
  hunter: pending
  verifier: task t7
  doc_syncer: pending
  memory_finalize: pending

Quality
  confidence: 0.5
  convergence_state: pending

Event Timeline
  ?  workflow_started
  2026-07-06T14:20:00Z  agent_completed · code-reviewer · PASS

Narrative
  Learnings
${[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `    - l${n}`).join("\n")}
`);
  });
});

describe("progress", () => {
  const progress = (fields: object, done = false) => progressOf(fromPlain(fields) as JsonMap, done);

  test.each([
    [
      { normalized_phases: FIVE, phase_status: { phase_1: "completed", phase_2: "skipped" } },
      false,
      40,
      2,
      5,
    ],
    [{ phase_status: { a: "completed", b: "pending", c: "skipped" } }, false, 67, 2, 3],
    [{ phase_status: { a: "pending" } }, true, 100, 0, 1],
    [{ status_history: [{ event: "plan_saved" }] }, false, 25, 0, 0],
    [{ status_history: [{ event: "x" }], phase_cursor: "p" }, false, 20, 0, 0],
    [{ status_history: [{ event: "x" }] }, false, 0, 0, 0],
    [{ status_history: [{ event: "constructor" }] }, false, 0, 0, 0],
  ])("%j, done %j: %d %%", (fields, isDone, percent, done, total) => {
    expect(progress(fields, isDone)).toEqual({ percent, done, total });
  });

  test("half is rounded to even, and never leaves 0 to 100", () => {
    const of = (done: number, total: number) =>
      progress({
        phase_status: Object.fromEntries(
          Array.from({ length: total }, (_, n) => [`p${n}`, n < done ? "completed" : "pending"]),
        ),
      }).percent;
    expect([of(1, 8), of(3, 8), of(5, 8), of(7, 8)]).toEqual([12, 38, 62, 88]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (total, part) => {
        const done = part % (total + 1);
        expect(Math.abs(of(done, total) - (done * 100) / total)).toBeLessThanOrEqual(0.5);
      }),
    );
  });
});

describe("living specifications", () => {
  const SPEC = `---
status: draft
owner: "team-a"
---
# 0007: Login

## Impacted Packages

| Package | Why |
|---|---|
| \`web\` | form |
| api | |

## Other
| x | y |
`;

  test("are those of the directory that CLAUDE.md declares, or that is given", async () => {
    const { run, root, write } = world();
    expect(await run("--specs")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^No living-spec Doc Targets declared and no --spec-dir given\.\n/),
    });
    write("docs/specs/0007-login.md", SPEC);
    write("docs/specs/0008-logout.md", "**Status:** done\nOwner: me\n\n## Status\nnot: this\n");
    write("docs/specs/notes.md", "x");
    write(
      "CLAUDE.md",
      "# P\n## Other\ndir: no\n## Doc Targets\n- readme:\n  dir: no\n- living-spec:\n  dir: `docs/specs`\n",
    );
    const declared = JSON.parse((await run("--specs", "--json")).stdout);
    expect(declared).toEqual([
      {
        id: "0007",
        title: "Login",
        status: "draft",
        owner: "team-a",
        packages: ["web", "api"],
        path: "docs/specs/0007-login.md",
      },
      {
        id: "0008",
        title: "logout",
        status: "done",
        owner: "me",
        packages: [],
        path: "docs/specs/0008-logout.md",
      },
    ]);
    const given = await run("--specs", "--spec-dir", "docs/specs");
    expect(given.stdout.split("\n")[0]).toBe(
      "0007\tLogin\tdraft\tteam-a\tweb, api\tdocs/specs/0007-login.md",
    );
    expect((await run("--specs", "--spec-dir", join(root, "none"))).code).toBe(1);
  });

  test("any text is read", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(specificationOf("0001-a.md", text)).toMatchObject({ id: "0001" });
      }),
    );
  });
});
