import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scopeOf } from "../../../src/flow/memory/scope/answers.ts";
import {
  markerReason,
  scopeMarkers,
  withMarker,
  withoutMarker,
} from "../../../src/flow/memory/scope/markers.ts";
import { templateOf } from "../../../src/flow/memory/text/files.ts";
import { readLog, readWorkflow } from "../written.ts";
import { memoryWorld, PROJECT, WF } from "./world.ts";

const ACTIVE = `${PROJECT}/activeContext.md`;
const names = (root: string) => readLog(root, WF).map(({ event }) => event);

describe("flow scope", () => {
  test("flow-31 a request, a reply that is none, and the one that answers it", async () => {
    const world = memoryWorld();
    world.workflow();
    expect(await world.flow(["scope", "request", WF, "--reason", "auth hole"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(world.read(ACTIVE)).toContain(
      `## Decisions\n[SCOPE-DECISION-PENDING: wf:${WF} reason:auth hole]\n`,
    );
    expect(readWorkflow(world.root, WF)["pending_gate"]).toBe("scope_decision");
    expect((await world.flow(["scope", "list"])).stdout).toBe(`${WF}\tauth hole\n`);

    const before = [world.read(ACTIVE), JSON.stringify(readWorkflow(world.root, WF))];
    const none = await world.flow(["scope", "answer", WF, "do whatever"]);
    expect(none).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/Fix critical only \(Recommended\)\nFix all issues\n/),
    });
    expect([world.read(ACTIVE), JSON.stringify(readWorkflow(world.root, WF))]).toEqual(before);

    const words = "Fix critical only (Recommended)";
    expect(await world.flow(["scope", "answer", WF, words])).toMatchObject({
      code: 0,
      stdout: "CRITICAL_ONLY\n",
    });
    expect(world.read(ACTIVE)).not.toContain("SCOPE-DECISION-PENDING");
    expect(world.read(ACTIVE)).toContain(
      `## Decisions\n- Scope decision [${WF}]: "${words}" (CRITICAL_ONLY)\n`,
    );
    expect(readWorkflow(world.root, WF)["pending_gate"]).toBeNull();
    expect(names(world.root)).toEqual([
      "workflow_started",
      "gate_set",
      "scope_decision_requested",
      "gate_cleared",
      "scope_decision_resolved",
    ]);
    expect(await world.json("scope", "list")).toEqual({ markers: [] });
    expect(await world.flow(["scope", "answer", WF, words])).toMatchObject({ code: 1, stdout: "" });
  });

  test("asked twice there is one marker", async () => {
    const world = memoryWorld();
    world.workflow();
    for (const reason of ["one", "two"]) await world.flow(["scope", "request", WF, "--reason", reason]);
    expect(await world.json("scope", "list")).toEqual({ markers: [{ workflow_uuid: WF, reason: "one" }] });
  });

  test("another gate is not replaced, and no marker written", async () => {
    const world = memoryWorld();
    world.workflow(WF, { pending_gate: "clarification" });
    expect((await world.flow(["scope", "request", WF, "--reason", "x"])).code).toBe(3);
    expect(await world.json("scope", "list")).toEqual({ markers: [] });
    expect(readWorkflow(world.root, WF)["pending_gate"]).toBe("clarification");
  });

  test("an answer that was cut off before the marker went is given again, and recorded once", async () => {
    const world = memoryWorld();
    world.workflow();
    await world.flow(["scope", "request", WF, "--reason", "x"]);
    const pending = world.read(ACTIVE);
    await world.flow(["scope", "answer", WF, "all issues"]);
    world.write(ACTIVE, pending);
    const again = await world.flow(["scope", "answer", WF, "--from", "-"], { stdin: "All issues\n" });
    expect(again).toMatchObject({ code: 0, stdout: "ALL_ISSUES\n" });
    expect(names(world.root).filter((name) => name === "scope_decision_resolved")).toHaveLength(1);
    expect(scopeMarkers(world.read(ACTIVE))).toEqual([]);
  });

  test.each([
    [["request", WF]],
    [["request", WF, "--reason", "]\n"]],
    [["request", WF, "--reason", "x", "--reason-file", "y"]],
    [["answer", WF]],
    [["answer", WF, "x", "--from", "y"]],
  ])("%j is a usage error", async (words) => {
    const world = memoryWorld();
    world.workflow();
    expect((await world.flow(["scope", ...words])).code).toBe(2);
    expect(names(world.root)).toEqual(["workflow_started"]);
  });

  test("a live marker comes before routing", async () => {
    const world = memoryWorld();
    world.workflow();
    await world.flow(["scope", "request", WF, "--reason", "x"]);
    expect(await world.json("route", "--request", "next")).toMatchObject({ live_scope_marker: WF });
  });
});

