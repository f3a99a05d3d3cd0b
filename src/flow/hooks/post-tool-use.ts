import { absoluteFrom, isSameDirectory } from "../../kernel/files/contain.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { type Artifact, textAt } from "../artifact/read.ts";
import { errorClass } from "../common/error-class.ts";
import { parseTimestamp } from "../common/timestamp.ts";
import { workflowsByAge } from "../common/workflow.ts";
import type { Hook } from "./hook.ts";
import { logDecision } from "./log.ts";
import { readArtifactFile } from "./newest.ts";
import { textOf } from "./payload.ts";
import { isEdit, targetOf } from "./tools.ts";

const EXPECTED = (
  "workflow_uuid workflow_id workflow_type state_root phase_cursor task_ids results intent evidence quality " +
  "status_history remediation_history"
).split(" ");

/** An artifact that is edited by hand says when; older than this it does not. */
const FRESH_MS = 60_000;

/** Log what is wrong with the newest workflow after an edit (docs/spec/flow.md 15.3). */
export function postToolUse(hook: Hook): undefined {
  const { payload } = hook;
  const layout = hook.layout!;
  const tool = textOf(payload, "tool_name") ?? "";
  const path = isEdit(tool) ? targetOf(payload) : undefined;
  const newest = path === undefined ? undefined : workflowsByAge(layout)[0];
  if (path === undefined || newest === undefined) return;
  const reasons: string[] = [];
  try {
    const artifact = readArtifactFile(layout, newest.id);
    const missing = EXPECTED.filter((key) => !artifact.has(key));
    if (missing.length > 0) reasons.push(`missing-keys:${missing.join(",")}`);
    const edited = absoluteFrom(textOf(payload, "cwd") ?? layout.root, path);
    if (isSameDirectory(edited, layout.artifact(newest.id)))
      reasons.push(...timeFaults(artifact, hook.host.now()));
  } catch (error) {
    reasons.push(`artifact-json:${errorClass(error)}`);
  }
  if (lookAt(layout.events(newest.id))?.isFile() !== true) reasons.push("missing-event-log");
  if (reasons.length === 0) return;
  const fields = { tool_name: tool, path, wf: newest.id, decision: "audit", reason: reasons.join(", ") };
  logDecision(hook, "posttool_artifact_guard", fields);
}

function timeFaults(artifact: Artifact, now: number): string[] {
  const written = textAt(artifact, "updated_at");
  const at = parseTimestamp(written ?? "");
  if (at === undefined) return ["missing-updated-at"];
  return now - at > FRESH_MS ? ["stale-artifact-write"] : [];
}
