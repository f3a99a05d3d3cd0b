import type { Host } from "../../../kernel/call/host.ts";
import { randomHex } from "../../../kernel/text/random.ts";
import { entryBelow } from "../tree/below.ts";
import { ancestorsOf, type BytePath, placeOf } from "../tree/byte-path.ts";
import { ABSENT, type EntryState, hashOf, isSameEntry, kindAt, linkTarget } from "../tree/entry.ts";
import { flaggedPaths, isSameVersion, type Version, versionsIn } from "../tree/listings.ts";
import { statusOf } from "../tree/status.ts";
import type { WorkTree } from "../tree/work-tree.ts";
import { rewrittenTarget } from "./link-target.ts";
import { isApplied, type Plan, type PlanEntry } from "./plan.ts";
import type { SetItem, UncommittedSet } from "./uncommitted-set.ts";
import { modeFor } from "./write-entry.ts";

export interface PlanQuestion {
  main: WorkTree;
  worktree: WorkTree;
  set: UncommittedSet;
  /** The commits of the two trees. */
  head: string;
  tip: string;
  /** What an earlier run applied and nobody has committed yet. */
  applied: Plan | undefined;
}

/**
 * What has to be done in the main tree to carry the set there, and the paths where that would undo what is newer
 * (docs/spec/flow-worktree.md 6.1). Nothing is written.
 */
export async function makePlan(
  host: Host,
  { main, worktree, set, head, tip, applied }: PlanQuestion,
): Promise<{ plan: Plan; diverged: BytePath[] }> {
  const paths = new Set(set.items.keys());
  const heads = await versionsIn(host, main, head, paths);
  const tips = await versionsIn(host, main, tip, paths);
  const changed = new Set(
    (await statusOf(host, main)).flatMap(({ path, from }) => [path, ...(from ? [from] : [])]),
  );
  const { skipped } = await flaggedPaths(host, main);
  const ours = new Map(applied?.entries.map((entry) => [entry.path, entry]));

  const entries: PlanEntry[] = [];
  const diverged: BytePath[] = [];
  for (const item of set.items.values()) {
    const { path } = item;
    const version = heads.get(path);
    const entry = planEntry(item, main.top, worktree.top, version);
    entries.push(entry);
    if (skipped.has(path)) diverged.push(path);
    if (entry.action === "none" || skipped.has(path)) continue;
    const isClean = version !== undefined && !changed.has(path);
    const mine = ours.get(path);
    const isUntouched = isClean
      ? isSameVersion(version, tips.get(path))
      : (entry.before.kind === "absent" || entry.before.kind === "directory") && !tips.has(path);
    // What an earlier run of ours put there came from this worktree, too.
    const isOurs =
      mine !== undefined && isApplied(main.top, mine) && isSameVersion(mine.head ?? undefined, version);
    if (!isUntouched && !isOurs) diverged.push(path);
  }
  for (const entry of ours.values()) {
    if (!paths.has(entry.path) && isApplied(main.top, entry)) entries.push(carried(entry));
  }
  return {
    plan: { token: randomHex(4), entries: inOrder(entries), directories: missing(main.top, entries) },
    diverged,
  };
}

function planEntry(item: SetItem, root: string, worktree: string, head: Version | undefined): PlanEntry {
  const { path, from } = item;
  const there = entryBelow(root, path);
  // Of a file that is to go, a directory in its place is none.
  const before = item.action === "remove" && there.kind === "directory" ? ABSENT : there;
  const after = item.action === "remove" ? ABSENT : wanted(item, before, root, worktree);
  const action = isSameEntry(before, after) ? "none" : item.action;
  return { path, action, ...(from === undefined ? {} : { from }), before, after, head: head ?? null };
}

function wanted({ path, source }: SetItem, before: EntryState, root: string, worktree: string): EntryState {
  if (source.kind === "link") {
    return {
      kind: "link",
      hash: hashOf(rewrittenTarget(linkTarget(placeOf(worktree, path)), worktree, root)),
    };
  }
  const existing = before.kind === "file" ? before.mode : undefined;
  return { ...source, mode: modeFor(source.mode ?? 0o644, existing) };
}

function carried({ saved: _, ...entry }: PlanEntry): PlanEntry {
  return { ...entry, action: "none" };
}

/** Removals first, the deepest of them before what is above; then copies. */
function inOrder(entries: readonly PlanEntry[]): PlanEntry[] {
  const of = (action: PlanEntry["action"]) => entries.filter((entry) => entry.action === action);
  const byPath = (a: PlanEntry, b: PlanEntry) => (a.path < b.path ? -1 : 1);
  return [
    ...of("remove").sort((a, b) => byPath(b, a)),
    ...of("copy").sort(byPath),
    ...of("none").sort(byPath),
  ];
}

function missing(root: string, entries: readonly PlanEntry[]): BytePath[] {
  const found = new Set<BytePath>();
  for (const { path, action } of entries) {
    if (action !== "copy") continue;
    for (const directory of ancestorsOf(path)) {
      if (kindAt(placeOf(root, directory)) !== "directory") found.add(directory);
    }
  }
  return [...found].sort();
}
