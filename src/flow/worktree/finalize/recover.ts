import { renameSync } from "node:fs";
import { osReason } from "../../../kernel/call/errors.ts";
import { statIfThere } from "../../../kernel/files/look.ts";
import { readPlan } from "../apply/plan.ts";
import { undoPlan } from "../apply/undo-plan.ts";
import { Gate, KEPT, orGate, RERUN } from "../run/gate.ts";
import { type Run, stillLocked } from "../run/run.ts";
import { shownPath } from "../tree/byte-path.ts";
import { isSameVersion, versionsIn } from "../tree/listings.ts";
import { operationIn } from "../tree/operation.ts";
import { commitOf, tipOf } from "../tree/refs.ts";
import { leftApplied, savedFor } from "./copy.ts";
import { unrecognized } from "./merge.ts";
import { putBack } from "./put-back.ts";
import { unlockWorktree } from "./set-aside.ts";

/** Where an interrupted run goes on. `without-worktree`: at step 4, its directory being gone rightly. */
export type Resumption = "look" | "without-worktree" | "remove" | "delete-branch" | "finish";

/** Step 3: settle what the journal says was begun and not ended (docs/spec/flow-worktree.md 5.3). */
export async function recover(run: Run): Promise<Resumption> {
  const { stage } = run.journal;
  switch (stage) {
    case "merging":
      await orGate("worktree_merge_unrecognized_failure", `${KEPT} ${RERUN}`, () => recoverMerge(run));
      return "look";
    case "copying":
      await orGate("worktree_copy_fallback_failed", `${KEPT} ${RERUN}`, () => recoverCopy(run));
      return "look";
    case "set_aside":
      await orGate("worktree_cleanup_failed", `${KEPT} ${RERUN}`, () => recoverSetAside(run));
      return "look";
    case "removing":
      return "remove";
    case "worktree_removed":
      return orGate("worktree_cleanup_failed", RERUN, () => afterRemoval(run));
    case "branch_deleted":
      return "finish";
    default:
      return "look";
  }
}

async function recoverMerge(run: Run): Promise<void> {
  const { host, main, journal, directories } = run;
  const { head_before: headBefore, branch_tip: tip } = journal;
  if (headBefore === null || tip === null) return;
  const head = await commitOf(host, main, "HEAD");
  if (head !== headBefore) {
    // The merge was done when its run was killed: the journal learns of it.
    run.journal = { ...journal, head_after: head ?? null, merge_result: "merged" };
    return;
  }
  // A merge under way may be a conflict that someone is resolving: step 5 decides.
  if (operationIn(directories.own) !== undefined) return;
  stillLocked(run);
  const { left, lock } = await putBack(run, { headBefore, tip, started: false });
  if (left.length > 0) throw unrecognized(run, "", undefined, lock, left);
}

/** Undo each path that is in its applied state and whose version in HEAD nobody has changed since. */
async function recoverCopy(run: Run): Promise<void> {
  const { host, main, journal } = run;
  if (journal.plan === null) return;
  const plan = readPlan(journal.plan);
  const heads = await versionsIn(host, main, "HEAD", new Set(plan.entries.map(({ path }) => path)));
  stillLocked(run);
  const { left } = undoPlan(main.top, plan, savedFor(journal.plan), ({ path, head }) =>
    isSameVersion(head ?? undefined, heads.get(path)),
  );
  if (left.length > 0) throw leftApplied("it was cut off", left.map(shownPath), savedFor(journal.plan));
}

async function recoverSetAside(run: Run): Promise<void> {
  const { path, journal } = run;
  const { trash } = journal;
  if (trash !== null && statIfThere(trash) !== undefined) {
    if (statIfThere(path) !== undefined) {
      throw new Gate("worktree_cleanup_failed", {
        reason: `both ${path} and ${trash} are there`,
        advice: `Nothing was touched. Keep one of them at ${path} and move the other away. ${RERUN}`,
        paths: [path, trash],
      });
    }
    stillLocked(run);
    try {
      renameSync(trash, path);
    } catch (error) {
      throw new Gate("worktree_cleanup_failed", {
        reason: `${trash} could not be renamed back to ${path}: ${osReason(error)}`,
        advice: `Nothing else was touched. ${RERUN}`,
        paths: [trash],
      });
    }
  }
  await unlockWorktree(run);
}

async function afterRemoval({ host, main, branch, journal }: Run): Promise<Resumption> {
  const tip = await tipOf(host, main, branch);
  if (tip === undefined) return "finish";
  return tip === journal.branch_tip ? "delete-branch" : "without-worktree";
}
