/** `jig flow close` (docs/spec/flow.md 6.2): a workflow that nobody will go on with. */
import { EXIT, JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { textOrFile } from "../../common/arguments.ts";
import { layoutOf } from "../../common/layout.ts";
import { withArtifactLock } from "../../common/lock.ts";
import { noted } from "../../common/notes.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { appendEvents, type EventFields } from "../events.ts";
import { type Artifact, pendingGate, textAt, unmergedWorktree } from "../read.ts";
import { record } from "../record.ts";
import type { Closed } from "../schema.ts";
import { isDone, readArtifact, updateLocked } from "../store.ts";

export interface CloseArgs {
  project?: string | undefined;
  outcome: string;
  reason?: string | undefined;
  "reason-file"?: string | undefined;
  /** Although a gate is set or a worktree is not merged. */
  force: boolean;
}

export async function close(host: Host, word: string, args: CloseArgs): Promise<Outcome<Closed>> {
  const names = ["--reason", "--reason-file"] as const;
  const reason = await textOrFile(host, { text: args.reason, file: args["reason-file"], names });
  const layout = layoutOf(projectRoot(host, args.project));
  const wf = findWorkflow(layout, word, "write");
  const event = args.outcome === "completed" ? "workflow_completed" : "workflow_failed";
  const fields: EventFields = { event, agent: "router", decision: args.outcome, reason: reason ?? null };
  const { wasDone, notes } = await withArtifactLock(host, layout, wf, async () => {
    const wasDone = isDone(layout, wf, readArtifact(layout, wf));
    // The history of a finished workflow ends as it ended.
    if (wasDone) return { wasDone, notes: appendEvents(host, layout, wf, [fields]).notes };
    const { notes } = await updateLocked(host, layout, wf, (artifact, at) => {
      if (!args.force) refuseUnfinished(artifact);
      const phase = textAt(artifact, "phase_cursor");
      return { result: undefined, events: [record(artifact, at, { ...fields, phase })] };
    });
    return { wasDone, notes };
  });
  return {
    data: { workflow_uuid: wf, event, was_done: wasDone },
    text: `${wf}: ${args.outcome}`,
    notes: noted(host, notes),
  };
}

function refuseUnfinished(artifact: Artifact): void {
  const gate = pendingGate(artifact);
  const worktree = unmergedWorktree(artifact);
  if (gate === null && worktree === null) return;
  const why =
    gate === null
      ? `its worktree ${printable(worktree!.path)} is not merged`
      : `the gate ${printable(gate)} is set`;
  throw new JigError(`${why}; nothing was changed`, {
    exitCode: EXIT.notThisTime,
    hint:
      gate === null
        ? "jig flow worktree finalize merges it; --force closes the workflow and leaves the worktree"
        : "jig flow gate clear ends it; --force closes the workflow all the same",
  });
}
