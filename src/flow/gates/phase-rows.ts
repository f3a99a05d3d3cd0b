/** The phases of a workflow as they stand: its plan's, and the steps that agents run (docs/spec/flow.md 6.5). */
import { type Artifact, listAt, mapAt } from "../artifact/read.ts";
import type { JsonMap } from "../common/lossless-json.ts";
import { type Step, stepsOf } from "./order.ts";
import { isFinished, type PhaseKind } from "./transitions.ts";

/** The elements of `normalized_phases` that have an id, in order. */
export function planPhases(artifact: Artifact): { id: string; phase: JsonMap }[] {
  return listAt(artifact, "normalized_phases").flatMap((phase) => {
    const id = phase instanceof Map ? phase.get("phase_id") : undefined;
    return typeof id === "string" ? [{ id, phase: phase as JsonMap }] : [];
  });
}

export function steps(artifact: Artifact): Step[] {
  const after = new Map<string, string[]>();
  for (const [key, list] of mapAt(artifact, "phase_after")) {
    if (Array.isArray(list))
      after.set(
        key,
        list.filter((one) => typeof one === "string"),
      );
  }
  return stepsOf({
    statuses: mapAt(artifact, "phase_status"),
    planPhases: new Set(planPhases(artifact).map(({ id }) => id)),
    after,
  });
}

/** Keys of the steps that may run now. */
export function runnable(artifact: Artifact): string[] {
  return steps(artifact).flatMap((step) => (step.runnable ? [step.key] : []));
}

/** The first phase of the plan that is neither completed nor skipped; null when there is none. */
export function firstUnfinished(artifact: Artifact): string | null {
  const statuses = mapAt(artifact, "phase_status");
  return planPhases(artifact).find(({ id }) => !isFinished(statuses.get(id)))?.id ?? null;
}

export interface PhaseRow {
  key: string;
  kind: PhaseKind;
  /** One of the page's; another tool's as it stands. */
  status: string;
  runnable: boolean;
  waits_for: string[];
}

/** The plan's phases in its order, then the steps in theirs. */
export function phaseRows(artifact: Artifact): PhaseRow[] {
  const statuses = mapAt(artifact, "phase_status");
  const statusOf = (key: string) => {
    const status = statuses.get(key);
    return typeof status === "string" ? status : "pending";
  };
  return [
    ...planPhases(artifact).map(({ id }) => ({
      key: id,
      kind: "plan" as const,
      status: statusOf(id),
      runnable: false,
      waits_for: [],
    })),
    ...steps(artifact).map(({ key, runnable: mayRun, waitsFor }) => ({
      key,
      kind: "step" as const,
      status: statusOf(key),
      runnable: mayRun,
      waits_for: [...waitsFor],
    })),
  ];
}
