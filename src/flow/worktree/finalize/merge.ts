import { join } from "node:path";
import { statIfThere } from "../../../kernel/files/look.ts";
import type { GitResult } from "../../../kernel/repository/git.ts";
import { refuseOverwrites } from "../guard/overwrites.ts";
import { enter } from "../run/enter.ts";
import { Gate, KEPT, orGate, RERUN } from "../run/gate.ts";
import { note, type Run, stillLocked } from "../run/run.ts";
import { latin1, shownPath } from "../tree/byte-path.ts";
import { type LockFile, lockFiles, lockText, write } from "../tree/lock-files.ts";
import { BRANCHES, commitOf, headRef, isContained } from "../tree/refs.ts";
import { look } from "../tree/work-tree.ts";
import { type PutBack, putBack } from "./put-back.ts";

const MERGE_LIMIT_MS = 600_000;
const KILL_AFTER_MS = 10_000;
const GATE = "worktree_merge_unrecognized_failure";
const ADVICE = `${KEPT} Mend what git says. ${RERUN}`;

/** Whether TIP is contained in the main tree's HEAD, so that there is nothing to merge. */
export function isMerged(run: Pick<Run, "host" | "main">, tip: string): Promise<boolean> {
  return orGate(GATE, ADVICE, () => isContained(run.host, run.main, tip, "HEAD"));
}

/** Step 8: merge B into the main tree's branch, once (docs/spec/flow-worktree.md 5.1). */
export async function mergeBranch(run: Run, tip: string): Promise<void> {
  const { report, journal } = run;
  const head = await orGate(GATE, ADVICE, () => headOf(run));
  if (await isMerged(run, tip)) {
    const isOurs = journal.merge_result === "merged" && journal.branch_tip === tip;
    if (!isOurs) {
      Object.assign(run.journal, {
        head_before: head,
        head_after: head,
        branch_tip: tip,
        merge_result: "up_to_date",
      });
    }
    const { merge_result: result, head_before, head_after } = run.journal;
    Object.assign(report.merge, { result, head_before, head_after: head_after ?? head });
    return;
  }
  await orGate(GATE, ADVICE, () => refuseOverwrites(run, head, tip));
  stillLocked(run);
  await enter(run, "merging", { head_before: head, head_after: null, branch_tip: tip, merge_result: null });
  report.merge.head_before = head;
  await orGate(GATE, ADVICE, () => merge(run, head, tip));
  const after = await orGate(GATE, ADVICE, () => headOf(run));
  await enter(run, "merged", { head_after: after, merge_result: "merged" });
  Object.assign(report.merge, { result: "merged", head_after: after });
  note(run, {
    event: "worktree_merged",
    result: "merged",
    head_before: head,
    head_after: after,
    branch_tip: tip,
  });
}

async function headOf({ host, main }: Pick<Run, "host" | "main">): Promise<string> {
  const head = await commitOf(host, main, "HEAD");
  if (head !== undefined) return head;
  throw new Gate(GATE, { reason: "the main tree has no commit yet", advice: ADVICE });
}

async function merge(run: Run, headBefore: string, tip: string): Promise<void> {
  const { host, main, branch, directories, report } = run;
  const ref = await headRef(host, main);
  const locks = lockFiles(directories, ref === undefined ? [] : [ref]);
  let back: PutBack | undefined;
  const settle = async () => {
    if (await hasConflict(run, "")) return false;
    back = await putBack(run, { headBefore, tip, started: true });
    return back.left.length === 0;
  };
  const words = ["--commit", "--no-squash", "-m", `Merge branch '${branch}'`, `${BRANCHES}${branch}`];
  const { result, lock } = await write(host, main, ["merge", ...words], {
    programs: "repository",
    // Under it git would answer 0 with a conflict hidden in a stash.
    config: { "merge.autoStash": "false" },
    timeoutMs: MERGE_LIMIT_MS,
    killAfterMs: KILL_AFTER_MS,
    locks,
    settle,
  });
  const output = result === undefined ? "" : outputOf(result);
  report.merge.output = output;
  if (result?.exitCode === 0 && (await isContained(host, main, tip, "HEAD"))) return;
  if (result !== undefined && result.exitCode !== 0 && (await hasConflict(run, output)))
    await conflict(run, output);
  report.merge.result = "unrecognized";
  back = await putBack(run, { headBefore, tip, started: true });
  throw unrecognized(run, output, result, back.lock ?? lock, back.left);
}

function outputOf({ stdout, stderr }: GitResult): string {
  return [shownPath(latin1(stdout)).trimEnd(), stderr].filter(Boolean).join("\n");
}

/** Unmerged entries, or git's own line for one while the merge is under way: rerere may have settled the entries. */
async function hasConflict({ host, main, directories }: Run, output: string): Promise<boolean> {
  const unmerged = await look(host, main, ["ls-files", "--unmerged", "-z"]);
  if (unmerged.exitCode === 0 && unmerged.stdout.length > 0) return true;
  const isMerging = statIfThere(join(directories.own, "MERGE_HEAD")) !== undefined;
  return isMerging && output.split("\n").some((line) => line.startsWith("CONFLICT ("));
}

async function conflict(run: Run, output: string): Promise<never> {
  const { branch, options, host, main, directories, report, root } = run;
  report.merge.result = "conflict";
  await enter(run, "locked");
  let state = "The conflict is in the main tree; worktree and branch are kept.";
  let advice = `Resolve what git status in ${root} lists, commit the merge, then run the same command again.`;
  if (options["abort-on-conflict"]) {
    const { result, lock } = await write(host, main, ["merge", "--abort"], {
      locks: lockFiles(directories, []),
      programs: "repository",
    });
    if (result?.exitCode === 0) {
      state = "The merge was aborted: the main tree is as it was, worktree and branch are kept.";
      advice = `Merge the main tree's branch into ${branch} in the worktree. ${RERUN}`;
    } else
      state = `${state} It could not be aborted: ${lock === undefined ? result?.stderr : lockText(lock)}.`;
  }
  throw new Gate("worktree_merge_conflict", {
    reason: `merging ${branch} met a conflict`,
    advice: `${state} ${advice}`,
    failedCommand: "git merge",
    output,
    paths: await unmergedPaths(run),
  });
}

async function unmergedPaths({ host, main }: Run): Promise<string[]> {
  const result = await look(host, main, ["ls-files", "--unmerged", "-z"]);
  const records = latin1(result.stdout).split("\0").filter(Boolean);
  return [...new Set(records.map((record) => shownPath(record.slice(record.indexOf("\t") + 1))))];
}

/** What putting back left comes first: it is the one thing that is not as it was. */
export function unrecognized(
  run: Pick<Run, "branch">,
  output: string,
  result: GitResult | undefined,
  lock: LockFile | undefined,
  left: readonly string[],
): Gate {
  const why =
    lock !== undefined
      ? lockText(lock)
      : result === undefined
        ? "it was cut off"
        : `git merge ended with ${result.exitCode}: ${output.split("\n").filter(Boolean).at(-1) ?? "no word"}`;
  const leftover = left.length === 0 ? "" : `Left changed in the main tree: ${left.join(", ")}. `;
  return new Gate(GATE, {
    reason: `${leftover}${run.branch} was not merged: ${why}`,
    advice:
      left.length === 0
        ? ADVICE
        : `Worktree and branch are kept. Look at those files, and restore them (git restore) or commit what is yours. ${RERUN}`,
    failedCommand: "git merge",
    output,
    paths: left,
  });
}
