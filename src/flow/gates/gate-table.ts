/** The gates a workflow may wait at, and what JUST_GO may answer itself (docs/spec/flow.md 7.1 and 7.3). */

/** Who may answer: nobody but a person, the machine, or the machine for a decision checkpoint with a recommended option. */
export type Answerable = "ask" | "auto" | "recommended-decision";

/** Values of `pending_gate`. */
const GATES: Readonly<Record<string, Answerable>> = {
  intent_contradiction: "ask",
  clarification: "ask",
  scope_decision: "auto",
  checkpoint_decision: "recommended-decision",
  phase_blocked: "ask",
  worktree_merge_locked: "ask",
  worktree_dirty_main_tree: "ask",
  worktree_merge_conflict: "ask",
  worktree_merge_unrecognized_failure: "ask",
  worktree_copy_fallback_failed: "ask",
  worktree_cleanup_failed: "ask",
  worktree_base_branch_changed: "ask",
};

/** Questions that are no gate of a workflow and yet are asked about. */
const PSEUDO_GATES = ["root_ambiguous", "revert", "skill_distill_approval", "circuit_breaker"];

const GATE_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Whether a word can be a gate's name, known or not. */
export function isGateName(word: string): boolean {
  return GATE_NAME.test(word);
}

/** Whether a gate is one of the page's. */
export function isKnownGate(name: string): boolean {
  return Object.hasOwn(GATES, name);
}

/** Whether a name is one that JUST_GO is asked about. */
export function isKnownQuestion(name: string): boolean {
  return isKnownGate(name) || PSEUDO_GATES.includes(name);
}

/** Whether `worktree finalize` sets a gate and ends it. */
export function isWorktreeGate(name: string): boolean {
  return name.startsWith("worktree_");
}

/** Who may answer a gate; of one that is not known, a person alone. */
export function answerableBy(name: string): Answerable {
  return Object.hasOwn(GATES, name) ? GATES[name]! : "ask";
}

export const GATE_NAMES: readonly string[] = Object.keys(GATES);
