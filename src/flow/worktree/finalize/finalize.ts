import { JigError } from "../../../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { readArtifact } from "../../artifact/store.ts";
import { layoutOf } from "../../common/layout.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { checkDestination } from "../guard/destination.ts";
import { lookedAt } from "../guard/looked-at.ts";
import { checkMainTree } from "../guard/main-tree.ts";
import { readSet } from "../guard/read-set.ts";
import { checkWorktree } from "../guard/worktree-state.ts";
import { acquireMergeLock } from "../lock/acquire.ts";
import { begin, enter } from "../run/enter.ts";
import { Gate } from "../run/gate.ts";
import { identify } from "../run/identify.ts";
import { emptyReport, gateMessage, outcomeOf } from "../run/report.ts";
import {
  betweenSteps,
  type FinalizeOptions,
  type Identity,
  Interrupted,
  note,
  type Run,
} from "../run/run.ts";
import type { FinalizeReport } from "../run/schema.ts";
import { copySet } from "./copy.ts";
import { type FinalMode, markFinal, sweep } from "./finish.ts";
import { isMerged, mergeBranch } from "./merge.ts";
import { recover } from "./recover.ts";
import { deleteBranch, removeRegistration } from "./remove.ts";
import { setAside, stillWriting } from "./set-aside.ts";
import { setGate } from "./set-gate.ts";
import { settle } from "./settle.ts";

/**
 * `jig flow worktree finalize`: bring a workflow's worktree into the main tree and remove it, or stop at a gate with
 * everything kept (docs/spec/flow-worktree.md 5). The same command goes on after a gate, an interruption or a kill.
 */
export async function finalize(host: Host, options: FinalizeOptions): Promise<Outcome> {
  const layout = layoutOf(projectRoot(host, options.project));
  const wf = findWorkflow(layout, options.wf, "write");
  const subject = identify(host, layout, readArtifact(layout, wf), { ...options, wf });
  if ("outcome" in subject) return settle(host, layout, wf, subject, options);
  if (options["dry-run"]) return (await import("./dry-run.ts")).dryRun(subject);
  return underLock(subject);
}

/** Step 2, and what has to hold however the rest ends: the gate is written before the lock is released. */
async function underLock(subject: Identity): Promise<Outcome> {
  const { host, layout, wf, path, options } = subject;
  const report = emptyReport(subject);
  const interruption = host.interruption();
  note(
    { ...subject, report },
    { event: "worktree_finalize_started", worktree_path: path, worktree_branch: subject.branch },
  );
  const acquired = await acquireMergeLock(
    host,
    layout,
    { wf, worktreePath: path },
    { attempts: options["lock-attempts"], intervalMs: options["lock-interval"], signal: interruption },
  );
  report.lock = {
    ...report.lock,
    attempts: acquired.attempts,
    waited_ms: acquired.waitedMs,
    reclaimed: acquired.reclaimed,
  };
  for (const { decision, metadata } of acquired.reclaimed) {
    note({ ...subject, report }, { event: "merge_lock_reclaimed", decision, metadata });
  }
  if ("refused" in acquired) {
    if (interruption.aborted) throw interrupted(interruption);
    const { holder, message, decision } = acquired.refused;
    report.lock.decision = decision ?? null;
    return gated(subject, report, new Gate("worktree_merge_locked", { reason: message, advice: "", holder }));
  }
  note(
    { ...subject, report },
    { event: "merge_lock_acquired", attempts: acquired.attempts, waited_ms: acquired.waitedMs },
  );
  const { lock } = acquired;
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    if (lock.release() === "lost") report.warnings.push("the merge lock was no longer ours at the end");
  };
  try {
    const again = identify(host, layout, readArtifact(layout, wf), { ...options, wf });
    if ("outcome" in again) return await settle(host, layout, wf, again, options);
    const run: Run = { ...(await lookedAt(again, report)), lock, interruption };
    const mode = await steps(run);
    release();
    await sweep(run);
    return outcomeOf(report, mode, finalMessage(run, mode));
  } catch (error) {
    if (error instanceof Interrupted) throw interrupted(interruption);
    if (error instanceof Gate) return await gated(subject, report, error);
    throw error;
  } finally {
    release();
  }
}

