import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { osReason } from "../../../kernel/call/errors.ts";
import { isRealDirectory, statIfThere } from "../../../kernel/files/look.ts";
import { Gate, KEPT, orGate, RERUN } from "../run/gate.ts";
import { type Looked, ownLockReason } from "../run/run.ts";
import { operationIn } from "../tree/operation.ts";
import { BRANCHES, headRef, tipOf } from "../tree/refs.ts";
import {
  type Registration,
  registrationAt,
  registrationsInside,
  registrationsOf,
} from "../tree/registrations.ts";
import { isOneDirectory, repositoryOf } from "../tree/work-tree.ts";

/** What is there of a workflow's worktree. */
export interface WorktreeFound {
  /** False when its directory is gone and that was accepted. */
  isThere: boolean;
  /** The commit of the branch, TIP; undefined when the branch is gone, too. */
  tip: string | undefined;
  /** Where git keeps the worktree's own state; undefined with a directory that is gone. */
  gitDirectory: string | undefined;
}

const ADVICE = `${KEPT} Make it what the workflow left, or bring the work over by hand. ${RERUN}`;
const GATE = "worktree_merge_unrecognized_failure";

/**
 * Step 4: the worktree is what the artifact says, and nothing else would go with it. `gone` says what a missing directory
 * means: `refused` unless a person or the journal has accepted it (docs/spec/flow-worktree.md 5.1, 5.4).
 */
export function checkWorktree(run: Looked, gone: "refused" | "accepted"): Promise<WorktreeFound> {
  return orGate(GATE, ADVICE, () => look(run, gone));
}

async function look(run: Looked, gone: "refused" | "accepted"): Promise<WorktreeFound> {
  const { host, main, path, branch } = run;
  const registrations = await registrationsOf(host, main);
  const registration = registrationAt(registrations, path);
  refuseElsewhere(run, registrations, registration);
  const tip = await tipOf(host, main, branch);
  if (isGone(path)) {
    refuseMissing(run, tip, registration, gone);
    return { isThere: false, tip, gitDirectory: undefined };
  }
  if (!isRealDirectory(path)) throw unfit(`${path} is no directory`);
  const inside = registrationsInside(registrations, path);
  if (inside.length > 0) {
    throw unfit(`another worktree lies inside it: ${inside[0]!.path} would be deleted with it`);
  }
  const gitDirectory = await checkRepository(run);
  if (registration === undefined) throw unfit(`git does not list ${path} as a worktree`);
  if (tip === undefined) throw unfit(`there is no branch ${branch}`);
  const head = await headRef(host, run.tree);
  if (head !== `${BRANCHES}${branch}`) {
    const on =
      head === undefined ? `no branch (${registration.head ?? "no commit"})` : head.replace(BRANCHES, "");
    throw unfit(`${path} is on ${on}, not on ${branch}: the commits there would be lost`);
  }
  const operation = operationIn(gitDirectory);
  if (operation !== undefined) throw unfit(`${named(operation)} is under way in ${path}`);
  return { isThere: true, tip, gitDirectory };
}

function unfit(reason: string, paths: readonly string[] = []): Gate {
  return new Gate(GATE, { reason, advice: ADVICE, paths });
}

export function named(operation: string): string {
  return `${operation === "am" ? "an" : "a"} ${operation}`;
}

/** Whether a path does not exist while its parent can be read; any other doubt is an error. */
function isGone(path: string): boolean {
  if (statIfThere(path) !== undefined) return false;
  try {
    readdirSync(dirname(path));
    return true;
  } catch (error) {
    throw unfit(`${dirname(path)} cannot be read: ${osReason(error)}`);
  }
}

/** B is checked out elsewhere, or the registration is not the workflow's own: removing it would orphan something. */
function refuseElsewhere(
  run: Looked,
  registrations: readonly Registration[],
  own: Registration | undefined,
): void {
  const { branch, path, root } = run;
  const other = registrations.find(
    (one) => one.branch === branch && one !== own && !isOneDirectory(one.path, root),
  );
  if (other !== undefined) throw unfit(`${branch} is checked out at ${other.path}`, [other.path]);
  if (own === undefined) return;
  if (own.locked !== undefined && own.locked !== ownLockReason(run)) {
    const why = own.locked === "" ? "" : `: ${own.locked}`;
    throw unfit(`${path} is locked (git worktree lock)${why}`);
  }
  if (own.branch !== branch) {
    const on = own.branch === undefined ? "no branch" : own.branch;
    throw unfit(
      `${path} is registered on ${on} at ${own.head ?? "no commit"}, not on ${branch}: its commits would be lost`,
    );
  }
}

function refuseMissing(
  run: Looked,
  tip: string | undefined,
  registration: Registration | undefined,
  gone: "refused" | "accepted",
): void {
  const { path, branch } = run;
  if (gone === "accepted") return;
  if (tip === undefined) {
    throw new Gate(GATE, {
      reason: `both ${path} and the branch ${branch} are gone`,
      advice: "Nothing was touched. When their work is where it belongs, accept that with --accept-missing.",
    });
  }
  const still = registration === undefined ? "" : "; git still has it registered";
  throw new Gate("worktree_copy_fallback_failed", {
    reason: `${path} is gone, so its uncommitted work cannot be looked at${still}`,
    advice: `${KEPT} Move it back to its path, or accept the loss with --accept-missing. ${RERUN}`,
    paths: [path],
  });
}

/** The root is the top of its tree, and the worktree's `.git` leads to the same repository. */
async function checkRepository({ host, tree, path, directories }: Looked): Promise<string> {
  const found = await repositoryOf(host, tree);
  if ("missing" in found) throw unfit(`git finds no repository in ${path}: ${found.missing}`);
  if (!isOneDirectory(found.top, path)) throw unfit(`git takes ${found.top} for the top of ${path}`);
  if (!isOneDirectory(found.directories.common, directories.common)) {
    throw unfit(`${path} belongs to another repository, ${found.directories.common}`);
  }
  return found.directories.own;
}
