import { statIfThere } from "../../../kernel/files/look.ts";
import { gitText } from "../../../kernel/repository/git.ts";
import { enter } from "../run/enter.ts";
import { Gate, orGate, RERUN } from "../run/gate.ts";
import { note, type Run, stillLocked } from "../run/run.ts";
import { type LockFile, lockFiles, lockText, write } from "../tree/lock-files.ts";
import { BRANCHES, headRef, isContained, tipOf } from "../tree/refs.ts";
import { registrationAt, registrationsOf } from "../tree/registrations.ts";
import { look } from "../tree/work-tree.ts";

const GATE = "worktree_cleanup_failed";

/** Step 11: remove the registration, whose directory is no longer there (docs/spec/flow-worktree.md 5.1). */
export async function removeRegistration(run: Run): Promise<void> {
  const { host, main, path, journal, report } = run;
  const advice = `The work is in the main tree; ${whereabouts(run)}. Mend what git says. ${RERUN}`;
  stillLocked(run);
  if (statIfThere(path) !== undefined) {
    throw new Gate(GATE, {
      reason: `${path} is there again`,
      advice: `The work is in the main tree${journal.trash === null ? "" : `; what was there before is at ${journal.trash}`}. Move it away. ${RERUN}`,
      paths: [path],
    });
  }
  const isListed = () =>
    orGate(GATE, advice, async () => registrationAt(await registrationsOf(host, main), path) !== undefined);
  if (await isListed()) {
    const words = ["remove", "--force", "--force", "--", path];
    const { result, lock } = await orGate(GATE, advice, () =>
      write(host, main, ["worktree", ...words], { locks: [] }),
    );
    if (result?.exitCode !== 0 || (await isListed())) {
      throw failed(run, "git worktree remove", result?.stderr ?? "", lock, advice);
    }
  }
  report.cleanup.worktree_removed = true;
  await enter(run, "worktree_removed");
  note(run, { event: "worktree_removed", worktree_path: path });
}

function whereabouts({ journal }: Run): string {
  return journal.trash === null
    ? "its branch is kept"
    : `what is left of the worktree is at ${journal.trash}, its branch is kept`;
}

/** Step 12: delete the branch, which must be at TIP and contained in HEAD; never by force. */
export async function deleteBranch(run: Run): Promise<void> {
  const { host, main, branch, journal, report, directories } = run;
  report.cleanup.worktree_removed = true;
  const advice = `The work is in the main tree and the worktree is gone; ${branch} is kept and may hold commits that the main tree lacks. ${RERUN}`;
  stillLocked(run);
  const tip = await orGate(GATE, advice, () => tipOf(host, main, branch));
  if (tip !== undefined) {
    if ((await orGate(GATE, advice, () => headRef(host, main))) === undefined) {
      report.warnings.push(
        `the main tree is on no branch: ${branch} is kept, it is the only name of the work`,
      );
      return;
    }
    if (tip !== journal.branch_tip)
      throw moved(run, `${branch} has moved from ${journal.branch_tip} to ${tip}`, advice);
    if (!(await orGate(GATE, advice, () => isContained(host, main, tip, "HEAD")))) {
      throw moved(run, `the main tree no longer contains ${branch}`, advice);
    }
    const locks = lockFiles(directories, [`${BRANCHES}${branch}`]);
    const { result, lock } = await orGate(GATE, advice, () =>
      write(host, main, ["branch", "-d", "--", branch], { locks, programs: "repository" }),
    );
    if (result?.exitCode !== 0) {
      const upstream = await upstreamOf(run);
      const more =
        upstream === ""
          ? advice
          : `${advice} When only its upstream ${upstream} lacks them, git branch --unset-upstream ${branch} settles it.`;
      throw failed(run, "git branch -d", result?.stderr ?? "", lock, more);
    }
  }
  report.cleanup.branch_deleted = true;
  await enter(run, "branch_deleted");
  note(run, { event: "worktree_branch_deleted", worktree_branch: branch, branch_tip: journal.branch_tip });
}

async function upstreamOf({ host, main, branch }: Run): Promise<string> {
  const words = ["--format=%(upstream:short)", `${BRANCHES}${branch}`];
  return gitText(await look(host, main, ["for-each-ref", ...words]));
}

function moved(run: Run, reason: string, advice: string): Gate {
  run.report.cleanup.failed_command = "git branch -d";
  return new Gate(GATE, { reason, advice, failedCommand: "git branch -d" });
}

function failed(run: Run, command: string, output: string, lock: LockFile | undefined, advice: string): Gate {
  Object.assign(run.report.cleanup, { failed_command: command, output, trash: run.journal.trash });
  const why = lock === undefined ? output || "it gave no reason" : lockText(lock);
  return new Gate(GATE, { reason: `${command} failed: ${why}`, advice, failedCommand: command, output });
}
