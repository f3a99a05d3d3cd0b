import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JigError, osReason } from "../../../kernel/call/errors.ts";
import { lookAt } from "../../../kernel/files/look.ts";
import { type Artifact, appendAt, pendingGate } from "../../artifact/read.ts";
import { updateArtifact } from "../../artifact/store.ts";
import { isWorktreeGate } from "../run/identify.ts";
import { isTrash } from "../run/journal.ts";
import { type Looked, note, type Run, stillLocked } from "../run/run.ts";
import { shownPath } from "../tree/byte-path.ts";
import { changesBetween, GITLINK } from "../tree/listings.ts";
import { commitOf } from "../tree/refs.ts";
import { populatedIn } from "../tree/submodules.ts";

export type FinalMode = "merged_and_removed" | "removed_no_merge_needed";

/** A gate that a rerun has ended. Without it, memory finalization would stay blocked for ever. */
export function clearGate(artifact: Artifact): void {
  if (!isWorktreeGate(pendingGate(artifact))) return;
  artifact.set("pending_gate", null);
  if (artifact.has("pending_gate_detail")) artifact.set("pending_gate_detail", null);
}

/** Step 13: one write says that it is done (docs/spec/flow-worktree.md 5.1). */
export async function markFinal(run: Run, mode: FinalMode): Promise<void> {
  const { host, layout, wf, branch, report } = run;
  stillLocked(run);
  const { result, head_before, head_after } = report.merge;
  const updated = await updateArtifact(host, layout, wf, (artifact, at) => {
    artifact.set("worktree_mode", mode);
    clearGate(artifact);
    appendAt(artifact, "status_history", {
      event: `worktree_${mode}`,
      ts: at,
      worktree_branch: branch,
      merge_result: result ?? run.journal.merge_result,
      head_before: head_before ?? run.journal.head_before,
      head_after: head_after ?? run.journal.head_after,
      applied: report.copy.applied.length,
    });
    return { result: undefined };
  });
  report.warnings.push(...updated.notes);
  note(run, { event: "worktree_finalized", outcome: mode });
}

/** What is no longer needed goes; what cannot be deleted is a warning. */
export async function sweep(run: Run): Promise<void> {
  const { journal, report, layout, wf } = run;
  if (journal.trash !== null) removeTrash(run, journal.trash);
  for (const backup of backupsIn(layout.memory(wf))) remove(run, backup);
  report.copy.backup_dir = null;
  await warnOfSubmodules(run);
}

/** Backups of this run and of those that were cut off: the copy is whole now. */
function backupsIn(directory: string): string[] {
  if (lookAt(directory) === undefined) return [];
  return readdirSync(directory)
    .filter((name) => /^copy-backup-[\w.-]+$/.test(name))
    .map((name) => join(directory, name));
}

/** Delete a worktree that was set aside and has been finalized. */
export function removeTrash(run: Pick<Looked, "path" | "report">, trash: string): void {
  if (isTrash(trash, run.path)) remove(run, trash);
}

function remove({ report }: Pick<Looked, "report">, path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    report.warnings.push(`${path} could not be deleted (${osReason(error)}); remove it by hand`);
    return;
  }
  if (lookAt(path) !== undefined) report.warnings.push(`${path} could not be deleted; remove it by hand`);
}

/** git merges the pointer of a submodule only; its checkout stays where it was. */
async function warnOfSubmodules({ host, main, journal, report }: Run): Promise<void> {
  const { head_before: before, head_after: after } = journal;
  if (before === null || after === null || before === after) return;
  try {
    const changes = await changesBetween(host, main, before, after);
    for (const { path, tree } of await populatedIn(host, main)) {
      const moved = changes.get(path);
      if (moved?.after?.mode !== GITLINK || (await commitOf(host, tree, "HEAD")) === moved.after.oid)
        continue;
      report.warnings.push(
        `the submodule ${shownPath(path)} is still at its old commit; git submodule update brings it along`,
      );
    }
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    report.warnings.push(`submodules could not be looked at: ${error.message}`);
  }
}
