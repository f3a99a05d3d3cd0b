import { describe, expect, test } from "vitest";
import type { Explanation } from "../../src/craft/explain/schema.ts";
import { runJig } from "../support/run.ts";
import { craft, resolution, world } from "./world.ts";

const MANIFEST = [
  "gates: { phase: make check }",
  "models: { planner: haiku, fallback: opus }",
  "pipeline:",
  "  insert: [{ id: smoke, after: review, gate: make smoke }]",
  "  skip: [lessons]",
  "phases:",
  "  refactor: { role: craft:planner, harness: { depth: 1 } }",
  "  docs: { enabled: false }",
  "extends: { phases: [{ id: decisions, procedure: own }] }",
].join("\n");

async function explained(words: readonly string[] = [], yaml = MANIFEST): Promise<Explanation> {
  const at = world();
  at.manifest(yaml);
  const { code, stdout, stderr } = await craft(at, ["explain", "--json", ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

const phase = ({ phases }: Explanation, id: string) => phases.find((one) => one.id === id)!;
const source = (run: Explanation, id: string, name: string) => {
  const { from, line, name: of } = phase(run, id).values.find((value) => value.name === name)!.source;
  return [from, line ?? of];
};

describe("explain", () => {
  test("every phase says why it is there or is not", async () => {
    const run = await explained(["--skip", "impact-triage"]);
    const why = Object.fromEntries(run.phases.map(({ id, why }) => [id, why]));
    expect(why).toMatchObject({
      workspace: "in the pipeline",
      requirements: "off by default",
      decisions: "replaced by .claude/workflow.md:10",
      smoke: "inserted by .claude/workflow.md:5",
      lessons: "skipped by .claude/workflow.md:6",
      "impact-triage": "skipped by --skip",
      documentation: "disabled by .claude/workflow.md:9",
    });
    expect(run.phases.filter(({ runs }) => runs).map(({ id }) => id)).toEqual(
      run.phases
        .map(({ id }) => id)
        .filter((id) => !/requirements|architecture|lessons|impact|documentation/.test(id)),
    );
  });

  test("every value says what decided it", async () => {
    const run = await explained(["--profile", "lean", "--harness", "review.passes=3"]);
    expect(source(run, "design", "mode")).toEqual(["profile", "lean"]);
    expect(source(run, "refactoring", "role")).toEqual(["manifest", 8]);
    expect(source(run, "refactoring", "tier")).toEqual(["manifest", 3]);
    expect(source(run, "refactoring", "harness.depth")).toEqual(["manifest", 8]);
    expect(source(run, "smoke", "gate")).toEqual(["manifest", 5]);
    expect(source(run, "review", "harness.passes")).toEqual(["flag", null]);
    expect(source(run, "review", "harness.max_cycles")).toEqual(["pipeline", null]);
    expect(source(run, "review", "tier")).toEqual(["pipeline", null]);
    expect(run.reviewers).toEqual({ count: 12, dimensions: 4, passes: 3 });
    expect(phase(run, "validation").awaitedByPropose).toBe(true);
    const solo = await explained(
      ["--profile", "solo"],
      "phases: { design: { execution: agent, model: haiku } }",
    );
    expect(source(solo, "design", "mode")).toEqual(["manifest", 2]);
    expect(source(solo, "design", "tier")).toEqual(["manifest", 2]);
  });

  test("it tells what pipeline-resolve resolves to", async () => {
    const at = world();
    const { effective, gateDecisions } = await resolution(at);
    const run: Explanation = JSON.parse((await craft(at, ["explain", "--json"])).stdout);
    const running = run.phases.filter(({ runs }) => runs);
    expect(
      running.map(({ id, mode, gate, contract, autoSkipEligible }) => ({
        id,
        mode,
        gate,
        contract,
        autoSkipEligible,
      })),
    ).toEqual(
      effective.map(({ id, execution, contract, autoSkipEligible }, index) => {
        return { id, mode: execution, gate: gateDecisions[index]!.gate, contract, autoSkipEligible };
      }),
    );
    expect(run.agentPhases).toBe(8);
    expect(run.manifestPath).toBeNull();
  });

  test("one phase is told in full, with what its gate means here", async () => {
    const at = world();
    at.manifest(MANIFEST);
    const { code, stdout } = await craft(at, ["explain", "refactor"]);
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "refactoring",
      "  runs           yes, in the pipeline",
      "  archetype      refinement",
      "  mode           agent  (the pipeline)",
      "  role           craft:planner  (.claude/workflow.md:8)",
      "  tier           haiku  (.claude/workflow.md:3)",
      "  procedure      craft:refactoring  (the pipeline)",
      "  gate           <gates.phase>  (the pipeline)",
      "  contract       core, refinement  (the pipeline)",
      "  harness.depth  1  (.claude/workflow.md:8)",
      "  gate means     make check",
      "  consumes       change",
      "  produces       change",
      "  auto-skip      allowed, when the walk proves it has nothing to do",
      "",
    ]);
    const none = await craft(world(), ["explain", "implementation"]);
    expect(none.stdout).toContain("the phase would refuse to run");
    expect(await craft(at, ["explain", "revew"])).toEqual({
      ...{ code: 2, stdout: "" },
      stderr: "explain: revew is no phase of this run; did you mean review?\n",
    });
  });

  test("it fails as resolve does", async () => {
    const at = world();
    expect(await craft(at, ["explain", "--config", "none"])).toMatchObject({ code: 1, stdout: "" });
    at.manifest("foo: 1");
    expect(await craft(at, ["explain"])).toMatchObject({
      ...{ code: 2, stdout: "" },
      stderr: expect.stringContaining("INVALID manifest"),
    });
  });
});

test("manifest-schema is the schema that jig schema prints", async () => {
  const [own, listed] = await Promise.all([
    runJig(["craft", "manifest-schema"]),
    runJig(["schema", "craft-manifest"]),
  ]);
  expect(own).toMatchObject({ code: 0, stdout: listed.stdout });
  const schema = JSON.parse(own.stdout);
  expect(Object.keys(schema.properties)).toContain("pipeline");
  expect(schema.additionalProperties).toBe(false);
});