describe("what a reply means", () => {
  test.each([
    ["critical only", "CRITICAL_ONLY"],
    ["  Fix  CRITICAL\tonly. ", "CRITICAL_ONLY"],
    ['"Fix critical only (Recommended)".', "CRITICAL_ONLY"],
    ["“fix critical only”!", "CRITICAL_ONLY"],
    ["`All issues.`", "ALL_ISSUES"],
    ["fix all issues", "ALL_ISSUES"],
    ["1", "CRITICAL_ONLY"],
    ["2.", "ALL_ISSUES"],
    ['"2)"', "ALL_ISSUES"],
    ["1. Fix critical only (Recommended)", "CRITICAL_ONLY"],
    ["2) fix ALL issues!", "ALL_ISSUES"],
    ["2 all issues", "ALL_ISSUES"],
    ["1. fix all issues", undefined],
    ["2. fix all", undefined],
    ["1 2", undefined],
    ["12", undefined],
    ["3", undefined],
    ["2nd", undefined],
    ["fix all", undefined],
    ["not critical only", undefined],
    ["critical only or all issues", undefined],
    ['"critical only', undefined],
    ["", undefined],
    ["constructor", undefined],
    [`critical only${" ".repeat(20_000)}`, undefined],
  ])("%s: %s", (reply, scope) => {
    expect(scopeOf(reply)).toBe(scope);
  });
});

describe("markers in a text", () => {
  test("only whole lines below Decisions, outside fenced code, are markers", () => {
    const line = `[SCOPE-DECISION-PENDING: wf:${WF} reason:r]`;
    const text = `${line}\n## Decisions\n- ${line}\n> ${line}\n\`\`\`\n${line}\n\`\`\`\n## Learnings\n${line}\n`;
    expect(scopeMarkers(text)).toEqual([{ wf: WF, reason: "r" }]);
    expect(withoutMarker(text, WF)).toBe(text.replace(`- ${line}\n`, ""));
    expect(withoutMarker(text, "wf-other")).toBe(text);
  });

  test("a marker that is written and taken away leaves the text as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (given) => {
        const reason = markerReason(given);
        const text = templateOf("activeContext.md");
        const marked = withMarker(text, { wf: WF, reason })!;
        expect(scopeMarkers(marked)).toEqual([{ wf: WF, reason: reason.trim() }]);
        expect(withoutMarker(marked, WF)).toBe(text);
      }),
    );
  });
});

describe("flow marker", () => {
  const OWN = `.craftflow/state/workflows/${WF}/activeContext.md`;

  test("build and plan are marked once, a bug hunt each time", async () => {
    const world = memoryWorld();
    world.workflow();
    for (const name of ["build-start", "debug-reset", "build-start", "debug-reset", "plan-start"]) {
      expect((await world.flow(["marker", WF, name])).code).toBe(0);
    }
    expect(world.read(OWN)).toContain(
      `## Recent Changes\n[BUILD-START: wf:${WF}]\n[DEBUG-RESET: wf:${WF}]\n[DEBUG-RESET: wf:${WF}]\n[PLAN-START: wf:${WF}]\n\n## Next Steps`,
    );
    expect(await world.json("marker", "1a2b3c4d", "plan-start")).toMatchObject({ added: false });
    expect((await world.flow(["marker", WF, "sleep"])).code).toBe(2);
    expect((await world.flow(["marker", "wf-none", "build-start"])).code).toBe(1);
  });

  test("what is noted after a reset stands below it", async () => {
    const world = memoryWorld();
    world.workflow();
    await world.flow(["marker", WF, "debug-reset"]);
    await world.flow(["memory", "add", "recent-changes", "[DEBUG-1]: x", "--tier", "workflow", "--wf", WF]);
    expect(world.read(OWN)).toContain(`[DEBUG-RESET: wf:${WF}]\n- [DEBUG-1]: x\n`);
  });
});
