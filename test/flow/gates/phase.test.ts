import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { PHASE_STATUSES } from "../../../src/flow/artifact/fields.ts";
import { keyForNew, LAST_STEP, stepName, stepsOf } from "../../../src/flow/gates/order.ts";
import { isFinished, nextStatuses } from "../../../src/flow/gates/transitions.ts";
import { type Artifact, flowWorld, type World } from "../world.ts";

describe("flow phase", () => {
  let at: World;
  let wf: string;
  beforeEach(async () => {
    at = flowWorld();
    wf = await at.begin();
  });

  const phase = (...words: string[]) => at.flow(["phase", wf, ...words]);
  const next = async () => (await phase("next")).stdout.split("\n").filter((line) => line !== "");
  const load = (phases: unknown, ...words: string[]) =>
    at.flow(["phase", wf, "load", "--from", "-", ...words], { stdin: JSON.stringify(phases) });

  test("flow-23 two steps that come after one run together", async () => {
    expect(await phase("add", "build-implement")).toMatchObject({ code: 0, stdout: "build-implement\n" });
    await phase("add", "build-review", "--after", "build-implement");
    await phase("add", "build-hunt", "--after", "build-implement");
    expect(await next()).toEqual(["build-implement"]);
    expect(await phase("set", "build-implement", "in_progress")).toMatchObject({ code: 0 });
    expect(await next()).toEqual(["build-implement"]);
    await phase("set", "build-implement", "completed", "--reason", "green");
    expect(await next()).toEqual(["build-review", "build-hunt"]);
    const change = { from: "in_progress", to: "completed", phase: "build-implement", reason: "green" };
    expect(at.events(wf).at(-1)).toMatchObject({ event: "phase_status_changed", ...change });
    expect(at.artifact(wf)["status_history"].at(-1)).toMatchObject({
      event: "phase_status_changed",
      ...change,
    });
    expect(at.artifact(wf)["phase_after"]).toEqual({
      "build-review": ["build-implement"],
      "build-hunt": ["build-implement"],
    });
    const { phases } = await at.json<Artifact>(["phase", wf, "list"]);
    expect(phases[1]).toEqual({
      key: "build-review",
      kind: "step",
      status: "pending",
      runnable: true,
      waits_for: [],
    });
  });

  test("flow-68 a fix goes ahead of what has yet to run, which then waits for it", async () => {
    for (const words of [
      ["build-implement"],
      ["build-review", "--after", "build-implement"],
      ["build-verify", "--after", "build-review"],
      ["build-doc-sync"],
    ])
      await phase("add", ...words);
    const run = async (key: string) => {
      expect(await next()).toEqual([key]);
      await phase("set", key, "in_progress");
      await phase("set", key, "completed");
    };
    await run("build-implement");
    await run("build-review");
    expect(await phase("add", "build-implement", "--before", "build-verify")).toMatchObject({
      code: 0,
      stdout: "build-implement#2\n",
    });
    const between = ["--after", "build-implement#2", "--before", "build-verify"];
    expect(await at.json(["phase", wf, "add", "re-review", ...between])).toMatchObject({
      key: "re-review",
      before: ["build-verify"],
    });
    await phase("add", "re-hunt", ...between);
    expect(Object.keys(at.artifact(wf)["phase_status"])).toEqual([
      "build-implement",
      "build-review",
      "build-implement#2",
      "re-review",
      "re-hunt",
      "build-verify",
      "build-doc-sync",
    ]);
    await run("build-implement#2");
    expect(await next()).toEqual(["re-review", "re-hunt"]);
    await phase("set", "re-review", "skipped");
    await run("re-hunt");
    await run("build-verify");
    await run("build-doc-sync");
  });

  test("--before: a step that has to run, and none that would wait for itself", async () => {
    await load([{ phase_id: "p1" }]);
    await phase("add", "a");
    await phase("set", "a", "skipped");
    await phase("add", "b");
    await phase("add", "c", "--after", "a");
    await phase("set", "c", "in_progress");
    const before = at.artifactText(wf);
    for (const [code, ...words] of [
      [1, "--before", "nothing"],
      [1, "--before", "a"],
      [1, "--after", "c", "--before", "b"],
      [1, "--after", "b", "--before", "b"],
      [2, "--before", "p1"],
    ] as const) {
      expect([words, (await phase("add", "x", ...words)).code]).toEqual([words, code]);
    }
    expect(await phase("set", "b", "blocked", "--before", "c")).toMatchObject({ code: 2 });
    expect(at.artifactText(wf)).toBe(before);
    // Ahead of both, and one under way waits like the other.
    expect(await phase("add", "x", "--after", "a", "--before", "c", "--before", "b")).toMatchObject({
      code: 0,
    });
    expect(await next()).toEqual(["x"]);
    await phase("set", "x", "skipped");
    expect(await next()).toEqual(["b", "c"]);
    expect(await phase("add", "memory-finalize")).toMatchObject({ code: 0 });
    expect(await phase("add", "y", "--before", "memory-finalize")).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["phase_after"]).toEqual({ c: ["a", "x"], x: ["a"] });
  });

  test("flow-24 what is no step, and what is no transition", async () => {
    await phase("add", "build-review");
    const before = at.artifactText(wf);
    for (const step of ["1", "42", "x#2", "-x", "", "x".repeat(65)]) {
      expect([step, (await phase("add", "--", step)).code]).toEqual([step, 2]);
    }
    expect(await phase("set", "build-review", "completed")).toMatchObject({ code: 1, stdout: "" });
    expect(await phase("set", "build-review", "done")).toMatchObject({ code: 2, stdout: "" });
    expect(await phase("set", "nothing", "skipped")).toMatchObject({ code: 1, stdout: "" });
    expect(await phase("add", "build-review")).toMatchObject({ code: 1, stdout: "" });
    expect(await phase("add", "x", "--after", "nothing")).toMatchObject({ code: 1, stdout: "" });
    expect(await phase("add", "x", "--after", "memory-finalize")).toMatchObject({ code: 2, stdout: "" });
    expect(at.artifactText(wf)).toBe(before);
  });

  test("flow-25 without proof the cursor stays", async () => {
    await load([{ phase_id: "p1" }, { phase_id: "p2" }]);
    await phase("set", "p1", "completed");
    const before = at.artifactText(wf);
    const run = await phase("advance");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("proof_status");
    expect(at.artifactText(wf)).toBe(before);
    expect(at.artifact(wf)["phase_cursor"]).toBe("p1");
  });

  test("flow-54 plan phases group work: they are no steps, and one's proof is not the next one's", async () => {
    expect(await load([{ phase_id: "phase_1" }, { phase_id: "phase_2" }])).toMatchObject({
      code: 0,
      stdout: "phase_1\n",
    });
    await phase("add", "build-implement");
    expect(await next()).toEqual(["build-implement"]);
    await phase("set", "build-implement", "in_progress");
    await phase("set", "build-implement", "completed");
    await at.flow(["set", wf, 'proof_status="passed"']);
    const early = await phase("advance");
    expect(early).toMatchObject({ code: 1, stdout: "" });
    expect(early.stderr).toContain("phase_1");
    expect(await phase("set", "phase_1", "completed")).toMatchObject({ code: 0 });
    expect(await phase("advance")).toMatchObject({ code: 0, stdout: "phase_2\n" });
    expect(at.artifact(wf)).toMatchObject({ phase_cursor: "phase_2", proof_status: "gaps_found" });
    expect(await phase("add", "build-implement")).toMatchObject({ code: 0, stdout: "build-implement#2\n" });
    await phase("set", "build-implement#2", "skipped");
    expect(await phase("add", "build-implement")).toMatchObject({ stdout: "build-implement#3\n" });
    await phase("set", "phase_2", "completed");
    await at.flow(["set", wf, 'proof_status="passed"']);
    expect(await phase("advance")).toMatchObject({ code: 0, stdout: "" });
    expect(at.artifact(wf)).toMatchObject({ phase_cursor: null, proof_status: "passed" });
    const last = await phase("advance");
    expect(last).toMatchObject({ code: 1, stdout: "" });
    expect(last.stderr).toContain("no cursor");
  });

  test("flow-55 memory-finalize is last, whenever it was added", async () => {
    await phase("add", "memory-finalize");
    await phase("add", "re-review");
    expect(await next()).toEqual(["re-review"]);
    await phase("set", "re-review", "skipped");
    expect(await next()).toEqual(["memory-finalize"]);
    await phase("set", "memory-finalize", "skipped");
    await phase("add", "memory-finalize");
    await phase("add", "re-hunt");
    expect(await next()).toEqual(["re-hunt"]);
  });

  test("a finished phase is left only with --reopen; the same again changes nothing", async () => {
    await phase("add", "a");
    await phase("set", "a", "skipped");
    const before = at.artifactText(wf);
    expect(await phase("set", "a", "skipped")).toMatchObject({ code: 0, stdout: "a: skipped already\n" });
    const run = await phase("set", "a", "pending");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("--reopen");
    expect(at.artifactText(wf)).toBe(before);
    expect(await phase("set", "a", "in_progress", "--reopen")).toMatchObject({ code: 0 });
  });

  test("loading again: refused once a phase has started, unless what has started is kept", async () => {
    await load([{ phase_id: "p1", title: "one" }, { phase_id: "p2" }, { phase_id: "p3" }]);
    await load([{ phase_id: "p1", title: "one" }, { phase_id: "p2" }]);
    expect(at.artifact(wf)["phase_status"]).toEqual({ p1: "pending", p2: "pending" });
    await phase("set", "p1", "in_progress");
    const before = at.artifactText(wf);
    expect(await load([{ phase_id: "p9" }])).toMatchObject({ code: 1, stdout: "" });
    expect(at.artifactText(wf)).toBe(before);
    const kept = await load([{ phase_id: "p9" }, { phase_id: "p1", title: "other" }], "--replace");
    expect(kept).toMatchObject({ code: 0, stdout: "p9\n" });
    expect(kept.stderr).toContain("p1 has started");
    expect(at.artifact(wf)).toMatchObject({
      normalized_phases: [{ phase_id: "p9" }, { phase_id: "p1", title: "one" }],
      phase_status: { p1: "in_progress", p9: "pending" },
    });
    await load([{ phase_id: "p8" }], "--replace");
    expect(at.artifact(wf)["normalized_phases"].map((one: Artifact) => one["phase_id"])).toEqual([
      "p1",
      "p8",
    ]);
    expect(at.events(wf).at(-1)).toMatchObject({ event: "phases_loaded", dropped: ["p9"], kept: ["p1"] });
  });

  test("what a phase says is kept, with upstream's spellings and unknown keys; a checkpoint type is added", async () => {
    const given = { phase_id: "p1", "files/surfaces": ["a"], required_checks: ["t"], x: { b: 1, a: 2 } };
    await load([given]);
    expect(at.artifact(wf)["normalized_phases"]).toEqual([{ ...given, checkpoint_type: "none" }]);
    expect(at.artifactText(wf)).toContain('"x":{"b":1,"a":2}');
    expect(await load([])).toMatchObject({ code: 0, stdout: "" });
    expect(at.artifact(wf)).toMatchObject({ phase_cursor: null, phase_status: {} });
  });

  test.each([
    [{}, "expected a list"],
    [["x"], "phase 1: is a string"],
    [[{}], "phase_id is missing"],
    [[{ phase_id: "1" }], "phase_id"],
    [[{ phase_id: "a" }, { phase_id: "a" }], "stands twice"],
    [[{ phase_id: "build-verify" }], "the name of a step"],
    [[{ phase_id: "my-step" }], "is a step of the workflow"],
    [[{ phase_id: "a", title: 5 }], "title"],
    [[{ phase_id: "a", checks: 5 }], "checks"],
    [[{ phase_id: "a", checkpoint_type: "x" }], "checkpoint_type"],
  ])("a plan that is none changes nothing: %j", async (phases, said) => {
    await phase("add", "my-step");
    const before = at.artifactText(wf);
    const run = await load(phases);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(said);
    expect(at.artifactText(wf)).toBe(before);
  });

  test("a planned workflow's phases say when they are done", async () => {
    await at.flow(["set", wf, 'plan_mode="execution_plan"']);
    expect(await load([{ phase_id: "a" }])).toMatchObject({ code: 1 });
    expect(await load([{ phase_id: "a", exit_criteria: ["x"] }])).toMatchObject({ code: 0 });
    const broken = await at.flow(["phase", wf, "load", "--from", "-"], { stdin: "[{" });
    expect(broken.stderr).toContain("line 1, column 3");
  });

  test("a phase of the plan is no step, and words that belong elsewhere are refused", async () => {
    await load([{ phase_id: "p1" }]);
    for (const words of [
      ["add", "p1"],
      ["add", "x", "--after", "p1"],
      ["add"],
      ["set", "p1"],
      ["next", "x"],
      ["load"],
      ["list", "--reopen"],
      ["add", "x", "--reason", "r"],
    ]) {
      expect([words, await phase(...words)]).toMatchObject([words, { code: 2, stdout: "" }]);
    }
    expect((await phase("list")).stdout).toBe("p1\tplan\tpending\tcursor\n");
  });
});

