import {
  type JsonMap,
  JsonSyntaxError,
  type JsonValue,
  LosslessNumber,
  parseLossless,
} from "../../common/lossless-json.ts";
import { pythonText } from "../../common/python-text.ts";

/** Shown as they are where they are there. */
const SHOWN = [
  "workflow_uuid",
  "workflow_id",
  "workflow_type",
  "plan_mode",
  "verification_rigor",
  "proof_status",
  "pending_gate",
  "worktree_path",
  "build_mode",
];
const COUNTED = ["normalized_phases", "telemetry", "evidence", "traceability"];
const TAIL = 5;
const NOTE = "compacted summary; run with --mode full for the complete artifact";

/** What matters of an artifact, as indented JSON, ASCII alone (docs/spec/flow.md 10). No final newline. */
export function artifactSummary(artifact: JsonMap): string {
  const summary: JsonMap = new Map();
  const keep = (key: string, value: JsonValue | undefined) => {
    if (value !== undefined) summary.set(key, value);
  };
  for (const key of SHOWN) keep(key, artifact.get(key));
  const status = artifact.get("phase_status");
  if (status instanceof Map) keep("phase_status", status);
  const history = artifact.get("status_history");
  if (Array.isArray(history)) {
    keep("status_history_tail", history.slice(-TAIL));
    keep("status_history_total_entries", count(history.length));
  }
  for (const key of COUNTED) {
    const value = artifact.get(key);
    if (Array.isArray(value)) keep(`${key}_entry_count`, count(value.length));
    else if (value instanceof Map) keep(`${key}_key_count`, count(value.size));
  }
  keep("_note", NOTE);
  return pythonText(summary, 2);
}

function count(number: number): LosslessNumber {
  return new LosslessNumber(String(number));
}

/** The summary of a text that should be an artifact; what is none is shown as it is, with a warning. */
export function artifactTextSummary(text: string): string {
  let value: JsonValue;
  try {
    value = parseLossless(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return `WARNING: could not parse as workflow JSON; showing raw content.\n\n${text}`;
  }
  if (value instanceof Map) return artifactSummary(value);
  return `WARNING: workflow JSON top level is not an object; showing raw content.\n\n${text}`;
}
