/** Conditions that must hold, judged from the artifact alone (docs/spec/flow.md 7.2). Each gives the reasons it fails for. */
import {
  type Artifact,
  fieldAt,
  listAt,
  mapAt,
  numberAt,
  pendingGate,
  textAt,
  valueAt,
} from "../artifact/read.ts";
import type { JsonMap, JsonValue } from "../common/lossless-json.ts";
import { isTailStep } from "./order.ts";
import { planPhases, steps } from "./phase-rows.ts";
import { isFinished } from "./transitions.ts";

const PLANNED_MODES = ["execution_plan", "decision_rfc"];

/** Whether phases of the workflow's plan have to say when they are done. */
export function needsExitCriteria(artifact: Artifact): boolean {
  return PLANNED_MODES.includes(textAt(artifact, "plan_mode") ?? "");
}

export function hasExitCriteria(phase: JsonMap): boolean {
  const criteria = phase.get("exit_criteria");
  return Array.isArray(criteria) && criteria.length > 0;
}

/** What a plan's file says, as far as trust in it goes. */
export type PlanText = { text: string } | { unreadable: string };

/** `plan`: the file of `plan_file`; undefined when none is referenced, which is nothing to distrust. */
export function planTrust(artifact: Artifact, plan: PlanText | undefined): string[] {
  if (plan === undefined) return [];
  const open = listAt(artifact, "intent.open_decisions").filter((entry) => !isApproved(entry)).length;
  const reasons: string[] = [];
  if (open > 0) reasons.push(`intent.open_decisions: ${open} not approved`);
  if (textAt(artifact, "plan_mode") === null) reasons.push("plan_mode is not set");
  if (typeof valueAt(artifact, "verification_rigor") !== "string")
    reasons.push("verification_rigor is missing");
  if (needsExitCriteria(artifact)) {
    for (const { id, phase } of planPhases(artifact)) {
      if (!hasExitCriteria(phase)) reasons.push(`phase ${id} has no exit_criteria`);
    }
    if (listAt(artifact, "intent.acceptance_criteria").length === 0) {
      reasons.push("intent.acceptance_criteria is empty");
    }
  }
  if ("unreadable" in plan) reasons.push(`plan_file: ${plan.unreadable}`);
  else if (!plan.text.toLowerCase().includes("differences from agreement")) {
    reasons.push('plan_file has no "Differences from agreement"');
  }
  return reasons;
}

function isApproved(entry: JsonValue): boolean {
  return entry instanceof Map && entry.get("approved") === true;
}

export function phaseExit(artifact: Artifact): string[] {
  const cursor = textAt(artifact, "phase_cursor");
  const reasons = cursor === null ? openSteps(artifact) : cursorReasons(artifact, cursor);
  const proof = fieldAt(artifact, "proof_status");
  if (proof !== "passed") reasons.push(`proof_status is ${spelled(proof)}, not passed`);
  const gate = pendingGate(artifact);
  if (gate !== null) reasons.push(`the gate ${gate} is set`);
  return reasons;
}

function openSteps(artifact: Artifact): string[] {
  return steps(artifact)
    .filter(({ key, status }) => !isTailStep(key) && !isFinished(status))
    .map(({ key, status }) => `step ${key} is ${spelled(status as JsonValue)}`);
}

function cursorReasons(artifact: Artifact, cursor: string): string[] {
  const status = mapAt(artifact, "phase_status").get(cursor);
  const phase = planPhases(artifact).find(({ id }) => id === cursor)?.phase;
  const reasons: string[] = [];
  if (status !== "completed")
    reasons.push(`phase ${cursor} is ${spelled(status ?? "pending")}, not completed`);
  if (needsExitCriteria(artifact) && (phase === undefined || !hasExitCriteria(phase))) {
    reasons.push(`phase ${cursor} has no exit_criteria`);
  }
  return reasons;
}

const MOST_LOOPS = 3;

export function failureStop(artifact: Artifact): string[] {
  const reasons: string[] = [];
  if (fieldAt(artifact, "circuit_breaker.broken") === true) reasons.push("circuit_breaker is broken");
  for (const [key, status] of mapAt(artifact, "phase_status")) {
    if (status === "blocked") reasons.push(`phase ${key} is blocked`);
  }
  const loops = (name: string) => numberAt(artifact, `telemetry.loop_counts.${name}`) ?? 0;
  const isEscalated = textAt(artifact, "build_mode") === "fast_path_escalated";
  if (isEscalated && loops("re_verify") >= 1 && fieldAt(artifact, "proof_status") !== "passed") {
    reasons.push("the escalated fast path was verified again and has not passed");
  }
  for (const name of ["doubt_verify", "fix_verify"]) {
    if (loops(name) > MOST_LOOPS) reasons.push(`${name} ran ${loops(name)} times, more than ${MOST_LOOPS}`);
  }
  return reasons;
}

const spelled = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value));
