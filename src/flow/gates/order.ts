/** Which steps may run now (docs/spec/flow.md 6.5). */
import type { JsonMap } from "../common/lossless-json.ts";
import { isFinished } from "./transitions.ts";

/** The step that comes after every other one, whenever it was added. */
export const LAST_STEP = "memory-finalize";

/** Steps that may be open when a build ends: they come after the merge (docs/spec/flow.md 8.1). */
const TAIL_STEPS = ["build-doc-sync", "learn-distill", "skill-distill", LAST_STEP];

/** The name a step was added under: its key without `#2`, `#3` … */
export function stepName(key: string): string {
  return key.replace(/#\d+$/, "");
}

export function isTailStep(key: string): boolean {
  return TAIL_STEPS.includes(stepName(key));
}

/** What the order of a workflow's steps follows from. */
export interface Steps {
  /** Every key of `phase_status` in insertion order. */
  statuses: ReadonlyMap<string, unknown>;
  /** The `phase_id`s of the plan: keys that are no steps. */
  planPhases: ReadonlySet<string>;
  /** `phase_after`: what a step waits for instead of all that were added before it. */
  after: ReadonlyMap<string, readonly string[]>;
}

export interface Step {
  key: string;
  status: unknown;
  /** Unfinished keys it comes after; with a status of its own that is pending or in_progress and none of these it may run. */
  waitsFor: readonly string[];
  runnable: boolean;
}

/** The steps in their order, the last one last, each with what it waits for. */
export function stepsOf({ statuses, planPhases, after }: Steps): Step[] {
  const keys = [...statuses.keys()].filter((key) => !planPhases.has(key));
  const isLast = (key: string) => stepName(key) === LAST_STEP;
  const steps: Step[] = [];
  const unfinished: string[] = [];
  for (const key of [...keys.filter((one) => !isLast(one)), ...keys.filter(isLast)]) {
    const status = statuses.get(key);
    const own = isLast(key) ? undefined : after.get(key);
    // A key that is not there any more cannot finish, and so holds nothing up.
    const waitsFor = own?.filter((one) => statuses.has(one) && !isFinished(statuses.get(one))) ?? [
      ...unfinished,
    ];
    const isOpen = status === "pending" || status === "in_progress";
    steps.push({ key, status, waitsFor, runnable: isOpen && waitsFor.length === 0 });
    if (!isFinished(status)) unfinished.push(key);
  }
  return steps;
}

/** The key under which a step is added: its name, or `STEP#2`, `STEP#3` … after finished ones; undefined while one is unfinished. */
export function keyForNew(statuses: ReadonlyMap<string, unknown>, step: string): string | undefined {
  let key = step;
  for (let count = 2; statuses.has(key); count++) {
    if (!isFinished(statuses.get(key))) return undefined;
    key = `${step}#${count}`;
  }
  return key;
}

/** Add a pending step ahead of the first of `before`, or at the end when there are none. */
export function insertStep(statuses: JsonMap, key: string, before: readonly string[]): void {
  const entries = [...statuses];
  const at = entries.findIndex(([name]) => before.includes(name));
  const later = at < 0 ? [] : entries.slice(at);
  for (const [name] of later) statuses.delete(name);
  statuses.set(key, "pending");
  for (const [name, status] of later) statuses.set(name, status);
}
