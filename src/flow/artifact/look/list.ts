/** `jig flow list` (docs/spec/flow.md 6.2). */
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { table } from "../../../kernel/text/table.ts";
import { isoSeconds } from "../../../kernel/text/time.ts";
import { type Layout, layoutOf } from "../../common/layout.ts";
import { projectRoot } from "../../common/project.ts";
import { workflowsByAge } from "../../common/workflow.ts";
import { pendingGate, textAt } from "../read.ts";
import type { WorkflowRow } from "../schema.ts";
import { stateOf } from "../state.ts";
import { isDone, readArtifact } from "../store.ts";

export interface ListArgs {
  project?: string | undefined;
  /** Only workflows that can be read and are not done. */
  open: boolean;
  type?: string | undefined;
}

const UNREADABLE = "UNREADABLE";

export function list(host: Host, args: ListArgs): Outcome<WorkflowRow[]> {
  const layout = layoutOf(projectRoot(host, args.project));
  const rows = workflowsByAge(layout).flatMap(({ id, modifiedMs }) => {
    const row = rowOf(host, layout, id, modifiedMs, args.open);
    if (row === undefined || (args.open && row.error !== null)) return [];
    // What an unreadable file is, nobody knows.
    return args.type === undefined || row.error !== null || row.workflow_type === args.type ? [row] : [];
  });
  return { data: rows, text: (terminal) => table(HEADER, rows.map(cells), terminal) };
}

const HEADER = ["ID", "TYPE", "STATE", "CURSOR", "GATE", "UPDATED"];

function cells(row: WorkflowRow): string[] {
  const {
    workflow_uuid: id,
    workflow_type: type,
    state,
    phase_cursor: cursor,
    pending_gate: gate,
    error,
  } = row;
  if (error !== null) return [id, "-", UNREADABLE, "-", "-", error];
  return [id, type ?? "-", state, cursor ?? "-", gate ?? "-", row.updated_at ?? "-"];
}

/** Undefined for one that is done when only open ones count. */
function rowOf(
  host: Host,
  layout: Layout,
  id: string,
  modifiedMs: number,
  onlyOpen: boolean,
): WorkflowRow | undefined {
  const mtime = isoSeconds(modifiedMs);
  try {
    const artifact = readArtifact(layout, id);
    // A gate may be set on a workflow that is done.
    const done = isDone(layout, id, artifact);
    if (onlyOpen && done) return undefined;
    const text = (name: string) => textAt(artifact, name);
    return {
      workflow_uuid: id,
      workflow_type: text("workflow_type"),
      state: stateOf(artifact, { done, modifiedMs, now: host.now() }),
      phase_cursor: text("phase_cursor"),
      pending_gate: pendingGate(artifact),
      updated_at: text("updated_at"),
      mtime,
      session_id: text("session_id"),
      error: null,
    };
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    const nothing = { workflow_type: null, phase_cursor: null, pending_gate: null, updated_at: null };
    return {
      workflow_uuid: id,
      ...nothing,
      state: UNREADABLE,
      mtime,
      session_id: null,
      error: error.message,
    };
  }
}
