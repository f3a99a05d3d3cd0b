import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { parseObject } from "../../../kernel/text/json.ts";
import { appendEvents } from "../../artifact/events.ts";
import { type Artifact, pendingGate, textAt } from "../../artifact/read.ts";
import { readArtifact, updateArtifact } from "../../artifact/store.ts";
import type { Layout } from "../../common/layout.ts";
import { judge, reclaim, sightMergeLock, textOf } from "../lock/acquire.ts";
import { isReclaimable } from "../lock/decide.ts";
import { isWorktreeGate, type Settled } from "../run/identify.ts";
import { readJournal } from "../run/journal.ts";
import { outcomeOf, reportOn } from "../run/report.ts";
import type { FinalizeOptions } from "../run/run.ts";
import type { FinalizeReport } from "../run/schema.ts";
import { clearGate, removeTrash } from "./finish.ts";

/** Nothing is to be finalized (docs/spec/flow-worktree.md 5.1, step 1): a gate of finalize that is still set is cleared, and what is missing is logged. */
export async function settle(
  host: Host,
  layout: Layout,
  wf: string,
  { outcome, message }: Settled,
  options: FinalizeOptions,
): Promise<Outcome> {
  const artifact = readArtifact(layout, wf);
  const report = reportOn(layout.root, wf, artifact);
  if (outcome === "blocked_by_gate") {
    report.gate = pendingGate(artifact);
    return outcomeOf(report, outcome, message);
  }
  if (options["dry-run"]) return outcomeOf(report, outcome, message);
  const missing = outcome.startsWith("skipped_") ? outcome.slice("skipped_".length) : undefined;
  if (missing !== undefined)
    report.warnings.push(...appendEvents(host, layout, wf, [{ event: missing }]).notes);
  if (isWorktreeGate(pendingGate(artifact))) {
    await updateArtifact(host, layout, wf, (now) => {
      clearGate(now);
      return { result: undefined };
    });
  }
  if (outcome === "already_finalized") {
    sweepLeftover(layout, wf, artifact, report);
    await dropOwnLock(host, layout, wf);
  }
  return outcomeOf(report, outcome, message);
}

/** What a finalize that was killed at its very end left behind. */
function sweepLeftover(layout: Layout, wf: string, artifact: Artifact, report: FinalizeReport): void {
  const path = textAt(artifact, "worktree_path");
  if (path === null || path === "") return;
  try {
    const { trash } = readJournal(artifact, { layout, wf, path });
    if (trash !== null) removeTrash({ path, report }, trash);
  } catch (error) {
    // A journal that must not steer anything deletes nothing.
    if (!(error instanceof JigError)) throw error;
  }
}

/** The merge lock of a finalize of this workflow that was killed before it let go; never one whose holder may live. */
async function dropOwnLock(host: Host, layout: Layout, wf: string): Promise<void> {
  const seen = sightMergeLock(layout);
  if (parseObject(textOf(seen) ?? "")?.["workflow_uuid"] !== wf) return;
  if (isReclaimable(await judge(host, layout))) reclaim(layout, seen);
}
