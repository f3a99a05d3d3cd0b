/** What has to hold after a finalize: all or nothing, and nothing lost. */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { lostSince, type Snapshot } from "./contents.ts";
import type { History } from "./history.ts";
import { gitAt, gitTries } from "./template.ts";

/** The main tree as it is: where HEAD is, and what git says of it. */
export interface MainTree {
  head: string;
  ref: string;
  status: string;
}

export function mainTreeOf({ root, home }: History): MainTree {
  const symbolic = gitTries(root, home, "symbolic-ref", "-q", "HEAD");
  const ref = symbolic ? gitAt(root, home, "symbolic-ref", "HEAD").toString() : "detached";
  return { head: gitAt(root, home, "rev-parse", "HEAD").toString(), ref, status: statusOf(root, home) };
}

function statusOf(top: string, home: string): string {
  const out = gitAt(top, home, "status", "--porcelain=1", "-z", "--untracked-files=all", "--no-renames");
  return out
    .toString("latin1")
    .split("\0")
    .filter((entry) => !/^.. (?:\.claude\/worktrees|\.craftflow)\//.test(entry) && entry !== "")
    .join("\0");
}

/** What the worktree has that is not committed, by path: a file's bytes and mode, a link's target, or that it is gone. */
export type Loose = Map<string, string>;

export function looseOf({ tree, home, root }: History): Loose {
  const loose: Loose = new Map();
  if (!gitTries(tree, home, "rev-parse", "--git-dir")) return loose;
  const words = ["status", "--porcelain=1", "-z", "--untracked-files=all", "--no-renames"];
  for (const entry of gitAt(tree, home, ...words)
    .toString("latin1")
    .split("\0")) {
    if (entry !== "") loose.set(entry.slice(3), described(tree, entry.slice(3), root, tree));
  }
  return loose;
}

function described(top: string, path: string, root: string, tree: string): string {
  const place = Buffer.from(`${top}/`, "latin1");
  const whole = Buffer.concat([place, Buffer.from(path, "latin1")]);
  const stat = lookAt(whole);
  if (stat === undefined || stat.isDirectory()) return "absent";
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(whole);
    return `link ${target.startsWith(`${tree}/`) ? root + target.slice(tree.length) : target}`;
  }
  return `file ${(stat.mode & 0o100) !== 0} ${readFileSync(whole, "latin1")}`;
}

function lookAt(place: Buffer) {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined; // Below a file there is nothing.
  }
}

export interface End {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Before {
  contents: Snapshot;
  main: MainTree;
  loose: Loose;
  tip: string;
}

const MAY_CHANGE_MAIN = new Set([
  "worktree_merge_conflict",
  "worktree_copy_fallback_failed",
  "worktree_cleanup_failed",
]);

/** What is wrong with the end of a finalize; empty when nothing is. */
export function faultsOf(history: History, before: Before, end: End): string[] {
  const faults = lostSince(before.contents, history).map((lost) => `lost: ${lost}`);
  let report: { outcome?: string; gate?: string | null; message?: string };
  try {
    report = JSON.parse(end.stdout);
  } catch {
    return [...faults, `no report: exit ${end.code}, ${end.stderr.slice(0, 500)}`];
  }
  const outcome = String(report.outcome);
  if (end.code === 0) faults.push(...mergedFaults(history, before, outcome));
  else if (end.code === 3) faults.push(...gatedFaults(history, before, outcome, String(report.message)));
  else faults.push(`exit ${end.code}: ${end.stderr.slice(0, 500)}`);
  const worktrees = join(history.root, ".claude/worktrees");
  const left = existsSync(worktrees) ? readdirSync(worktrees).filter((name) => name === ".merge.lock") : [];
  if (left.length > 0) faults.push(`left: ${left.join(", ")}`);
  return faults;
}

function mergedFaults(history: History, before: Before, outcome: string): string[] {
  const { root, home, tree, branch } = history;
  // A call that was killed late has done all there was to do.
  if (!["merged_and_removed", "already_finalized"].includes(outcome))
    return [`outcome ${outcome} with exit 0`];
  const faults: string[] = [];
  if (existsSync(tree)) faults.push("the worktree is still there");
  const detached = before.main.ref === "detached";
  if (gitTries(root, home, "rev-parse", "--verify", "-q", `refs/heads/${branch}`) !== detached) {
    faults.push("the branch");
  }
  if (!gitTries(root, home, "merge-base", "--is-ancestor", before.tip, "HEAD")) faults.push("not merged");
  for (const [path, want] of before.loose) {
    const have = described(root, path, root, tree);
    if (have !== want && !/^(?:\.craftflow|\.claude\/worktrees)\//.test(path)) {
      faults.push(`${JSON.stringify(path)}: ${have.slice(0, 60)} instead of ${want.slice(0, 60)}`);
    }
  }
  const dirty = statusOf(root, home)
    .split("\0")
    .filter(
      (entry) => entry !== "" && !before.loose.has(entry.slice(3)) && !isExpected(root, entry.slice(3)),
    );
  if (dirty.length > 0) faults.push(`the main tree is dirty: ${dirty.join(", ")}`);
  return faults;
}

/** git merges a submodule's pointer only, and a hook of a history adds a file while the merge runs. */
function isExpected(root: string, path: string): boolean {
  return path === "late.txt" || (path === "lib" && existsSync(join(root, ".gitmodules")));
}

function gatedFaults(history: History, before: Before, outcome: string, message: string): string[] {
  const faults: string[] = [];
  if (!outcome.startsWith("worktree_")) faults.push(`outcome ${outcome} with exit 3`);
  const path = join(history.root, ".craftflow/state/workflows", `${history.wf}.json`);
  const artifact = JSON.parse(readFileSync(path, "utf8"));
  if (artifact.pending_gate !== outcome) faults.push(`pending_gate ${artifact.pending_gate}, not ${outcome}`);
  if (artifact.worktree_mode !== "auto_created") faults.push(`mode ${artifact.worktree_mode} behind a gate`);
  const now = mainTreeOf(history);
  // What a killed git left half written proves nothing, so it stays, and is named first.
  const isLeft =
    history.log.some((line) => line.startsWith("killed")) &&
    message.startsWith("Left changed in the main tree: ");
  if (!MAY_CHANGE_MAIN.has(outcome) && !isLeft) {
    if (now.head !== before.main.head) faults.push("HEAD has moved");
    if (now.status !== before.main.status) {
      faults.push(`the main tree has changed: ${JSON.stringify([before.main.status, now.status])}`);
    }
  }
  if (now.ref !== before.main.ref) faults.push("the main tree is on another branch");
  return faults;
}
