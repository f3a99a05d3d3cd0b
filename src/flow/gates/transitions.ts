/** How the status of a phase may change (docs/spec/flow.md 6.5). */
import { PHASE_STATUSES, type PhaseStatus } from "../artifact/fields.ts";

/** A plan phase groups work and is a `phase_id` of the plan; a step is what an agent runs. */
export type PhaseKind = "plan" | "step";

const NEXT: Readonly<Record<PhaseStatus, readonly PhaseStatus[]>> = {
  pending: ["in_progress", "skipped", "blocked"],
  in_progress: ["completed", "partial", "blocked", "skipped"],
  partial: ["in_progress", "completed", "blocked"],
  blocked: ["pending", "in_progress", "skipped"],
  completed: [],
  skipped: [],
};

/** A plan phase is done when its steps are, and need not have been started itself. */
const NEXT_OF_PLAN: Readonly<Record<PhaseStatus, readonly PhaseStatus[]>> = {
  ...NEXT,
  pending: [...NEXT.pending, "completed"],
};

/** Nothing waits for it any more. */
export function isFinished(status: unknown): boolean {
  return status === "completed" || status === "skipped";
}

export function isPhaseStatus(text: unknown): text is PhaseStatus {
  return PHASE_STATUSES.includes(text as PhaseStatus);
}

/** The statuses that may follow one; with `reopen` every other one after a finished. An unknown status leads anywhere. */
export function nextStatuses(kind: PhaseKind, from: unknown, reopen = false): readonly PhaseStatus[] {
  if (!isPhaseStatus(from) || (reopen && isFinished(from))) return PHASE_STATUSES.filter((to) => to !== from);
  return (kind === "plan" ? NEXT_OF_PLAN : NEXT)[from];
}
