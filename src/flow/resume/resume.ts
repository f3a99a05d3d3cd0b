import { EXIT, JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { printable } from "../../kernel/text/printable.ts";
import { readEvents } from "../artifact/events.ts";
import { validateArtifact } from "../artifact/look/validate.ts";
import { type Artifact, pendingGate, textAt, unmergedWorktree, valueAt } from "../artifact/read.ts";
import { isDone, readArtifact } from "../artifact/store.ts";
import { type Layout, layoutOf } from "../common/layout.ts";
import { type JsonMap, toPlain } from "../common/lossless-json.ts";
import { noted } from "../common/notes.ts";
import { projectRoot } from "../common/project.ts";
import { sessionOf } from "../common/session.ts";
import { findWorkflow } from "../common/workflow.ts";
import { phaseRows } from "../gates/phase-rows.ts";
import { readScopeMarkers } from "../memory/scope/read.ts";
import { readSessionSettings } from "../memory/settings.ts";
import { nextOf } from "./next.ts";
import { type OpenWorkflow, openWorkflows } from "./open.ts";
import type { Resume } from "./schema.ts";
import { select } from "./select.ts";

const TAIL_EVENTS = 20;
const MERGED = ["merged_and_removed", "removed_no_merge_needed"];

export interface ResumeOptions {
  wf?: string | undefined;
  project?: string | undefined;
  "session-id"?: string | undefined;
}

/**
 * `jig flow resume` (docs/spec/flow.md 8.1): which workflow, and what may run now, from artifact and event log alone.
 * Never writes, and never answers what it cannot prove.
 */
export async function resume(host: Host, options: ResumeOptions): Promise<Outcome<Resume>> {
  const layout = layoutOf(projectRoot(host, options.project));
  if (options.wf !== undefined) {
    const wf = findWorkflow(layout, options.wf, "read");
    const found = answerFor(layout, wf, readArtifact(layout, wf));
    return resumed({ ...found, scoped_by: "workflow" });
  }
  const { open, unreadable } = openWorkflows(layout);
  const session = options["session-id"] ?? sessionOf(host);
  const selection = select(open, session);
  const candidates = open.map(candidateOf);
  if (selection.answer === "RESUME") {
    const { artifact, id } = open.find((one) => one.id === selection.id)!;
    const found = answerFor(layout, id, artifact);
    const warnings = [...found.warnings, ...unreadable];
    return resumed({ ...found, scoped_by: selection.scopedBy, warnings, candidates });
  }
  const data: Resume = { ...EMPTY, answer: selection.answer, warnings: unreadable, candidates };
  if (selection.answer === "NONE") {
    return { data, text: "", exitCode: EXIT.failed, notes: noted(host, unreadable.map(printable)) };
  }
  const said = [
    "several workflows are open; say which (jig flow resume WF):",
    ...candidates.map(candidateLine),
  ];
  return {
    data,
    text: "",
    exitCode: EXIT.notThisTime,
    notes: noted(host, [...said, ...unreadable.map(printable)]),
  };
}

const EMPTY: Resume = {
  answer: "NONE",
  scoped_by: null,
  workflow_uuid: null,
  workflow_type: null,
  user_request: null,
  plan_file: null,
  design_file: null,
  phase_cursor: null,
  phases: [],
  runnable: [],
  pending_gate: null,
  pending_gate_detail: null,
  build_mode: null,
  worktree: null,
  memory_pending: false,
  events_tail: [],
  malformed_event_lines: 0,
  scope_decision: null,
  just_go: false,
  task_tools: "reprobe",
  next: null,
  warnings: [],
  candidates: [],
};

function candidateOf({ artifact, id, session }: OpenWorkflow): Resume["candidates"][number] {
  return {
    workflow_uuid: id,
    workflow_type: textAt(artifact, "workflow_type"),
    updated_at: textAt(artifact, "updated_at"),
    goal: textAt(artifact, "intent.goal") ?? textAt(artifact, "user_request"),
    session_id: session,
  };
}

function candidateLine({
  goal,
  updated_at,
  workflow_type,
  workflow_uuid,
}: Resume["candidates"][number]): string {
  const short = (goal ?? "").split(/\s+/).join(" ").slice(0, 120);
  return [workflow_uuid, workflow_type ?? "?", updated_at ?? "?", printable(short)].join("\t");
}

function answerFor(layout: Layout, wf: string, artifact: Artifact): Resume {
  const { events, malformed, torn } = readEvents(layout, wf);
  const phases = phaseRows(artifact);
  const mode = textAt(artifact, "worktree_mode");
  const [path, branch] = [textAt(artifact, "worktree_path"), textAt(artifact, "worktree_branch")];
  const exists = path !== null && isDirectory(path);
  const type = textAt(artifact, "workflow_type");
  const buildMode = textAt(artifact, "build_mode");
  const gate = pendingGate(artifact);
  const memoryFinalized = events.some((event) => event.get("event") === "memory_finalized");
  const detail = valueAt(artifact, "pending_gate_detail") ?? valueAt(artifact, "pending_gate");
  const { justGo, scope, warnings } = remembered(layout, wf);
  const unmerged = unmergedWorktree(artifact) !== null;
  const lost = unmerged && !exists;
  if (lost)
    warnings.push(`the worktree ${path} is missing: jig flow worktree create says what can be had back`);
  else if (mode === "auto_created" && !exists) {
    const what = path === null ? "has no path" : `${path} is missing and has no branch`;
    warnings.push(`the worktree ${what}: work continues in the main tree`);
  }
  if (type === "BUILD" && buildMode === null) warnings.push("build_mode is not set: it counts as standard");
  if (torn) warnings.push("the event log ends in a torn line");
  if (malformed > 0) warnings.push(`${malformed} lines of the event log are no events`);
  if (isDone(layout, wf, artifact)) warnings.push("the workflow is done");
  for (const finding of validateArtifact(artifact, wf)) warnings.push(`${finding.path} ${finding.message}`);
  return {
    ...EMPTY,
    answer: "RESUME",
    workflow_uuid: wf,
    workflow_type: type,
    user_request: textAt(artifact, "user_request"),
    plan_file: textAt(artifact, "plan_file"),
    design_file: textAt(artifact, "design_file"),
    phase_cursor: textAt(artifact, "phase_cursor"),
    phases,
    runnable: phases.flatMap(({ key, runnable }) => (runnable ? [key] : [])),
    pending_gate: gate,
    pending_gate_detail: detail instanceof Map ? plain(detail) : null,
    build_mode: type === "BUILD" ? (buildMode ?? "standard") : buildMode,
    worktree: { mode, path, branch, exists },
    memory_pending: !memoryFinalized,
    events_tail: events.slice(-TAIL_EVENTS).map(plain),
    malformed_event_lines: malformed,
    scope_decision: scope,
    just_go: justGo,
    next: nextOf({
      gate,
      phases,
      proofPassed: textAt(artifact, "proof_status") === "passed",
      unmerged,
      lost,
      merged: mode !== null && MERGED.includes(mode),
      memoryFinalized,
    }),
    warnings,
  };
}

/** What the project's memory says; a file that cannot be read takes no decision away. */
function remembered(
  layout: Layout,
  wf: string,
): { justGo: boolean; scope: { reason: string } | null; warnings: string[] } {
  try {
    const marker = readScopeMarkers(layout).find((one) => one.wf === wf);
    const { justGo, warnings } = readSessionSettings(layout.root);
    return {
      justGo,
      scope: marker === undefined ? null : { reason: marker.reason },
      warnings: [...warnings],
    };
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return { justGo: false, scope: null, warnings: [error.message] };
  }
}

function plain(map: JsonMap): Record<string, unknown> {
  return toPlain(map) as Record<string, unknown>;
}

function resumed(data: Resume): Outcome<Resume> {
  const lines: [string, string][] = [
    ["workflow", data.workflow_uuid!],
    ["type", data.workflow_type ?? "?"],
    ["gate", data.pending_gate ?? "none"],
    ["cursor", data.phase_cursor ?? "none"],
    ["runnable", data.runnable.join(", ") || "none"],
    ["next", data.next ?? "nothing"],
    ...data.warnings.map((warning): [string, string] => ["warning", warning]),
  ];
  return { data, text: lines.map(([name, value]) => `${name}\t${printable(value)}\n`).join("") };
}
