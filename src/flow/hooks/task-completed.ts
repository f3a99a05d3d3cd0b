import { lookAt } from "../../kernel/files/look.ts";
import { visitEvents } from "../artifact/events.ts";
import { errorClass } from "../common/error-class.ts";
import { isWorkflowId, type Layout } from "../common/layout.ts";
import { type Hook, type HookAnswer, projectsOf } from "./hook.ts";
import { logDecision } from "./log.ts";
import { hookMode } from "./mode.ts";
import { readArtifactFile } from "./newest.ts";
import { textOf } from "./payload.ts";

const METADATA = ["wf:", "kind:", "origin:", "phase:", "plan:", "scope:", "reason:"];
const ROUTER_ONLY = "ROUTER ONLY: execute inline.";
const MEMORY_SUBJECT = "CRAFTFLOW Memory Update:";

/** Let a task of a workflow be completed only with its metadata, one of memory only with its evidence (docs/spec/flow.md 15.3). */
export function taskCompleted(hook: Hook): HookAnswer | undefined {
  const { host, layout, payload } = hook;
  const subject = textOf(payload, "task_subject") ?? "";
  if (!subject.startsWith("CRAFTFLOW ")) return undefined;
  const description = textOf(payload, "task_description") ?? "";
  const stop = metadataFault(description) ?? memoryFault(layout, subject, description);
  if (stop === undefined) return undefined;
  const mode = hookMode(host, "taskMetadata", projectsOf(hook));
  const decision = mode === "unrecognized" ? "audit-unrecognized-config-value" : mode;
  logDecision(hook, "task_completed_guard", { task_subject: subject, decision, reason: stop });
  return mode === "block" ? { stop } : undefined;
}

function metadataFault(description: string): string | undefined {
  const missing = METADATA.filter((key) => !description.includes(key));
  if (missing.length === 0) return undefined;
  return `CRAFTFLOW task completion blocked: task description is missing metadata lines: ${missing.join(", ")}`;
}

function memoryFault(layout: Layout | undefined, subject: string, description: string): string | undefined {
  if (metadataOf(description, "kind") !== "memory") return undefined;
  const reasons: string[] = [];
  if (metadataOf(description, "origin") !== "router") reasons.push("memory-task-origin-not-router");
  if (!description.includes(ROUTER_ONLY)) reasons.push("memory-task-missing-router-only-marker");
  if (!subject.startsWith(MEMORY_SUBJECT)) reasons.push("memory-task-subject-not-router-owned");
  reasons.push(...workflowFaults(layout, metadataOf(description, "wf") ?? ""));
  if (reasons.length === 0) return undefined;
  return `CRAFTFLOW memory-task completion blocked: the memory of its workflow is not finalized by the router (${reasons.join(", ")}).`;
}

function workflowFaults(layout: Layout | undefined, wf: string): string[] {
  if (layout === undefined || !isWorkflowId(wf) || lookAt(layout.artifact(wf)) === undefined) {
    return ["missing-workflow-artifact"];
  }
  const reasons: string[] = [];
  try {
    if (readArtifactFile(layout, wf).get("workflow_uuid") !== wf) reasons.push("workflow-artifact-mismatch");
  } catch (error) {
    reasons.push(`artifact-json:${errorClass(error)}`);
  }
  if (!isFinalized(layout, wf)) reasons.push("missing-memory-finalized-event");
  return reasons;
}

function isFinalized(layout: Layout, wf: string): boolean {
  let found = false;
  try {
    visitEvents(layout, wf, (event) => {
      found ||= event?.get("event") === "memory_finalized";
      return !found;
    });
  } catch {
    return false;
  }
  return found;
}

/** The value of a metadata line; undefined without one. */
function metadataOf(description: string, key: string): string | undefined {
  for (const line of description.split("\n")) {
    const at = line.indexOf(":");
    if (at >= 0 && line.slice(0, at).trim() === key) return line.slice(at + 1).trim();
  }
  return undefined;
}
