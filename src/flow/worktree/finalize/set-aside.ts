import { renameSync } from "node:fs";
import { JigError, osReason } from "../../../kernel/call/errors.ts";
import { statIfThere } from "../../../kernel/files/look.ts";
import { randomHex } from "../../../kernel/text/random.ts";
import { isSameSet, SetRefused, type UncommittedSet, uncommittedSet } from "../apply/uncommitted-set.ts";
import { enter } from "../run/enter.ts";
import { Gate, KEPT, orGate, RERUN } from "../run/gate.ts";
import { trashName } from "../run/journal.ts";
import { ownLockReason, type Run, stillLocked } from "../run/run.ts";
import { shownPath } from "../tree/byte-path.ts";
import { write } from "../tree/lock-files.ts";
import { operationIn } from "../tree/operation.ts";
import { BRANCHES, commitOf, headRef } from "../tree/refs.ts";
import { registrationAt, registrationsOf } from "../tree/registrations.ts";
import { populatedIn, submoduleDirt } from "../tree/submodules.ts";
import { namedTree, type WorkTree } from "../tree/work-tree.ts";
import { keepRest } from "./keep.ts";

const GATE = "worktree_cleanup_failed";

export interface AsideQuestion {
  set: UncommittedSet;
  tip: string;
  gitDirectory: string;
}

/**
 * Step 10: put the worktree out of everybody's reach in one rename, look there once more whether it is what was carried
 * over, and keep the rest of it. Gives what was different, the worktree being back at its place then; undefined when all is
 * well (docs/spec/flow-worktree.md 5.1).
 */
export async function setAside(run: Run, question: AsideQuestion): Promise<string | undefined> {
  const { path } = run;
  stillLocked(run);
  const trash = trashName(path, randomHex(4));
  await enter(run, "set_aside", { trash });
  await orGate(GATE, `The work is in the main tree; the worktree is at its path. ${RERUN}`, () =>
    lockWorktree(run),
  );
  try {
    renameSync(path, trash);
  } catch (error) {
    await unlockWorktree(run);
    await enter(run, "locked", { trash: null });
    throw new Gate(GATE, {
      reason: `${path} cannot be renamed: ${osReason(error)}`,
      advice: `The work is in the main tree; the worktree is untouched at its path. End what uses it. ${RERUN}`,
      failedCommand: "rename",
    });
  }
  const tree = namedTree(trash, question.gitDirectory);
  try {
    const different = await differenceIn(run, tree, question);
    if (different === undefined) {
      await keepRest(run, tree, question.set);
      await enter(run, "removing");
      run.report.cleanup.trash = trash;
      return undefined;
    }
    await takeBack(run, trash);
    return different;
  } catch (error) {
    if (run.journal.stage === "set_aside") await takeBack(run, trash);
    throw error;
  }
}

async function differenceIn(
  run: Run,
  tree: WorkTree,
  { set, tip, gitDirectory }: AsideQuestion,
): Promise<string | undefined> {
  const { host, branch } = run;
  try {
    if ((await headRef(host, tree)) !== `${BRANCHES}${branch}`) return "its HEAD is no longer on its branch";
    if ((await commitOf(host, tree, "HEAD")) !== tip) return "there is a new commit in it";
    const operation = operationIn(gitDirectory);
    if (operation !== undefined) return `a ${operation} was begun in it`;
    for (const submodule of await populatedIn(host, tree)) {
      const dirt = await submoduleDirt(host, submodule);
      if (dirt !== undefined) return `the submodule '${shownPath(submodule.path)}' ${dirt}`;
    }
    return isSameSet(set, await uncommittedSet(host, tree)) ? undefined : "its uncommitted work has changed";
  } catch (error) {
    if (error instanceof SetRefused || error instanceof JigError) return error.message;
    throw error;
  }
}

/** The worktree at its place again. */
async function takeBack(run: Run, trash: string): Promise<void> {
  const { path } = run;
  if (statIfThere(path) !== undefined) {
    throw new Gate(GATE, {
      reason: `both ${path} and ${trash} are there`,
      advice: `The work is in the main tree. Keep one of them at ${path} and move the other away. ${RERUN}`,
      paths: [path, trash],
    });
  }
  try {
    renameSync(trash, path);
  } catch (error) {
    throw new Gate(GATE, {
      reason: `${trash} could not be renamed back to ${path}: ${osReason(error)}`,
      advice: `The work is in the main tree. ${RERUN}`,
      paths: [trash],
    });
  }
  await unlockWorktree(run);
  await enter(run, "locked", { trash: null });
}

/** A `git worktree prune` by anyone would drop the registration of a worktree that is not at its place. */
async function lockWorktree(run: Run): Promise<void> {
  const { host, main, path } = run;
  const registration = registrationAt(await registrationsOf(host, main), path);
  if (registration?.locked !== undefined) return;
  const words = ["lock", "--reason", ownLockReason(run), "--", path];
  const { result } = await write(host, main, ["worktree", ...words], { locks: [] });
  if (result?.exitCode !== 0) throw new JigError(`git worktree lock failed: ${result?.stderr}`);
}

/** Take our own lock away; one that is not there is fine, and one that stays does not count on a rerun. */
export async function unlockWorktree(run: Run): Promise<void> {
  const { host, main, path } = run;
  const registration = registrationAt(await registrationsOf(host, main), path);
  if (registration?.locked !== ownLockReason(run)) return;
  await write(host, main, ["worktree", "unlock", "--", path], { locks: [] });
}

/** The worktree was different a second time: somebody is at work there. */
export function stillWriting(run: Run, different: string): Gate {
  return new Gate(GATE, {
    reason: `something is still writing in ${run.path}: ${different}`,
    advice: `${KEPT.replace("Nothing was touched", "What was there is in the main tree")} End it. ${RERUN}`,
    paths: [run.path],
  });
}
