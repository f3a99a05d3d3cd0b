import type { Action, Verdict } from "../common/vocabulary.ts";

/** `no-op`: the phase ends with its POLICY line and the run goes on; `block`: the user gets a blocker. */
export type Effect = "no-op" | "block";

export interface ActionRule {
  /** The verdict when nothing is configured. */
  standard: Verdict;
  /** On a standing `never`. */
  onRefuse: Effect;
  /** When a person declines. */
  onDecline: Effect;
}

const LOCAL: ActionRule = { standard: "always", onRefuse: "no-op", onDecline: "no-op" };
const OUTWARD: ActionRule = { standard: "ask", onRefuse: "block", onDecline: "block" };
/** A standing `never` is a way to run without it; a declined question is not. */
const DELIVERY: ActionRule = { ...OUTWARD, onRefuse: "no-op" };

/** Every action's default and consequences (docs/spec/craft-engine.md 10.1). */
export const ACTION_RULES: Readonly<Record<Action, ActionRule>> = {
  isolate: LOCAL,
  commit: LOCAL,
  "backlog-write": LOCAL,
  push: OUTWARD,
  propose: DELIVERY,
  integrate: DELIVERY,
  teardown: OUTWARD,
  "external-send": OUTWARD,
};
