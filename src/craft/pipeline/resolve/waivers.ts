import { isExecutingHarness, WAIVABLE_PHASES } from "../descriptor.ts";
import type { Phase } from "./phase.ts";

export interface Waiver {
  phaseId: string;
  reason: "pipeline.skip" | "phases.enabled:false" | "extends.phases";
  /** Whether `propose` no longer waits for it. */
  proposeGateReleased: boolean;
}

/** Quality phases that this run goes without (docs/spec/craft-engine.md 5.3). */
export function waiversOf(phases: readonly Phase[]): Waiver[] {
  const byId = new Map(phases.map((phase) => [phase.descriptor.id, phase]));
  return WAIVABLE_PHASES.flatMap((id) => {
    const phase = byId.get(id);
    const reason = phase === undefined ? undefined : reasonFor(phase);
    if (phase === undefined || reason === undefined) return [];
    const harness =
      isExecutingHarness(phase.replaced ?? phase.descriptor) || isExecutingHarness(phase.descriptor);
    return { phaseId: id, reason, proposeGateReleased: harness };
  });
}

function reasonFor({ state, replaced, descriptor }: Phase): Waiver["reason"] | undefined {
  if (state === "skipped") return "pipeline.skip";
  if (state === "disabled") return "phases.enabled:false";
  if (replaced === undefined) return undefined;
  const turnedOff = replaced.enabled && !descriptor.enabled;
  const dropped = isExecutingHarness(replaced) && !isExecutingHarness(descriptor);
  return turnedOff || dropped ? "extends.phases" : undefined;
}

/** The record lines of the waivers that release `propose`. */
export function waiverRecord(waivers: readonly Waiver[]): string[] {
  return waivers
    .filter(({ proposeGateReleased }) => proposeGateReleased)
    .map(
      ({ phaseId, reason }) =>
        `WAIVER: ${phaseId} (${reason}) — executing-harness skipped; propose-gate for ${phaseId} is released. Its quality guarantee is waived for this run; keep that visible.`,
    );
}