describe("statuses of phases", () => {
  const kinds = fc.constantFrom("plan" as const, "step" as const);
  const statuses = fc.constantFrom(...PHASE_STATUSES);

  test("the transitions are those of the page", () => {
    const rows = PHASE_STATUSES.map((from) => `${from} > ${nextStatuses("step", from).join(" ")}`);
    expect(rows).toEqual([
      "pending > in_progress skipped blocked",
      "in_progress > completed partial blocked skipped",
      "completed > ",
      "partial > in_progress completed blocked",
      "blocked > pending in_progress skipped",
      "skipped > ",
    ]);
    expect(nextStatuses("plan", "pending")).toContain("completed");
  });

  test("a walk never leaves a finished status without reopening, and reaches every status with it", () => {
    fc.assert(
      fc.property(kinds, statuses, fc.array(statuses), (kind, start, walk) => {
        let status = start;
        for (const to of walk) {
          if (!nextStatuses(kind, status).includes(to)) continue;
          expect(isFinished(status)).toBe(false);
          status = to;
        }
      }),
    );
    for (const finished of ["completed", "skipped"] as const) {
      expect(nextStatuses("step", finished, true)).toHaveLength(PHASE_STATUSES.length - 1);
    }
  });

  test("steps driven by next alone all run, in an order that respects what each comes after", () => {
    const added = fc.array(
      fc.record({
        name: fc.constantFrom("a", "b", "c", LAST_STEP),
        after: fc.array(fc.nat(20), { maxLength: 3 }),
      }),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(added, fc.infiniteStream(fc.nat(1_000)), (adds, picks) => {
        const status = new Map<string, unknown>([["plan_1", "pending"]]);
        const after = new Map<string, readonly string[]>();
        const before = new Map<string, readonly string[]>();
        const planPhases = new Set(["plan_1"]);
        const pick = () => picks.next().value as number;
        const run = (): boolean => {
          const steps = stepsOf({ statuses: status, planPhases, after });
          const able = steps.filter(({ runnable }) => runnable);
          if (able.length === 0) return false;
          const { key } = able[pick() % able.length]!;
          for (const one of before.get(key) ?? []) expect(isFinished(status.get(one))).toBe(true);
          status.set(key, pick() % 3 === 0 ? "skipped" : "completed");
          return true;
        };
        for (const { name, after: indices } of adds) {
          const key = keyForNew(status, name);
          if (key === undefined) {
            run();
            continue;
          }
          const steps = [...status.keys()].filter((one) => one !== "plan_1" && stepName(one) !== LAST_STEP);
          const chosen = indices.flatMap((index) =>
            steps.length === 0 ? [] : [steps[index % steps.length]!],
          );
          if (chosen.length > 0 && name !== LAST_STEP) after.set(key, chosen);
          before.set(key, chosen.length > 0 && name !== LAST_STEP ? chosen : steps);
          status.set(key, "pending");
        }
        while (run());
        for (const [key, value] of status)
          if (key !== "plan_1") expect([key, isFinished(value)]).toEqual([key, true]);
      }),
    );
  });
});
