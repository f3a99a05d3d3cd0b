import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import flow from "../../../src/flow/command.ts";
import { testHost } from "../../support/host.ts";
import { runRoom } from "../../support/room.ts";
import { tempDir } from "../../support/temp.ts";
import { readLog, readWorkflow, writeWorkflow } from "../written.ts";

const WF = "wf-login-20260706-141203-1a2b3c4d";
const INTENT = {
  goal: "a login",
  non_goals: ["sessions"],
  constraints: ["no new dependencies"],
  acceptance_criteria: [],
  open_decisions: [],
};

function world(fields: Record<string, unknown> = {}) {
  const root = tempDir();
  const path = writeWorkflow(root, WF, { intent: INTENT, ...fields });
  const run = (words: readonly string[], input: unknown = {}) => {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    const host = testHost({ cwd: root, home: root, stdin: async () => new TextEncoder().encode(text) });
    return runRoom(flow, ["intent", ...words], host);
  };
  const json = async (words: readonly string[], input?: unknown) => {
    const { code, stdout } = await run([...words, "--json"], input);
    return { code, ...JSON.parse(stdout) };
  };
  return { root, path, run, json };
}

describe("an intent is stored", () => {
  test("what the input gives is replaced, the rest stays", async () => {
    const { json, root } = world();
    const decision = { text: "which db", approved: true };
    const input = { acceptance_criteria: ["login answers within 200 ms"], open_decisions: [decision] };
    expect(await json([WF, "--from", "-"], input)).toMatchObject({
      code: 0,
      workflow_uuid: WF,
      intent: { ...INTENT, ...input },
      plan_file_stem: null,
      bakeoff_n_requested: null,
      verdict: null,
      failing: [],
    });
    expect(readWorkflow(root, WF).intent).toEqual({ ...INTENT, ...input });
    expect(JSON.parse((await world().run(["@latest"])).stdout)).toEqual(INTENT);
  });

  test.each([
    { aim: "x" },
    { goal: 5 },
    { constraints: "none" },
    { non_goals: [5] },
    { open_decisions: [null] },
  ])("%j is refused, nothing is stored", async (input) => {
    const { path, run } = world();
    const before = readFileSync(path, "utf8");
    const { code, stderr, stdout } = await run([WF, "--from", "-"], { goal: "other", ...input });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(Object.keys(input)[0]!);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("an input that is no object, and words that do not fit", async () => {
    const { run } = world();
    expect(await run([WF, "--from", "-"], "{bad")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("line 1, column 2"),
    });
    expect((await run([WF, "--from", "-"], "[]")).code).toBe(1);
    expect((await run([WF, "--source-files", "3"])).code).toBe(2);
    expect((await run(["wf-lo", "--from", "-"], {})).code).toBe(1);
  });

  test("a plan gets the beginning of its file name, and how many candidates are wanted", async () => {
    const fields = { workflow_type: "PLAN", user_request: "bake-off of 3 models for login" };
    const { json, root } = world(fields);
    expect(await json([WF, "--from", "-"])).toMatchObject({
      plan_file_stem: "2026-07-06-login",
      bakeoff_n_requested: 3,
    });
    mkdirSync(join(root, "docs/plans"), { recursive: true });
    writeFileSync(join(root, "docs/plans/2026-07-06-login-plan.md"), "");
    expect(await json([WF, "--from", "-"])).toMatchObject({ plan_file_stem: "2026-07-06-login" });
    writeWorkflow(root, WF, { ...fields, user_request: "x" });
    expect(await json([WF, "--from", "-"])).toMatchObject({
      plan_file_stem: "2026-07-06-login-1a2b3c4d",
      bakeoff_n_requested: null,
    });
    writeWorkflow(root, "by-hand", { workflow_type: "PLAN", user_request: "Add the login page" });
    expect(await json(["by-hand", "--from", "-"])).toMatchObject({ plan_file_stem: "2026-07-06-login-page" });
  });
});

describe("an intent is checked", () => {
  test("ready is exit 0, and nothing is written", async () => {
    const { path, run } = world();
    const before = readFileSync(path, "utf8");
    expect(await run([WF, "--check", "--source-files", "5"])).toEqual({
      code: 0,
      stdout: "READY\n",
      stderr: "",
    });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("too much is to be taken apart", async () => {
    const { run } = world();
    expect(await run([WF, "--check", "--source-files", "6"])).toMatchObject({
      code: 3,
      stdout: "DECOMPOSE\ncontext_bounded: 6 source files: more than 5\n",
    });
    expect((await run([WF, "--check", "--budget-chars", "100"])).stdout).toMatch(/^DECOMPOSE\n/);
    expect((await run([WF, "--check", "--budget-chars", "200"])).stdout).toBe("READY\n");
  });

  test("a contradiction sets its gate; another gate stays", async () => {
    const { json, root, run } = world();
    const input = { acceptance_criteria: ["New dependencies"] };
    const { code, failing, verdict } = await json([WF, "--from", "-", "--check"], input);
    expect([code, verdict]).toEqual([3, "HALT_CONTRADICTION"]);
    expect(failing[0]).toEqual({
      condition: "contradiction_free",
      item: "New dependencies",
      reason: "contradicts 'no new dependencies'",
    });
    expect(readWorkflow(root, WF)).toMatchObject({
      pending_gate: "intent_contradiction",
      pending_gate_detail: { reason: "New dependencies: contradicts 'no new dependencies'" },
    });
    expect(readLog(root, WF).at(-1)).toMatchObject({ event: "gate_set" });
    writeWorkflow(root, WF, { pending_gate: "clarification" });
    const halted = await run([WF, "--check", "--contradiction", "offline \x1b[2J and live"]);
    expect([halted.code, halted.stdout]).toEqual([
      3,
      "HALT_CONTRADICTION\ncontradiction_free: offline \\x1b[2J and live: given by the caller\n",
    ]);
    expect(halted.stderr).toContain("clarification is set already");
    expect(readWorkflow(root, WF).pending_gate).toBe("clarification");
  });

  test("criteria of any form are looked at, and their scenarios where they are required", async () => {
    const criteria = [
      "faster",
      { id: "LOGIN-1", text: "login answers within 200 ms" },
      { title: "x" },
      { a: 1 },
    ];
    const verification = ["LOGIN-1 press it", { scenario: "AC4: b" }];
    const { json } = world({
      intent: { ...INTENT, acceptance_criteria: criteria },
      traceability: { verification },
    });
    const { failing, verdict } = await json([WF, "--check", "--scenarios", "required"]);
    expect(verdict).toBe("ASK_SPECIFICITY");
    expect(failing.map(({ item, reason }: Record<string, string>) => `${item}: ${reason}`)).toEqual([
      "faster: has fewer than 3 words",
      "faster: says 'faster' without a number",
      "faster: has no scenario",
      "x: has fewer than 3 words",
      "x: has no scenario",
      '{"a":1}: has fewer than 3 words',
    ]);
  });
});
