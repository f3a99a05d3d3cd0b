/** Looking into an artifact and changing it, by dotted paths: `intent.goal`, `status_history.0.event`. */
import { fromPlain, type JsonMap, type JsonValue, LosslessNumber } from "../common/lossless-json.ts";
import { FIELDS } from "./fields.ts";

/** An artifact as it was read, unknown keys and all. */
export type Artifact = JsonMap;

/** What stands at a path; undefined when nothing does. */
export function valueAt(artifact: JsonValue, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = artifact;
  for (const key of path.split(".")) {
    if (value instanceof Map) value = value.get(key);
    else if (Array.isArray(value) && /^\d{1,9}$/.test(key)) value = value[Number(key)];
    else return undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** As `valueAt`, and for a field that is missing what a new artifact has there (docs/spec/flow.md 4). */
export function fieldAt(artifact: Artifact, path: string): JsonValue {
  const there = valueAt(artifact, path);
  return there === undefined ? (initialAt(path) ?? null) : there;
}

/** As `fieldAt`, but only a field that is missing as a whole is read so; undefined for what is nowhere. */
export function shownAt(artifact: Artifact, path: string): JsonValue | undefined {
  const [name] = path.split(".", 1) as [string];
  return artifact.has(name) ? valueAt(artifact, path) : initialAt(path);
}

/** What a new artifact has at a path. */
function initialAt(path: string): JsonValue | undefined {
  const [name] = path.split(".", 1) as [string];
  const init = Object.hasOwn(FIELDS, name) ? FIELDS[name]!.init : undefined;
  return init === undefined ? undefined : valueAt(new Map([[name, fromPlain(init())]]), path);
}

/** The text at a path; null for anything else, also for none. */
export function textAt(artifact: Artifact, path: string): string | null {
  const value = fieldAt(artifact, path);
  return typeof value === "string" ? value : null;
}

/** The number at a path; null for anything else. */
export function numberAt(artifact: Artifact, path: string): number | null {
  const value = fieldAt(artifact, path);
  return value instanceof LosslessNumber ? value.valueOf() : null;
}

/** The list at a path; an empty one for anything else. */
export function listAt(artifact: Artifact, path: string): JsonValue[] {
  const value = fieldAt(artifact, path);
  return Array.isArray(value) ? value : [];
}

/** The object at a path; an empty one for anything else. */
export function mapAt(artifact: Artifact, path: string): JsonMap {
  const value = fieldAt(artifact, path);
  return value instanceof Map ? value : new Map();
}

/** Put a value at a path whose parents are objects; a missing parent is made. False when a parent is something else. */
export function setAt(artifact: Artifact, path: string, value: unknown): boolean {
  const keys = path.split(".");
  const last = keys.pop()!;
  let parent: JsonMap = artifact;
  for (const [depth, key] of keys.entries()) {
    let child = parent.get(key);
    if (child === undefined) {
      // A field that older artifacts do not have begins as a new one would.
      child = fieldAt(artifact, keys.slice(0, depth + 1).join(".")) ?? new Map();
      parent.set(key, child);
    }
    if (!(child instanceof Map)) return false;
    parent = child;
  }
  parent.set(last, fromPlain(value));
  return true;
}

/** Append an entry to one of the two histories (or any list). A missing list is made. */
export function appendAt(artifact: Artifact, name: string, entry: unknown): void {
  const list = artifact.get(name);
  if (Array.isArray(list)) list.push(fromPlain(entry));
  else artifact.set(name, [fromPlain(entry)]);
}

/** The name of the gate that is set, in either form; null when none is. */
export function pendingGate(artifact: Artifact): string | null {
  const gate = artifact.get("pending_gate");
  if (typeof gate === "string") return gate === "" ? null : gate;
  if (!(gate instanceof Map)) return null;
  for (const key of ["gate", "name", "reason"]) {
    const value = gate.get(key);
    if (typeof value === "string" && value !== "") return value;
  }
  return "unnamed";
}

const DONE_EVENTS = new Set([
  "memory_finalized",
  "workflow_complete",
  "workflow_completed",
  "workflow_failed",
]);

/** Whether the last entry of the history ends the workflow; the event log may say so too (`isDone`, docs/spec/flow.md 4). */
export function endsInHistory(artifact: Artifact): boolean {
  const last = listAt(artifact, "status_history").at(-1);
  const event = last instanceof Map ? last.get("event") : undefined;
  return typeof event === "string" && DONE_EVENTS.has(event);
}

/** Whether an event in the log ends the workflow. */
export function isEndingEvent(event: unknown): boolean {
  return event === "memory_finalized" || event === "workflow_completed" || event === "workflow_failed";
}

/** The worktree of a workflow that is still to be merged; a damaged pair of path and branch does not count (9.7). */
export function unmergedWorktree(artifact: Artifact): { path: string; branch: string } | null {
  if (textAt(artifact, "worktree_mode") !== "auto_created") return null;
  const [path, branch] = [textAt(artifact, "worktree_path"), textAt(artifact, "worktree_branch")];
  return path && branch ? { path, branch } : null;
}
