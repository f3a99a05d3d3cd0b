/** The answer of a resolution (docs/spec/craft-engine.md 5.3). */
import type { YamlMap } from "../../../kernel/yaml/yaml.ts";
import { shown } from "../../common/problem.ts";
import type { Action, Verdict } from "../../common/vocabulary.ts";
import type { GateDecision } from "../../gates/decide.ts";
import { adapterNames, backlogOf, modelOf } from "../../manifest/manifest.ts";
import { child, stringOf } from "../../manifest/nodes.ts";
import { type Descriptor, FLOOR_PHASES } from "../descriptor.ts";
import { indispensable } from "../strand.ts";
import { projectedHarness, reviewFanOut } from "./harness.ts";
import type { Phase } from "./phase.ts";
import type { Waiver } from "./waivers.ts";

/** A phase that will run: its descriptor, with the engine's projection of the harness. */
export type EffectivePhase = Descriptor & { autoSkipEligible: boolean };

export interface Resolution {
  ok: true;
  errors: readonly never[];
  effective: EffectivePhase[];
  record: string[];
  gateDecisions: GateDecision[];
  waivers: Waiver[];
  policy: Partial<Record<Action, Verdict>>;
}

/** The phases that run, in walk order. */
export function effectivePhases(phases: readonly Phase[]): EffectivePhase[] {
  const running = phases.filter(({ descriptor }) => descriptor.enabled);
  const needed = indispensable(running.map(({ descriptor }) => descriptor));
  return running.map(({ descriptor, block }, index) => {
    const required = child(block, "required");
    const isRequired = required?.kind === "scalar" && required.value === true;
    const harness = projectedHarness(descriptor);
    return {
      ...descriptor,
      ...(harness === undefined ? {} : { harness }),
      autoSkipEligible: !FLOOR_PHASES.includes(descriptor.id) && !isRequired && !needed.has(index),
    };
  });
}

/** What the manifest declares that a run has to act on (5.4, lines 6 and 7). */
export function declarationRecord(manifest: YamlMap): string[] {
  const lines: string[] = [];
  const backlog = backlogOf(manifest);
  if (backlog !== undefined && ["file", "custom", ...adapterNames(manifest)].includes(backlog.source)) {
    const ref = backlog.ref ?? (backlog.source === "file" ? "<default path>" : "<unspecified>");
    const what = shown`source "${backlog.source}" (ref: ${ref})`;
    lines.push(`backlog: ${what} — Backlog.resolve required at input-classify.`);
  }
  const fallback = modelOf(manifest, "fallback") ?? stringOf(child(child(manifest, "models"), "fallback"));
  if (fallback !== undefined) {
    const what = shown`"${fallback}"`;
    lines.push(
      `models.fallback: ${what} declared — fallback re-resolution policy active for degraded tiers.`,
    );
  }
  return lines;
}

const MANY_REVIEWERS = 8;

/** What a review costs, when that is a lot. */
export function fanOutRecord(effective: readonly Descriptor[]): string[] {
  const review = effective.find(({ id }) => id === "review");
  if (review?.harness === undefined) return [];
  const { dimensions, passes } = reviewFanOut(review.harness);
  const reviewers = dimensions * passes;
  if (reviewers <= MANY_REVIEWERS) return [];
  return [
    `fan-out: review resolves to ${reviewers} reviewers (${dimensions} dimensions × ${passes} passes) — advisory only; nothing is capped. Each round spawns that many at once.`,
  ];
}
