import { type Artifact, pendingGate } from "./read.ts";

/** How a workflow stands, in one word (docs/spec/flow.md 14). */
export type WorkflowState = "BLOCKED" | "DONE" | "RUNNING" | "IDLE";

/** An artifact written within this time, milliseconds, is one that is worked on. */
const FRESH_MS = 90_000;

/** `modifiedMs`: of the artifact's file. */
export function stateOf(
  artifact: Artifact,
  { done, modifiedMs, now }: { done: boolean; modifiedMs: number; now: number },
): WorkflowState {
  if (pendingGate(artifact) !== null) return "BLOCKED";
  if (done) return "DONE";
  return now - modifiedMs <= FRESH_MS ? "RUNNING" : "IDLE";
}
