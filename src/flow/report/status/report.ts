import { printable } from "../../../kernel/text/printable.ts";
import { type Artifact, mapAt, pendingGate, textAt } from "../../artifact/read.ts";
import { type JsonMap, LosslessNumber } from "../../common/lossless-json.ts";
import { ageOf, goalOf, LABELS, type Looked, oneLine } from "./look.ts";
import { type Phase, plannedPhases, recordedPhases } from "./phases.ts";

const GOAL_CHARACTERS = 120;
const TYPE_WIDTH = 7;
const SHOWN_PHASES = 3;
const NOTHING = "—";

/** A workflow in five lines, six when it is blocked (docs/spec/flow.md 14). */
export function reportLines(looked: Looked, lastEvent: JsonMap | undefined, now: number): string[] {
  const { artifact, id, state } = looked;
  const type = (textAt(artifact, "workflow_type") ?? "?").padEnd(TYPE_WIDTH);
  const place = textAt(artifact, "worktree_branch") || textAt(artifact, "worktree_path") || NOTHING;
  const proof = textAt(artifact, "proof_status") || NOTHING;
  return [
    `${LABELS[state]}  ${type}  ${id}   updated ${ageOf(looked, now)}`,
    `  goal: ${oneLine(goalOf(artifact), GOAL_CHARACTERS) || NOTHING}`,
    ...(state === "BLOCKED" ? [`  ⛔ blocked: ${oneLine(gateReason(artifact), GOAL_CHARACTERS)}`] : []),
    `  phases: ${phasesText(artifact)}   proof: ${proof}`,
    `  last: ${lastEvent === undefined ? NOTHING : eventText(lastEvent)}`,
    `  worktree: ${place}`,
  ].map(printable);
}

/** Why the workflow waits: the reason that was given, else the gate's name. */
export function gateReason(artifact: Artifact): string {
  const given = mapAt(artifact, "pending_gate_detail").get("reason");
  if (typeof given === "string" && given.trim() !== "") return given;
  const inGate = mapAt(artifact, "pending_gate").get("reason");
  return typeof inGate === "string" && inGate !== "" ? inGate : (pendingGate(artifact) ?? "");
}

function phasesText(artifact: Artifact): string {
  const planned = plannedPhases(artifact);
  if (planned.length === 0) {
    const recorded = recordedPhases(artifact);
    if (recorded.length === 0) return NOTHING;
    return recorded.map(({ id, status, symbol }) => `${symbol}${id}:${status}`).join(" · ");
  }
  const shown = planned.slice(0, SHOWN_PHASES).map(({ id, label }: Phase) => `${id}:${label}`);
  const rest = planned.length > SHOWN_PHASES ? ` +${planned.length - SHOWN_PHASES}` : "";
  return `${planned.map(({ symbol }) => symbol).join("")}  (${shown.join(" · ")}${rest})`;
}

/** An event in short: what happened, to whom, how it ended. */
export function eventText(event: JsonMap): string {
  const text = (key: string) => {
    const value = event.get(key);
    return typeof value === "string" ? oneLine(value, GOAL_CHARACTERS) : "";
  };
  const agent = text("agent");
  const confidence = event.get("confidence");
  const conf = confidence instanceof LosslessNumber ? `conf ${confidence.text}` : "";
  const parts = [text("event"), agent === "router" ? "" : agent, text("status"), conf];
  return parts.filter((part) => part !== "").join(" · ") || NOTHING;
}
