import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { osReason } from "../../../kernel/call/errors.ts";
import { compactSeconds } from "../../../kernel/text/time.ts";
import { applyPlan } from "../apply/apply-plan.ts";
import { backUp } from "../apply/back-up.ts";
import { checkDestinations } from "../apply/destinations.ts";
import { makePlan } from "../apply/make-plan.ts";
import { type Plan, readPlan } from "../apply/plan.ts";
import type { UncommittedSet } from "../apply/uncommitted-set.ts";
import { undoPlan } from "../apply/undo-plan.ts";
import { ignoresCase } from "../guard/read-set.ts";
import { enter } from "../run/enter.ts";
import { Gate, orGate, RERUN } from "../run/gate.ts";
import { note, type Run, stillLocked } from "../run/run.ts";
import { shownPath } from "../tree/byte-path.ts";
import { commitOf } from "../tree/refs.ts";

const GATE = "worktree_copy_fallback_failed";
/** What stands after a refused copy: step 8 comes before it. */
function advice({ journal }: Run, then = ""): string {
  const commits =
    journal.merge_result === "merged"
      ? "The commits are merged, the uncommitted work is not copied"
      : "Nothing was copied";
  return `${commits}; worktree and branch are kept. ${then}${RERUN}`;
}

/** Step 9: uncommitted work arrives in the main tree uncommitted, all of it or nothing (docs/spec/flow-worktree.md 5.1, 6.1). */
export async function copySet(run: Run, set: UncommittedSet, tip: string): Promise<void> {
  const { report, main } = run;
  report.copy.skipped = set.own.map((path) => ({ path: shownPath(path), reason: "kept in from-worktree" }));
  if (set.items.size === 0) return;
  const plan = await orGate(GATE, advice(run), () => planFor(run, set, tip));
  for (const { action, path } of plan.entries) {
    if (action === "none" && set.items.has(path)) {
      report.copy.skipped.push({ path: shownPath(path), reason: "there already" });
    }
  }
  if (plan.entries.every(({ action }) => action === "none")) return;
  stillLocked(run);
  const { directory, file } = saved(run, plan);
  report.copy.backup_dir = directory;
  await enter(run, "copying", { backup_dir: directory, plan: file });
  try {
    applyPlan(main.top, run.path, plan);
  } catch (error) {
    throw await undone(run, plan, directory, osReason(error));
  }
  await enter(run, "copied", { applied: file });
  const done = plan.entries.filter(({ action }) => action !== "none");
  report.copy.ran = true;
  report.copy.applied = done.map(({ action, path, from }) => ({
    action: action as "copy" | "remove",
    path: shownPath(path),
    ...(from === undefined ? {} : { from: shownPath(from) }),
  }));
  const copied = done.filter(({ action }) => action === "copy").length;
  note(run, { event: "worktree_copied", copied, removed: done.length - copied, backup_dir: directory });
}

async function planFor(run: Run, set: UncommittedSet, tip: string): Promise<Plan> {
  const { host, main, tree: worktree, journal, report } = run;
  checkDestinations(main.top, set, await ignoresCase(run));
  const head = (await commitOf(host, main, "HEAD")) ?? tip;
  const applied = journal.applied === null ? undefined : readPlan(journal.applied);
  const { plan, diverged } = await makePlan(host, { main, worktree, set, head, tip, applied });
  if (diverged.length === 0) return plan;
  report.copy.diverged = diverged.map(shownPath);
  throw new Gate(GATE, {
    reason: `the main tree has newer versions of ${report.copy.diverged.join(", ")}`,
    advice: advice(run, "Commit in the worktree, so that git merges the two. "),
    paths: report.copy.diverged,
    diverged: report.copy.diverged,
  });
}

function saved(run: Run, plan: Plan): { directory: string; file: string } {
  const { layout, wf, host, main } = run;
  const memory = layout.memory(wf);
  try {
    mkdirSync(memory, { recursive: true });
    return backUp(main.top, plan, memory, `copy-backup-${compactSeconds(host.now())}`);
  } catch (error) {
    throw new Gate(GATE, { reason: `the backup could not be made: ${osReason(error)}`, advice: advice(run) });
  }
}

/** A failure in the middle is undone; what cannot be undone is listed, and its backup stays. */
async function undone(run: Run, plan: Plan, directory: string, why: string): Promise<Gate> {
  const { left } = undoPlan(run.main.top, plan, directory);
  if (left.length > 0) return leftApplied(why, left.map(shownPath), directory);
  await enter(run, "locked", { backup_dir: null, plan: null });
  rmSync(directory, { recursive: true, force: true });
  run.report.copy.backup_dir = null;
  return new Gate(GATE, { reason: `the copy failed and was undone: ${why}`, advice: advice(run) });
}

/** What was applied and could not be taken back. */
export function leftApplied(why: string, left: readonly string[], backup: string): Gate {
  return new Gate(GATE, {
    reason: `the copy failed (${why}) and could not be undone whole; still applied: ${left.join(", ")}`,
    advice: `Everything else is as it was, and what was there before is in ${backup}. Worktree and branch are kept. ${RERUN}`,
    paths: left,
  });
}

/** The directory a plan's saved content is in. */
export function savedFor(planFile: string): string {
  return dirname(planFile);
}
