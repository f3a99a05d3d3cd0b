import { endsInLog } from "../artifact/events.ts";
import { endsInHistory, mapAt, pendingGate, textAt } from "../artifact/read.ts";
import type { Layout } from "../common/layout.ts";
import { workflowIds } from "../common/workflow.ts";
import type { Hook, HookAnswer } from "./hook.ts";
import { logDecision } from "./log.ts";
import { artifactOf, type Found, newestWorkflow } from "./newest.ts";
import { textOf } from "./payload.ts";

/** Longest value of an artifact in the line a session gets. */
const LONGEST_VALUE = 500;

/** The line about the newest workflow that a session begins with (docs/spec/flow.md 15.3). */
export function sessionStart(hook: Hook): HookAnswer | undefined {
  const layout = hook.layout!;
  const newest = newestWorkflow(layout);
  if (newest === undefined) return undefined;
  const source = textOf(hook.payload, "source") ?? "startup";
  logDecision(hook, "session_context", { wf: newest.id, source, decision: "inject" });
  const additionalContext = contextLine(source, newest) + severalOpen(layout);
  return { say: { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } } };
}

function contextLine(source: string, { artifact, id }: Found): string {
  const text = (path: string, missing: string) => oneLine(textAt(artifact, path) || missing);
  const incomplete = [...mapAt(artifact, "phase_status")]
    .filter(([, status]) => status !== "completed" && status !== "skipped")
    .map(([key]) => key);
  const facts = [
    `wf=${id}`,
    `type=${text("workflow_type", "unknown")}`,
    `plan=${text("plan_file", "N/A")}`,
    `design=${text("design_file", "N/A")}`,
    `phase_cursor=${text("phase_cursor", "none")}`,
    `research_quality=${text("research_quality.overall", "none")}`,
    `pending_gate=${oneLine(pendingGate(artifact) ?? "none")}`,
    `incomplete_phases=${oneLine(incomplete.join(",") || "none")}`,
  ];
  return `CRAFTFLOW v10 workflow context (${oneLine(source)}): ${facts.join(" ")}.`;
}

/** A sentence more when it is not clear which workflow goes on; reading stops at nothing that cannot be read. */
function severalOpen(layout: Layout): string {
  const ids = workflowIds(layout);
  if (ids.length < 2) return "";
  const open = ids.filter((id) => isOpen(layout, id)).length;
  if (open < 2) return "";
  return ` ${open} workflows are open: run \`jig flow resume\` to see which one goes on.`;
}

function isOpen(layout: Layout, id: string): boolean {
  const artifact = artifactOf(layout, id);
  if (artifact === undefined || endsInHistory(artifact)) return false;
  try {
    return !endsInLog(layout, id);
  } catch {
    return true;
  }
}

/** A value that cannot begin a line of its own in what the session reads. */
function oneLine(text: string): string {
  let line = "";
  for (const character of text.slice(0, LONGEST_VALUE))
    line += character < " " || character === "\x7f" ? " " : character;
  return line;
}
