import { readFileSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { mapAt, textAt } from "../../artifact/read.ts";
import { readArtifact } from "../../artifact/store.ts";
import { workflowIds } from "../../common/workflow.ts";
import { isApplied, type PlanEntry, readPlan } from "../apply/plan.ts";
import { isOwn } from "../apply/uncommitted-set.ts";
import { Gate, KEPT, orGate, RERUN } from "../run/gate.ts";
import type { Looked } from "../run/run.ts";
import { type BytePath, shownPath } from "../tree/byte-path.ts";
import { changesBetween, GITLINK } from "../tree/listings.ts";
import { operationIn } from "../tree/operation.ts";
import type { StatusRecord } from "../tree/porcelain.ts";
import { commitOf, tipOf } from "../tree/refs.ts";
import { statusOf } from "../tree/status.ts";
import { type Populated, populatedIn } from "../tree/submodules.ts";
import { named } from "./worktree-state.ts";

const GATE = "worktree_dirty_main_tree";

/** Step 5: nothing of anyone's is in the main tree's way (docs/spec/flow-worktree.md 5.1). */
export function checkMainTree(run: Looked, tip: string | undefined): Promise<void> {
  return orGate(GATE, `${KEPT} Mend what git says. ${RERUN}`, async () => {
    await refuseOperation(run, tip);
    const { counted, ignored, moved } = await changesIn(run);
    run.report.ignored_entries = ignored.map(entryText);
    if (counted.length === 0) return;
    const paths = counted.map(entryText);
    const only = counted.every(({ path }) => moved.includes(path));
    throw new Gate(GATE, {
      reason: only
        ? `submodules of the main tree are not at the commit it names: ${some(counted)}`
        : `the main tree has changes of its own: ${some(counted)}`,
      advice:
        moved.length > 0
          ? `${KEPT} Run git submodule update for ${moved.map(shownPath).join(", ")}${only ? "" : ", and commit or stash the rest"}. ${RERUN}`
          : `${KEPT} Commit, stash or ignore them. ${RERUN}`,
      paths,
    });
  });
}

function entryText({ code, path, from }: StatusRecord): string {
  return from === undefined
    ? `${code} ${shownPath(path)}`
    : `${code} ${shownPath(from)} -> ${shownPath(path)}`;
}

const SHOWN = 5;

function some(records: readonly StatusRecord[]): string {
  const names = records.slice(0, SHOWN).map(({ path }) => shownPath(path));
  return records.length > SHOWN ? `${names.join(", ")} and ${records.length - SHOWN} more` : names.join(", ");
}

async function refuseOperation(run: Looked, tip: string | undefined): Promise<void> {
  const { directories, journal, report, branch, root } = run;
  const operation = operationIn(directories.own);
  if (operation === undefined) return;
  report.operation = operation;
  const merging = operation === "merge" ? mergeHeads(directories.own) : [];
  const own = [tip, journal.branch_tip].find((one) => one != null && merging.includes(one));
  if (own !== undefined) {
    throw new Gate("worktree_merge_conflict", {
      reason: `the merge of ${branch} into the main tree is still under way`,
      advice:
        `Worktree and branch are kept. Resolve what git status in ${root} lists and commit the merge (git commit), or give ` +
        `it up with git merge --abort. ${RERUN}`,
      operation,
    });
  }
  const other = await otherWorkflow(run, merging);
  throw new Gate(GATE, {
    reason:
      other === undefined
        ? `${named(operation)} is under way in the main tree`
        : `a merge of the workflow ${other} is under way in the main tree`,
    advice:
      other === undefined
        ? `${KEPT} It is left as it is. End or abort it. ${RERUN}`
        : `${KEPT} Wait until its conflict is resolved; leave those changes as they are. ${RERUN}`,
    operation,
  });
}

function mergeHeads(gitDirectory: string): string[] {
  return readFileSync(join(gitDirectory, "MERGE_HEAD"), "utf8").split("\n").filter(Boolean);
}

/** The workflow whose branch is being merged. */
async function otherWorkflow(
  { host, layout, main, wf }: Looked,
  merging: readonly string[],
): Promise<string | undefined> {
  if (merging.length === 0) return undefined;
  for (const id of workflowIds(layout)) {
    if (id === wf) continue;
    try {
      const artifact = readArtifact(layout, id);
      const journaled = mapAt(artifact, "worktree_finalize").get("branch_tip");
      if (typeof journaled === "string" && merging.includes(journaled)) return id;
      const branch = textAt(artifact, "worktree_branch");
      const tip = branch === null || branch === "" ? undefined : await tipOf(host, main, branch);
      if (tip !== undefined && merging.includes(tip)) return id;
    } catch (error) {
      // Another workflow's file that cannot be read names nobody.
      if (!(error instanceof JigError)) throw error;
    }
  }
  return undefined;
}

export interface MainChanges {
  /** What stands in the way. */
  counted: StatusRecord[];
  /** What does not: the tool's own, what this workflow has applied, submodules that its merge moved. */
  ignored: StatusRecord[];
  /** Of the counted ones, submodules at another commit. */
  moved: BytePath[];
}

/** The main tree's changes. */
export async function changesIn(run: Looked): Promise<MainChanges> {
  const { host, main } = run;
  const submodules = await populatedIn(host, main);
  const records = [...(await statusOf(host, main)), ...(await dirtySubmodules(host, submodules))];
  const changes: MainChanges = { counted: [], ignored: [], moved: [] };
  if (records.length === 0) return changes;
  const applied = appliedEntries(run);
  const holds = (path: BytePath) => {
    const entry = applied.get(path);
    return entry !== undefined && isApplied(main.top, entry);
  };
  for (const record of records) {
    const { path, from } = record;
    const submodule = submodules.find((one) => one.path === path);
    if (isUnstagedOwn(record) || (holds(path) && (from === undefined || holds(from))))
      changes.ignored.push(record);
    else if (submodule === undefined) changes.counted.push(record);
    else if (await wasLeftBehind(run, submodule)) changes.ignored.push(record);
    else {
      changes.counted.push(record);
      if (record !== records.find((one) => one.path === path) || (await isClean(host, submodule)))
        changes.moved.push(path);
    }
  }
  return changes;
}

/** Entries of the tool's own directories, unless someone has staged them. */
function isUnstagedOwn({ code, path }: StatusRecord): boolean {
  return isOwn(path.replace(/\/$/, "")) && (code[0] === " " || code[0] === "?");
}

/** As git's own status has them, which would run what a submodule's configuration names. */
async function dirtySubmodules(host: Host, submodules: readonly Populated[]): Promise<StatusRecord[]> {
  const dirty: StatusRecord[] = [];
  for (const one of submodules) {
    if (!(await isClean(host, one))) dirty.push({ code: " M", path: one.path });
  }
  return dirty;
}

async function isClean(host: Host, { tree }: Populated): Promise<boolean> {
  return (await statusOf(host, tree)).length === 0;
}

/** Whether the journal's merge moved a submodule's pointer, and its checkout is clean at the old commit. */
async function wasLeftBehind({ host, main, journal }: Looked, submodule: Populated): Promise<boolean> {
  const { head_before: before, branch_tip: tip } = journal;
  if (before === null || tip === null) return false;
  const after = journal.head_after ?? "HEAD";
  const moved = (await changesBetween(host, main, before, after)).get(submodule.path);
  if (moved?.before?.mode !== GITLINK || moved.after?.mode !== GITLINK) return false;
  return (
    (await commitOf(host, submodule.tree, "HEAD")) === moved.before.oid && (await isClean(host, submodule))
  );
}

function appliedEntries({ journal }: Looked): Map<BytePath, PlanEntry> {
  if (journal.applied === null) return new Map();
  return new Map(readPlan(journal.applied).entries.map((entry) => [entry.path, entry]));
}
