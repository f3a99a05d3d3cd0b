/** How far a workflow is, by its phases (docs/spec/flow.md 14). */
import { type Artifact, listAt, mapAt, textAt } from "../../artifact/read.ts";
import type { JsonMap, JsonValue } from "../../common/lossless-json.ts";

export interface Phase {
  id: string;
  /** As the artifact spells it; `pending` when it says nothing. */
  status: string;
  symbol: string;
  /** `done`, `▶running`, `blocked`, `skipped` or `pending`. */
  label: string;
  /** The planner's entry; undefined for a step. */
  planned: JsonMap | undefined;
}

/** The phases of the plan, in its order. */
export function plannedPhases(artifact: Artifact): Phase[] {
  const cursor = textAt(artifact, "phase_cursor");
  const statuses = mapAt(artifact, "phase_status");
  return listAt(artifact, "normalized_phases").flatMap((planned, index) => {
    if (!(planned instanceof Map)) return [];
    const id = planned.get("phase_id");
    const name = typeof id === "string" ? id : `#${index + 1}`;
    const status = statusText(statuses.get(name)) ?? statusText(planned.get("status")) ?? "pending";
    return [{ id: name, status, ...shown(status, name === cursor), planned }];
  });
}

/** Everything that has a status, in the order it was added, and the cursor where that has none. */
export function recordedPhases(artifact: Artifact): Phase[] {
  const cursor = textAt(artifact, "phase_cursor");
  const phases = [...mapAt(artifact, "phase_status")].map(([id, value]) => {
    const status = statusText(value) ?? "pending";
    return { id, status, ...shown(status, id === cursor), planned: undefined };
  });
  if (cursor !== null && cursor !== "" && !phases.some(({ id }) => id === cursor)) {
    phases.push({ id: cursor, status: "running", ...shown("", true), planned: undefined });
  }
  return phases;
}

function statusText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function shown(status: string, isCursor: boolean): { symbol: string; label: string } {
  if (status === "completed") return { symbol: "✓", label: "done" };
  if (status === "blocked") return { symbol: "⚠", label: "blocked" };
  if (status === "skipped") return { symbol: "○", label: "skipped" };
  if (isCursor || status === "partial" || status === "in_progress") return { symbol: "▶", label: "▶running" };
  return { symbol: "○", label: "pending" };
}

export interface Progress {
  percent: number;
  /** Finished phases, and all of them. */
  done: number;
  total: number;
}

/** What the last entry of the history means where there are no phases to count. */
const BY_EVENT: Readonly<Record<string, number>> = {
  workflow_started: 5,
  fast_path_selected: 15,
  planning: 25,
  plan_saved: 25,
  phase_started: 30,
  phase_exit_gate_passed: 80,
  integration_verified: 90,
  memory_finalized: 100,
  workflow_complete: 100,
};
const WITH_CURSOR = 20;

export function progressOf(artifact: Artifact, isDone: boolean): Progress {
  const planned = plannedPhases(artifact);
  const statuses = planned.length > 0 ? planned.map(({ status }) => status) : recordedStatuses(artifact);
  const total = statuses.length;
  const done = statuses.filter((status) => status === "completed" || status === "skipped").length;
  if (isDone) return { percent: 100, done, total };
  if (total > 0) return { percent: halfToEven(done, total), done, total };
  const last = listAt(artifact, "status_history").at(-1);
  const event = last instanceof Map ? last.get("event") : undefined;
  const known = typeof event === "string" && Object.hasOwn(BY_EVENT, event) ? BY_EVENT[event] : undefined;
  const cursor = textAt(artifact, "phase_cursor");
  return { percent: known ?? (cursor === null ? 0 : WITH_CURSOR), done, total };
}

function recordedStatuses(artifact: Artifact): string[] {
  return [...mapAt(artifact, "phase_status").values()].map((value) => statusText(value) ?? "pending");
}

/** `part` of `whole` in percent, rounded half to even. */
function halfToEven(part: number, whole: number): number {
  const below = Math.floor((part * 100) / whole);
  const rest = part * 100 - below * whole;
  if (rest * 2 === whole) return below % 2 === 0 ? below : below + 1;
  return rest * 2 > whole ? below + 1 : below;
}
