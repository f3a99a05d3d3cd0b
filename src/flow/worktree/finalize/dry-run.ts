import type { Outcome } from "../../../kernel/call/outcome.ts";
import { lookAt } from "../../../kernel/files/look.ts";
import { checkDestination } from "../guard/destination.ts";
import { lookedAt } from "../guard/looked-at.ts";
import { checkMainTree } from "../guard/main-tree.ts";
import { mergeResult } from "../guard/merge-result.ts";
import { refuseOverwrites } from "../guard/overwrites.ts";
import { readSet } from "../guard/read-set.ts";
import { checkWorktree } from "../guard/worktree-state.ts";
import { judge } from "../lock/acquire.ts";
import { decisionLine, isReclaimable } from "../lock/decide.ts";
import { Gate, KEPT, orGate, RERUN } from "../run/gate.ts";
import { emptyReport, gateMessage, outcomeOf } from "../run/report.ts";
import type { Identity, Looked } from "../run/run.ts";
import { shownPath } from "../tree/byte-path.ts";
import { commitOf } from "../tree/refs.ts";

/** Stages that a run has to settle before it can begin anew, or goes on from. */
const UNSETTLED = new Set([
  "merging",
  "copying",
  "set_aside",
  "removing",
  "worktree_removed",
  "branch_deleted",
]);

/**
 * What a run would meet, without the lock and without writing anything (docs/spec/flow-worktree.md 5.1): exit 3 where it
 * would stop at once.
 */
export async function dryRun(subject: Identity): Promise<Outcome> {
  const report = emptyReport(subject);
  try {
    await lookAtLock(subject, report);
    const run = await lookedAt(subject, report);
    const { stage } = run.journal;
    if (stage !== undefined && UNSETTLED.has(stage)) {
      return outcomeOf(
        report,
        "dry_run",
        `An earlier run came as far as ${stage}; a run would go on from there.`,
      );
    }
    return outcomeOf(report, "dry_run", await preview(run));
  } catch (error) {
    if (!(error instanceof Gate)) throw error;
    report.gate = error.gate;
    report.holder = error.facts.holder ?? null;
    return outcomeOf(report, error.gate, gateMessage(error));
  }
}

async function lookAtLock({ host, layout, wf }: Identity, report: Looked["report"]): Promise<void> {
  if (lookAt(layout.mergeLock) === undefined) return;
  const decision = await judge(host, layout, wf);
  report.lock.decision = decisionLine(decision);
  if (isReclaimable(decision)) return;
  throw new Gate("worktree_merge_locked", {
    reason: `the merge lock is held: ${report.lock.decision}`,
    advice: "A run would wait for it.",
    holder: decision.subject,
  });
}

async function preview(run: Looked): Promise<string> {
  const { host, main, report, options } = run;
  const found = await checkWorktree(run, options["accept-missing"] ? "accepted" : "refused");
  const { tip, gitDirectory } = found;
  if (tip === undefined) return "Worktree and branch are gone; nothing would be merged.";
  await checkMainTree(run, tip);
  await checkDestination(run);
  const gate = "worktree_merge_unrecognized_failure";
  const head = await orGate(gate, `${KEPT} ${RERUN}`, () => commitOf(host, main, "HEAD"));
  if (head === undefined) {
    throw new Gate(gate, { reason: "the main tree has no commit yet", advice: `${KEPT} ${RERUN}` });
  }
  const { verdict } = await orGate(gate, `${KEPT} ${RERUN}`, () =>
    mergeResult(host, main, head, tip, "none"),
  );
  report.merge = { ...report.merge, result: verdict, head_before: head };
  if (gitDirectory !== undefined) {
    const set = await readSet(run, gitDirectory, verdict === "up_to_date");
    report.copy.applied = [...set.items.values()].map(({ action, path, from }) => ({
      action,
      path: shownPath(path),
      ...(from === undefined ? {} : { from: shownPath(from) }),
    }));
  }
  if (verdict !== "up_to_date")
    await orGate(gate, `${KEPT} ${RERUN}`, () => refuseOverwrites(run, head, tip));
  return `A run would begin; predicted merge: ${verdict}, uncommitted changes to carry over: ${report.copy.applied.length}.`;
}
