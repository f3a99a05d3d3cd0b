/** Any sequence of edits resolves to a sound pipeline or is refused with a message that names one of them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ARCHETYPES, PHASES } from "../../src/craft/common/vocabulary.ts";
import { isExecutingHarness } from "../../src/craft/pipeline/descriptor.ts";
import type { Resolution } from "../../src/craft/pipeline/resolve/resolution.ts";
import { craft, type World, world } from "./world.ts";

const ids = fc.constantFrom(...PHASES, "plan", "docs", "adr", "one", "two", "three", "nosuch");
const artifacts = fc.constantFrom("workspace", "design", "plan", "change", "pr", "docs", "x", "y");
const few = fc.uniqueArray(artifacts, { maxLength: 2 });
const fresh = fc.constantFrom("one", "two", "three", "review", "validation");

const shape = {
  consumes: few,
  produces: few,
  procedure: fc.constant("p"),
  archetype: fc.constantFrom(...ARCHETYPES),
  contract: fc.subarray(["harness-exec", "delivery", "producer"], { maxLength: 1 }),
  gate: fc.constantFrom("make check", "<gates.phase>"),
  enabled: fc.boolean(),
  role: fc.constantFrom("craft:planner", "craft:reviewer"),
  execution: fc.constantFrom("agent", "inline"),
};
const optionalKeys = { requiredKeys: ["id", "procedure"] as const };
const insert = fc.record({ id: fresh, after: ids, before: ids, ...shape }, optionalKeys as never);
const registered = fc.record({ id: fc.oneof(fresh, ids), ...shape }, optionalKeys as never);
const block = fc.record(
  {
    enabled: fc.boolean(),
    required: fc.boolean(),
    execution: fc.constantFrom("agent", "inline"),
    role: fc.constantFrom("craft:planner", "craft:nobody"),
    model: fc.constantFrom("opus", "haiku"),
    harness: fc.record(
      { passes: fc.integer({ min: 1, max: 4 }), scope: fc.constant("per-file") },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

const edits = fc.record({
  pipeline: fc.record(
    {
      insert: fc.array(insert, { maxLength: 3 }),
      reorder: fc.uniqueArray(ids, { maxLength: 4 }),
      skip: fc.uniqueArray(ids, { maxLength: 3 }),
      profile: fc.constantFrom("solo", "lean", "full"),
    },
    { requiredKeys: [] },
  ),
  phases: fc.dictionary(ids, block, { maxKeys: 3 }),
  extends: fc.record({ phases: fc.array(registered, { maxLength: 2 }) }, { requiredKeys: [] }),
});

const flags = fc.record({
  skip: fc.uniqueArray(ids, { maxLength: 2 }),
  knob: fc.option(fc.constantFrom("review.passes=2", "validation.scope=per-file", "one.passes=3")),
});

type Edits = typeof edits extends fc.Arbitrary<infer T> ? T : never;
type Flags = typeof flags extends fc.Arbitrary<infer T> ? T : never;

function resolve(at: World, manifest: unknown, { skip, knob }: Flags) {
  at.write("m.yml", JSON.stringify(manifest));
  const skips = skip.length === 0 ? [] : ["--skip", skip.join(",")];
  const knobs = knob === null ? [] : ["--harness", knob];
  return craft(at, ["pipeline-resolve", "@default", "m.yml", ...skips, ...knobs]);
}

/** Every mapping with its keys the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

function assertSound({ effective, gateDecisions, waivers, record }: Resolution) {
  const made = new Set<string>();
  for (const { id, enabled, consumes, self_supply, produces } of effective) {
    expect(enabled).toBe(true);
    for (const artifact of consumes)
      expect([id, artifact, made.has(artifact) || self_supply.includes(artifact)]).toEqual([
        id,
        artifact,
        true,
      ]);
    for (const artifact of produces) made.add(artifact);
  }
  const order = effective.map(({ id }) => id);
  expect(new Set(order).size).toBe(order.length);
  expect(gateDecisions.map(({ phaseId }) => phaseId)).toEqual(order);
  for (const { phaseId, codeProducing, gate, awaitingHarnesses } of gateDecisions) {
    if (codeProducing) expect([phaseId, gate]).not.toEqual([phaseId, ""]);
    const awaited = effective.filter(isExecutingHarness).map(({ id }) => id);
    if (phaseId === "propose") expect(awaitingHarnesses).toEqual(awaited);
    else expect(awaitingHarnesses).toBeUndefined();
  }
  const propose = order.indexOf("propose");
  for (const phase of effective)
    if (propose >= 0 && isExecutingHarness(phase)) expect(order.indexOf(phase.id)).toBeLessThan(propose);
  for (const { id, autoSkipEligible } of effective)
    if (["workspace", "implementation", "propose", "integrate"].includes(id))
      expect(autoSkipEligible).toBe(false);
  for (const { phaseId, proposeGateReleased } of waivers)
    expect(record.some((line) => line.startsWith(`WAIVER: ${phaseId} `))).toBe(proposeGateReleased);
}

/** The words of the edits, of which a refusal has to name one. */
function named({ pipeline, phases, extends: more }: Edits, { skip, knob }: Flags): string[] {
  const entries = [...(pipeline.insert ?? []), ...(more.phases ?? [])] as { id?: string; after?: string }[];
  const words = [
    ...entries.flatMap(({ id, after }) => [id, after]),
    ...(pipeline.reorder ?? []),
    ...(pipeline.skip ?? []),
    ...Object.keys(phases),
    ...skip,
    ...(knob === null ? [] : [knob.split(".")[0]!]),
  ];
  const canonical: Record<string, string> = { plan: "planning", docs: "documentation", adr: "decisions" };
  return words.flatMap((word) => (word === undefined ? [] : [word, canonical[word] ?? word]));
}

