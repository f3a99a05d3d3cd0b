import type { YamlMap } from "../../../kernel/yaml/yaml.ts";
import { yamlValue } from "../../../kernel/yaml/yaml.ts";
import { KNOBS } from "../../common/vocabulary.ts";
import { type Descriptor, isExecutingHarness } from "../descriptor.ts";

type Harness = Readonly<Record<string, unknown>>;

/** Knobs in one order, whatever order they were written in. */
export function orderedHarness(harness: Harness): Harness {
  const rank = (knob: string) => {
    const at = (KNOBS as readonly string[]).indexOf(knob);
    return at < 0 ? KNOBS.length : at;
  };
  const knobs = Object.keys(harness).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(knobs.map((knob) => [knob, harness[knob]]));
}

/** A phase's knobs with those of its block over them, one by one; lists replace, they never unite. */
export function mergedHarness(own: Harness | undefined, block: YamlMap): Harness {
  const given = yamlValue(block) as Harness;
  const fresh = Object.keys(given).filter((knob) => own === undefined || !Object.hasOwn(own, knob));
  const added = orderedHarness(Object.fromEntries(fresh.map((knob) => [knob, given[knob]])));
  const kept = Object.entries(own ?? {}).map(([knob, value]): [string, unknown] => [
    knob,
    Object.hasOwn(given, knob) ? given[knob] : value,
  ]);
  return { ...Object.fromEntries(kept), ...added };
}

/** How often, and until when, a review goes on. */
export interface ReviewPlan {
  passes: number;
  stop_rule: string;
}

/** One tool that an executing harness runs (docs/spec/craft-engine.md 5.3). */
export interface TechniquePlan {
  id: string;
  scope: string;
  mode: string;
  runStyle: string;
  commitPrefix: string;
  probe?: string;
  run?: string;
  triageProcedure?: string;
}

/** The harness as it is printed: with the engine's own projection of the knobs. */
export function projectedHarness(descriptor: Descriptor): Harness | undefined {
  const { id, harness } = descriptor;
  if (harness === undefined) return undefined;
  return {
    ...harness,
    ...(id === "review" ? { reviewPlan: reviewPlanOf(harness) } : {}),
    ...(isExecutingHarness(descriptor) ? { techniquePlan: techniquePlanOf(harness) } : {}),
  };
}

export function reviewPlanOf(harness: Harness): ReviewPlan {
  const { passes, convergence } = harness;
  const stop =
    convergence === "none"
      ? "none"
      : typeof convergence === "number"
        ? `non-low-count<=${convergence}`
        : "low-only";
  return { passes: Number.isSafeInteger(passes) ? (passes as number) : 1, stop_rule: stop };
}

function techniquePlanOf(harness: Harness): TechniquePlan[] {
  const { techniques, scope } = harness;
  if (!Array.isArray(techniques)) return [];
  return techniques.map((technique: Record<string, string | undefined>) => ({
    id: technique["id"]!,
    scope: technique["scope"] ?? (typeof scope === "string" ? scope : "per-hunk"),
    mode: technique["mode"] ?? "gate",
    runStyle: technique["run-style"] ?? "sync",
    commitPrefix: technique["commit-prefix"] ?? "chore",
    ...(technique["probe"] === undefined ? {} : { probe: technique["probe"] }),
    ...(technique["run"] === undefined ? {} : { run: technique["run"] }),
    ...(technique["triage-procedure"] === undefined
      ? {}
      : { triageProcedure: technique["triage-procedure"] }),
  }));
}

/** How many reviewers a review's first round spawns. */
export function reviewFanOut(harness: Harness): { dimensions: number; passes: number } {
  const { dimensions } = harness;
  return {
    dimensions: Array.isArray(dimensions) ? dimensions.length : 0,
    passes: reviewPlanOf(harness).passes,
  };
}
