/** Setting and clearing the gate a workflow waits at (docs/spec/flow.md 7.1), inside a change of its artifact. */
import type { EventFields } from "../artifact/events.ts";
import { type Artifact, pendingGate, setAt, textAt } from "../artifact/read.ts";
import { record } from "../artifact/record.ts";

export interface Gate {
  name: string;
  reason?: string | undefined;
  /** Who holds what it waits for. */
  holder?: string | undefined;
  /** The output of what failed, short enough for an event. */
  details?: string | undefined;
}

/** Set a gate, also over another one; gives the event for the log. */
export function setGate(artifact: Artifact, at: string, gate: Gate): EventFields {
  const { name, reason = null, holder = null, details } = gate;
  setAt(artifact, "pending_gate", name);
  setAt(artifact, "pending_gate_detail", { reason, holder, set_at: at });
  const phase = textAt(artifact, "phase_cursor");
  const extra = { ...(holder === null ? {} : { holder }), ...(details === undefined ? {} : { details }) };
  return record(artifact, at, { event: "gate_set", phase, reason, gate: name, ...extra });
}

/** Clear the gate that is set; gives the event for the log, none when no gate was set. */
export function clearGate(artifact: Artifact, at: string, reason?: string): EventFields[] {
  const name = pendingGate(artifact);
  if (name === null) return [];
  setAt(artifact, "pending_gate", null);
  if (artifact.has("pending_gate_detail")) setAt(artifact, "pending_gate_detail", null);
  const phase = textAt(artifact, "phase_cursor");
  return [record(artifact, at, { event: "gate_cleared", phase, reason: reason ?? null, gate: name })];
}
