/** What comes next in a workflow (docs/spec/flow.md 8.1): the first rule that applies. Pure. */
import { isWorktreeGate } from "../gates/gate-table.ts";
import { isTailStep, LAST_STEP, stepName } from "../gates/order.ts";
import type { PhaseRow } from "../gates/phase-rows.ts";
import { isFinished } from "../gates/transitions.ts";

export type Next =
  | "answer_gate"
  | "finalize_worktree"
  | "restore_worktree"
  | "ask_in_progress"
  | "run_phase"
  | "memory_finalize"
  | "inspect";

/** What the answer follows from. */
export interface Standing {
  gate: string | null;
  phases: readonly PhaseRow[];
  proofPassed: boolean;
  /** A worktree with path and branch that is still to be merged. */
  unmerged: boolean;
  /** Such a worktree, and its directory is gone. */
  lost: boolean;
  /** Its work is in the main tree, or there was nothing to merge. */
  merged: boolean;
  memoryFinalized: boolean;
}

interface Rule {
  next: Next;
  applies(standing: Standing): boolean;
}

const RULES: readonly Rule[] = [
  { next: "answer_gate", applies: ({ gate }) => gate !== null && !isWorktreeGate(gate) },
  { next: "finalize_worktree", applies: (standing) => standing.gate !== null || mayMerge(standing) },
  { next: "restore_worktree", applies: ({ lost }) => lost },
  {
    next: "ask_in_progress",
    applies: ({ phases }) => phases.some(({ runnable, status }) => runnable && status === "in_progress"),
  },
  {
    next: "run_phase",
    applies: ({ phases }) => phases.some(({ key, runnable }) => runnable && !isLast(key)),
  },
  { next: "memory_finalize", applies: mayFinalize },
];

/** Null when the workflow is over; `inspect` when no rule says more. */
export function nextOf(standing: Standing): Next | null {
  const rule = RULES.find(({ applies }) => applies(standing));
  if (rule !== undefined) return rule.next;
  return standing.memoryFinalized && open(standing.phases).length === 0 ? null : "inspect";
}

/** Documentation and memory are written in the main tree, so only they may be open when the work is merged. */
function mayMerge({ phases, proofPassed, unmerged }: Standing): boolean {
  return unmerged && proofPassed && open(phases).every(({ key, kind }) => kind === "step" && isTailStep(key));
}

/** All steps there were are finished; without any, only a merge shows that the work was done. */
function mayFinalize({ memoryFinalized, merged, phases }: Standing): boolean {
  if (memoryFinalized || open(phases).some(({ key }) => !isLast(key))) return false;
  return merged || phases.some(({ kind }) => kind === "step");
}

function open(phases: readonly PhaseRow[]): PhaseRow[] {
  return phases.filter(({ status }) => !isFinished(status));
}

function isLast(key: string): boolean {
  return stepName(key) === LAST_STEP;
}