/** Write a gate; a workflow that was finalized meanwhile needs none. */
async function gated(subject: Identity, report: FinalizeReport, gate: Gate): Promise<Outcome> {
  const { facts } = gate;
  report.holder = facts.holder ?? null;
  report.cleanup.failed_command ??=
    gate.gate === "worktree_cleanup_failed" ? (facts.failedCommand ?? null) : null;
  if (!(await setGate({ ...subject, report }, gate))) {
    return outcomeOf(report, "already_finalized", "The worktree was finalized meanwhile.");
  }
  report.gate = gate.gate;
  return outcomeOf(report, gate.gate, gateMessage(gate));
}

function interrupted(interruption: AbortSignal): JigError {
  return new JigError("interrupted; what was begun is in the journal", {
    exitCode: exitCodeOf(interruption),
    hint: "run the same command again: it goes on from there",
  });
}

/** Steps 3 to 13, in the order of the page. */
async function steps(run: Run): Promise<FinalMode> {
  let resumption = await recover(run); // 3
  if (resumption === "look" || resumption === "without-worktree") {
    const isAccepted = resumption === "without-worktree" || run.options["accept-missing"] === true;
    for (let round = 1; ; round++) {
      betweenSteps(run);
      await begin(run);
      const found = await checkWorktree(run, isAccepted ? "accepted" : "refused"); // 4
      if (found.tip === undefined) {
        await markFinal(run, "removed_no_merge_needed");
        return "removed_no_merge_needed";
      }
      const { tip, gitDirectory } = found;
      await checkMainTree(run, tip); // 5
      await checkDestination(run); // 6
      const set =
        gitDirectory === undefined ? undefined : await readSet(run, gitDirectory, await isMerged(run, tip)); // 7
      betweenSteps(run);
      await mergeBranch(run, tip); // 8
      betweenSteps(run);
      if (set === undefined || gitDirectory === undefined) {
        run.report.warnings.push(
          `${run.path} was gone: only what was committed on ${run.branch} is in the main tree`,
        );
        await enter(run, "removing");
        break;
      }
      await copySet(run, set, tip); // 9
      betweenSteps(run);
      const different = await setAside(run, { set, tip, gitDirectory }); // 10
      if (different === undefined) break;
      if (round === 2) throw stillWriting(run, different);
    }
    resumption = "remove";
  }
  const { merge_result: result, head_before, head_after } = run.journal;
  Object.assign(run.report.merge, { result, head_before, head_after });
  betweenSteps(run);
  if (resumption === "remove") await removeRegistration(run); // 11
  betweenSteps(run);
  if (resumption !== "finish")
    await deleteBranch(run); // 12
  else run.report.cleanup.branch_deleted = true;
  run.report.cleanup.worktree_removed = true;
  await markFinal(run, "merged_and_removed"); // 13
  return "merged_and_removed";
}

function finalMessage({ branch, report }: Run, mode: FinalMode): string {
  if (mode === "removed_no_merge_needed")
    return "Worktree and branch were gone; that was accepted, and nothing was merged.";
  const { merge, copy, cleanup } = report;
  const parts = [
    merge.result === "merged"
      ? `${branch} was merged.`
      : `Everything on ${branch} was in the main tree already.`,
    ...(copy.applied.length > 0
      ? [`${copy.applied.length} uncommitted changes are in the main tree, uncommitted.`]
      : []),
    cleanup.branch_deleted
      ? "The worktree and its branch are gone."
      : "The worktree is gone; its branch is kept.",
    ...(cleanup.kept.length > 0 ? [`Kept in ${cleanup.kept_dir}: ${cleanup.kept.join(", ")}.`] : []),
  ];
  return parts.join(" ");
}