describe("any sequence of edits", () => {
  test("resolves to a pipeline whose consumers have earlier producers and whose floors hold, or is refused by name", async () => {
    const at = world();
    let resolved = 0;
    await fc.assert(
      fc.asyncProperty(edits, flags, async (manifest, given) => {
        const { code, stdout, stderr } = await resolve(at, manifest, given);
        if (code === 0) {
          resolved++;
          assertSound(JSON.parse(stdout));
        } else {
          expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
          const words = named(manifest, given);
          expect([stderr, words, words.some((word) => stderr.includes(word))]).toEqual([stderr, words, true]);
        }
      }),
      { numRuns: 250 },
    );
    expect(resolved).toBeGreaterThan(10);
  });

  test("the answer is the same each time and for every order of keys", async () => {
    const at = world();
    await fc.assert(
      fc.asyncProperty(edits, flags, async (manifest, given) => {
        const first = await resolve(at, manifest, given);
        expect(await resolve(at, manifest, given)).toEqual(first);
        const other = await resolve(at, reversed(manifest), given);
        expect(other.code).toBe(first.code);
        if (first.code === 0) expect(other.stdout).toBe(first.stdout);
      }),
      { numRuns: 80 },
    );
  });

  test("what was resolved, taken as a pipeline, resolves to itself", async () => {
    const at = world();
    await fc.assert(
      fc.asyncProperty(edits, flags, async (manifest, given) => {
        const { code, stdout } = await resolve(at, manifest, given);
        if (code !== 0) return;
        const first: Resolution = JSON.parse(stdout);
        at.write("p.yml", JSON.stringify(first.effective.map(({ autoSkipEligible, ...phase }) => phase)));
        const again = await craft(at, ["pipeline-resolve", "p.yml"]);
        expect(again.stderr).toBe("");
        const second: Resolution = JSON.parse(again.stdout);
        const plain = ({ effective }: Resolution) => effective.map(({ autoSkipEligible, ...phase }) => phase);
        expect(plain(second)).toEqual(plain(first));
        expect(second.gateDecisions).toEqual(first.gateDecisions);
        expect(second.record.filter((line) => !line.startsWith("fan-out"))).toEqual([]);
      }),
      { numRuns: 80 },
    );
  });
});
