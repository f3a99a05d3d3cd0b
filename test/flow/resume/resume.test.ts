import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Candidate, select } from "../../../src/flow/resume/select.ts";
import { type MemoryWorld, memoryWorld, PROJECT, WF } from "../memory/world.ts";

const OTHER = "wf-logout-20260706-151203-5e6f7a8b";
const SESSION = "session-0001";

/** Every file below the state directory with its bytes and time. */
function snapshot(world: MemoryWorld): unknown {
  const state = join(world.root, ".craftflow");
  return readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, readFileSync(path, "utf8"), statSync(path).mtimeMs]);
}

const done = { status_history: [{ event: "workflow_started" }, { event: "memory_finalized" }] };

describe("which workflow", () => {
  test("flow-29 none; one; two; two of which one is the session's", async () => {
    const world = memoryWorld();
    expect(await world.flow(["resume"])).toEqual({ code: 1, stdout: "", stderr: "" });
    expect(await world.json("resume")).toMatchObject({ answer: "NONE", scoped_by: null, candidates: [] });
    world.workflow(WF, { intent: { goal: "log in" } });
    const one = await world.flow(["resume"]);
    expect(one).toMatchObject({ code: 0, stderr: "" });
    expect(one.stdout).toMatch(
      new RegExp(`^workflow\\t${WF}\\ntype\\tBUILD\\ngate\\tnone\\ncursor\\tnone\\n`),
    );
    expect(await world.json("resume")).toMatchObject({
      answer: "RESUME",
      scoped_by: "only_open",
      workflow_uuid: WF,
    });
    world.workflow(OTHER, { session_id: SESSION });
    const two = await world.flow(["resume"]);
    expect(two).toMatchObject({ code: 3, stdout: "" });
    expect(two.stderr).toMatch(new RegExp(`${WF}\\tBUILD\\t2026-07-06T14:12:03Z\\tlog in`));
    expect(two.stderr).toContain(OTHER);
    expect(await world.json("resume")).toMatchObject({
      answer: "AMBIGUOUS",
      workflow_uuid: null,
      next: null,
    });
    expect(await world.json("resume", "--session-id", SESSION)).toMatchObject({
      answer: "RESUME",
      scoped_by: "session",
      workflow_uuid: OTHER,
    });
  });

  test("how new a file is decides nothing, it only orders the candidates", async () => {
    const world = memoryWorld();
    for (const id of [WF, OTHER]) world.workflow(id);
    utimesSync(world.layout.artifact(WF), 1, 1);
    const { answer, candidates } = await world.json("resume");
    expect(answer).toBe("AMBIGUOUS");
    expect(candidates.map(({ workflow_uuid }: { workflow_uuid: string }) => workflow_uuid)).toEqual([
      OTHER,
      WF,
    ]);
  });

  test("a session that began two proves neither, one that began none proves nothing", async () => {
    const world = memoryWorld();
    for (const id of [WF, OTHER]) world.workflow(id, { session_id: SESSION });
    for (const session of [SESSION, "session-0002", ""]) {
      expect(await world.json("resume", "--session-id", session)).toMatchObject({ answer: "AMBIGUOUS" });
    }
  });

  test("a session whose own workflow is done gets the only open one, never the done one", async () => {
    const world = memoryWorld();
    world.workflow(WF, { session_id: SESSION, ...done });
    world.workflow(OTHER);
    expect(await world.json("resume", "--session-id", SESSION)).toMatchObject({
      scoped_by: "only_open",
      workflow_uuid: OTHER,
    });
  });

  test("the session of the environment counts like the flag", async () => {
    const world = memoryWorld();
    world.workflow(WF);
    world.workflow(OTHER, { session_id: SESSION });
    const { testHost } = await import("../../support/host.ts");
    const { resume } = await import("../../../src/flow/resume/resume.ts");
    const host = testHost({ cwd: world.root, home: world.home, env: { CLAUDE_CODE_SESSION_ID: SESSION } });
    expect((await resume(host, {})).data).toMatchObject({ scoped_by: "session", workflow_uuid: OTHER });
    expect((await resume(host, { "session-id": "session-0002" })).data).toMatchObject({
      answer: "AMBIGUOUS",
    });
  });

  test.each([
    ["its history", done, []],
    ["the name upstream gives it", { status_history: [{ event: "workflow_complete" }] }, []],
    ["its log alone", {}, [{ event: "memory_finalized" }, { event: "agent_started" }]],
    ["a close", {}, [{ event: "workflow_failed" }]],
  ])("a workflow that is done by %s is not resumed", async (_, fields, events) => {
    const world = memoryWorld();
    world.workflow(WF, fields, events);
    expect(await world.json("resume")).toMatchObject({ answer: "NONE" });
    world.workflow(OTHER);
    expect(await world.json("resume")).toMatchObject({ workflow_uuid: OTHER, scoped_by: "only_open" });
    expect(await world.json("resume", WF)).toMatchObject({
      answer: "RESUME",
      scoped_by: "workflow",
      warnings: expect.arrayContaining(["the workflow is done"]),
    });
  });

  test("an artifact that cannot be read is no workflow, and is said", async () => {
    const world = memoryWorld();
    world.workflow();
    writeFileSync(world.layout.artifact(OTHER), "{bad");
    const { warnings, workflow_uuid } = await world.json("resume");
    expect(workflow_uuid).toBe(WF);
    expect(warnings).toEqual(expect.arrayContaining([expect.stringContaining("line 1, column 2")]));
    writeFileSync(world.layout.artifact(WF), "[]");
    expect(await world.flow(["resume"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(OTHER),
    });
    expect((await world.flow(["resume", OTHER])).code).toBe(1);
  });

  test("a log that cannot be read does not prove a workflow done", async () => {
    const world = memoryWorld();
    for (const id of [WF, OTHER]) world.workflow(id);
    const log = world.layout.events(WF);
    writeFileSync(log, "");
    const { rmSync } = await import("node:fs");
    rmSync(log);
    mkdirSync(log);
    expect(await world.json("resume")).toMatchObject({ answer: "AMBIGUOUS" });
    expect((await world.flow(["resume", WF])).code).toBe(1);
  });

  test("a task id in a memory file is never used", async () => {
    const world = memoryWorld();
    for (const id of [WF, OTHER]) world.workflow(id);
    world.write(
      `${PROJECT}/activeContext.md`,
      `## References\n- [craftflow-internal] memory_task_id: 7 wf:${WF}\n- Plan: ${WF}\n`,
    );
    expect(await world.json("resume")).toMatchObject({ answer: "AMBIGUOUS" });
  });

  test("a word that names two is ambiguous, one that names none is not found", async () => {
    const world = memoryWorld();
    for (const id of [WF, OTHER]) world.workflow(id);
    expect((await world.flow(["resume", "wf-log"])).code).toBe(3);
    expect((await world.flow(["resume", "wf-none"])).code).toBe(1);
    expect((await world.flow(["resume", "../x"])).code).toBe(2);
    expect(await world.json("resume", "1a2b3c4d")).toMatchObject({
      scoped_by: "workflow",
      workflow_uuid: WF,
    });
    expect(await world.json("resume", "wf-login")).toMatchObject({ workflow_uuid: WF });
  });

  test("whatever is open, only the session's one or the only one is ever chosen", () => {
    const session = fc.constantFrom(null, "a", "b");
    const open = fc.uniqueArray(fc.record({ id: fc.string({ minLength: 1 }), session }), {
      selector: ({ id }) => id,
    });
    fc.assert(
      fc.property(
        open,
        fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
        (candidates: Candidate[], asked) => {
          const own = candidates.filter((one) => asked !== undefined && one.session === asked);
          const selection = select(candidates, asked);
          const expected =
            own.length === 1
              ? { answer: "RESUME", id: own[0]!.id, scopedBy: "session" }
              : candidates.length === 1
                ? { answer: "RESUME", id: candidates[0]!.id, scopedBy: "only_open" }
                : { answer: candidates.length === 0 ? "NONE" : "AMBIGUOUS" };
          expect(selection).toEqual(expected);
          // The order of what was found decides nothing either.
          expect(select(candidates.toReversed(), asked)).toEqual(expected);
        },
      ),
    );
  });

  test("nothing is written", async () => {
    const world = memoryWorld();
    world.workflow();
    world.workflow(OTHER, { pending_gate: "clarification" });
    const before = snapshot(world);
    for (const words of [["resume"], ["resume", WF], ["resume", OTHER]]) await world.flow(words);
    expect(snapshot(world)).toEqual(before);
  });
});

describe("what comes next", () => {
  const next = async (fields: Record<string, unknown>, events: Record<string, unknown>[] = []) => {
    const world = memoryWorld();
    world.workflow(WF, { proof_status: "gaps_found", ...fields }, events);
    return (await world.json("resume", WF)).next;
  };

  test("flow-30 what is merged but not remembered is resumed, and remembered next", async () => {
    const world = memoryWorld();
    world.workflow(WF, {
      worktree_mode: "merged_and_removed",
      worktree_path: "/gone",
      worktree_branch: "wf-x",
    });
    expect(await world.json("resume")).toMatchObject({
      answer: "RESUME",
      scoped_by: "only_open",
      next: "memory_finalize",
      memory_pending: true,
    });
  });

  test("flow-56 the merge comes before documentation, documentation before memory", async () => {
    const world = memoryWorld();
    const fields = {
      worktree_mode: "auto_created",
      worktree_path: world.root,
      worktree_branch: "wf-x",
      proof_status: "passed",
      phase_status: {
        "build-verify": "completed",
        "build-doc-sync": "pending",
        "memory-finalize": "pending",
      },
    };
    world.workflow(WF, fields);
    expect(await world.json("resume")).toMatchObject({
      next: "finalize_worktree",
      worktree: { mode: "auto_created", path: world.root, branch: "wf-x", exists: true },
      runnable: ["build-doc-sync"],
    });
    world.workflow(WF, { ...fields, worktree_mode: "merged_and_removed" });
    expect(await world.json("resume")).toMatchObject({ next: "run_phase" });
    const finished = { ...fields.phase_status, "build-doc-sync": "completed" };
    world.workflow(WF, { ...fields, worktree_mode: "merged_and_removed", phase_status: finished });
    expect(await world.json("resume")).toMatchObject({
      next: "memory_finalize",
      runnable: ["memory-finalize"],
    });
  });

  const steps = (statuses: Record<string, string>) => ({ phase_status: statuses });
  const plan = { normalized_phases: [{ phase_id: "p1" }, { phase_id: "p2" }] };
  const tree = {
    worktree_mode: "auto_created",
    worktree_path: "/",
    worktree_branch: "b",
    proof_status: "passed",
  };

  test.each<[string, Record<string, unknown>, string | null]>([
    ["nothing recorded yet", {}, "inspect"],
    [
      "a gate before all else",
      { pending_gate: "clarification", ...steps({ a: "in_progress" }) },
      "answer_gate",
    ],
    ["a gate in the older form", { pending_gate: { reason: "scope_decision" } }, "answer_gate"],
    ["a worktree gate", { pending_gate: "worktree_merge_locked" }, "finalize_worktree"],
    ["a step under way", steps({ a: "in_progress", b: "pending" }), "ask_in_progress"],
    ["a step that may run", steps({ a: "completed", b: "pending" }), "run_phase"],
    ["only memory is left", steps({ a: "completed", "memory-finalize": "pending" }), "memory_finalize"],
    ["memory is left and no step for it", steps({ a: "skipped" }), "memory_finalize"],
    ["a step under way that waits", steps({ a: "blocked", b: "in_progress" }), "inspect"],
    ["a plan without steps", { ...plan, ...steps({ p1: "pending", p2: "pending" }) }, "inspect"],
    [
      "a plan whose next phase has no step yet",
      { ...plan, ...steps({ p1: "completed", p2: "pending", a: "completed" }) },
      "inspect",
    ],
    [
      "a plan that is through",
      { ...plan, ...steps({ p1: "completed", p2: "skipped", a: "completed" }) },
      "memory_finalize",
    ],
    ["a tree that is proven", { ...tree, ...steps({ a: "completed" }) }, "finalize_worktree"],
    [
      "a tree without proof",
      { ...tree, proof_status: "gaps_found", ...steps({ a: "completed" }) },
      "memory_finalize",
    ],
    ["a tree with an open step", { ...tree, ...steps({ a: "pending" }) }, "run_phase"],
    [
      "a tree with an open phase",
      { ...tree, ...plan, ...steps({ p1: "pending", p2: "pending" }) },
      "inspect",
    ],
    [
      "a tree without a branch",
      { ...tree, worktree_branch: null, ...steps({ a: "completed" }) },
      "memory_finalize",
    ],
    [
      "a tree that is gone before its work is proven",
      { ...tree, worktree_path: "/w", proof_status: "gaps_found", ...steps({ a: "pending" }) },
      "restore_worktree",
    ],
    [
      "a tree that is gone while a step is under way",
      { ...tree, worktree_path: "/w", ...steps({ a: "in_progress" }) },
      "restore_worktree",
    ],
    [
      "a tree that is gone when it is to be merged",
      { ...tree, worktree_path: "/w", ...steps({ a: "completed" }) },
      "finalize_worktree",
    ],
    [
      "two steps side by side",
      { ...steps({ a: "completed", b: "pending", c: "pending" }), phase_after: { b: ["a"], c: ["a"] } },
      "run_phase",
    ],
  ])("%s", async (_, fields, expected) => {
    expect(await next(fields)).toBe(expected);
  });

  test("a workflow that is over", async () => {
    const over = { ...steps({ a: "completed", "memory-finalize": "completed" }), ...done };
    expect(await next(over, [{ event: "memory_finalized" }])).toBeNull();
  });
});

describe("what else the answer says", () => {
  test("phases, events, scope, settings and warnings", async () => {
    const world = memoryWorld();
    const events = Array.from({ length: 25 }, (_, n) => ({ event: "agent_started", n }));
    world.workflow(
      WF,
      {
        phase_cursor: "p1",
        normalized_phases: [{ phase_id: "p1" }],
        phase_status: { p1: "pending", a: "in_progress", b: "in_progress" },
        worktree_mode: "auto_created",
        worktree_path: "/does/not/exist",
        pending_gate: "scope_decision",
        pending_gate_detail: { reason: "r", holder: null, set_at: "2026-07-06T14:12:03Z" },
      },
      events,
    );
    const log = world.layout.events(WF);
    writeFileSync(log, `${readFileSync(log, "utf8")}no event\n{"ts":`);
    world.write(
      `${PROJECT}/activeContext.md`,
      `## Decisions\n[SCOPE-DECISION-PENDING: wf:${WF} reason:why]\n## Session Settings\nAUTO_PROCEED: true\n`,
    );
    const data = await world.json("resume");
    expect(data).toMatchObject({
      user_request: 'Add "login" page',
      phase_cursor: "p1",
      phases: [
        { key: "p1", kind: "plan", status: "pending", runnable: false },
        { key: "a", kind: "step", status: "in_progress", runnable: true, waits_for: [] },
        { key: "b", kind: "step", status: "in_progress", runnable: false, waits_for: ["a"] },
      ],
      runnable: ["a"],
      pending_gate: "scope_decision",
      pending_gate_detail: { reason: "r" },
      build_mode: "standard",
      worktree: { exists: false },
      malformed_event_lines: 1,
      scope_decision: { reason: "why" },
      just_go: true,
      task_tools: "reprobe",
      next: "answer_gate",
    });
    expect(data.events_tail).toHaveLength(20);
    expect(data.events_tail.at(-1)).toEqual({ event: "agent_started", n: 24 });
    const said = data.warnings.join("\n");
    for (const what of ["main tree", "build_mode", "torn", "1 lines of the event log", "is missing"]) {
      expect(said).toContain(what);
    }
  });

  test("no work goes into the main tree because the worktree is missing", async () => {
    const world = memoryWorld();
    const fields = { worktree_mode: "auto_created", worktree_path: "/gone", worktree_branch: "b" };
    world.workflow(WF, { ...fields, proof_status: "gaps_found" });
    const { warnings } = await world.json("resume");
    expect(warnings[0]).toBe(
      "the worktree /gone is missing: jig flow worktree create says what can be had back",
    );
    expect(warnings.join("\n")).not.toContain("main tree");
  });

  test("what cannot be known of the project's memory is no permission", async () => {
    const world = memoryWorld();
    world.workflow();
    world.write(`${PROJECT}/activeContext.md`, "");
    writeFileSync(join(world.root, PROJECT, "activeContext.md"), Buffer.from([0xff]));
    const { just_go, warnings } = await world.json("resume");
    expect(just_go).toBe(false);
    expect(warnings.join("\n")).toContain("activeContext.md: is not valid UTF-8");
  });
});
