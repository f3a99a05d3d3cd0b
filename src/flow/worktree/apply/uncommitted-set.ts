import type { Host } from "../../../kernel/call/host.ts";
import { asBytePath, type BytePath, isBelow, placeOf, shownPath } from "../tree/byte-path.ts";
import { type EntryState, entryAt, isSameEntry, kindAt } from "../tree/entry.ts";
import { pathsHolding } from "../tree/holds.ts";
import { flaggedPaths, indexEntries, type Version } from "../tree/listings.ts";
import {
  isDeletion,
  isMove,
  isRefused,
  isRename,
  PorcelainError,
  type StatusRecord,
} from "../tree/porcelain.ts";
import { statusOf } from "../tree/status.ts";
import type { WorkTree } from "../tree/work-tree.ts";

/** What is to become of one path of the main tree. */
export interface SetItem {
  path: BytePath;
  action: "copy" | "remove";
  /** What the worktree has there. */
  source: EntryState;
  /** The old path of a rename or copy. */
  from?: BytePath;
}

/** A worktree's uncommitted work (docs/spec/flow-worktree.md 6.1). */
export interface UncommittedSet {
  items: Map<BytePath, SetItem>;
  /** Paths of the tool's own directories, which are kept and never applied (6.2). */
  own: BytePath[];
}

/** The set holds something that must not be guessed at; nothing was written. */
export class SetRefused extends Error {
  readonly paths: readonly BytePath[];

  constructor(message: string, paths: readonly BytePath[] = []) {
    super(message);
    this.paths = paths;
  }
}

/** Directories whose content belongs to the tool, in every tree. */
export const OWN_DIRECTORIES = [".craftflow", ".claude/worktrees"] as const;

/** Whether a path belongs to the tool. */
export function isOwn(path: string): boolean {
  return OWN_DIRECTORIES.some((directory) => path === directory || isBelow(path, directory));
}

/** Read the set. Throws `SetRefused` for what section 6 refuses of it, `JigError` when git cannot tell. */
export async function uncommittedSet(host: Host, tree: WorkTree): Promise<UncommittedSet> {
  const records = [...(await recordsOf(host, tree)), ...(await hiddenRecords(host, tree))];
  const unmerged = records.find(isRefused);
  if (unmerged !== undefined) {
    throw new SetRefused(
      `unsupported/conflict porcelain status '${unmerged.code}' for '${shownPath(unmerged.path)}'; refusing to guess`,
      [unmerged.path],
    );
  }
  const set: UncommittedSet = { items: new Map(), own: [] };
  for (const record of records) {
    if (isRename(record)) take(set, tree, { path: record.from!, action: "remove" });
  }
  for (const record of records) {
    if (isDeletion(record)) take(set, tree, { path: record.path, action: "remove" });
  }
  for (const record of records) {
    if (isDeletion(record)) continue;
    if (isMove(record) && kindAt(placeOf(tree.top, record.path)) === "absent") {
      throw new SetRefused(
        `rename or copy '${record.code}' has no source file at '${shownPath(record.path)}'; refusing to guess`,
        [record.path],
      );
    }
    const from = record.from === undefined ? {} : { from: record.from };
    take(set, tree, { path: record.path, action: "copy", ...from });
  }
  return set;
}

async function recordsOf(host: Host, tree: WorkTree): Promise<StatusRecord[]> {
  try {
    const records = await statusOf(host, tree);
    const strange = records.find(({ code }) => !/^[ MTADRCU?!]{2}$/.test(code));
    if (strange === undefined) return records;
    throw new SetRefused(`git gives '${shownPath(strange.path)}' the unknown status '${strange.code}'`, [
      strange.path,
    ]);
  } catch (error) {
    if (error instanceof PorcelainError) throw new SetRefused(error.message);
    throw error;
  }
}

/**
 * Changes that git is told not to look for: files marked skip-worktree that are there all the same, and files marked
 * assume-unchanged, where they are not what the index has. A skip-worktree path that is absent is a sparse checkout's.
 */
async function hiddenRecords(host: Host, tree: WorkTree): Promise<StatusRecord[]> {
  const { skipped, assumed } = await flaggedPaths(host, tree);
  const isThere = (path: BytePath) => kindAt(placeOf(tree.top, path)) !== "absent";
  const looked = new Set([...assumed, ...[...skipped].filter(isThere)]);
  for (const path of skipped) if (!isThere(path)) looked.delete(path);
  if (looked.size === 0) return [];
  const versions = new Map<BytePath, Version>();
  for (const { path, mode, oid } of await indexEntries(host, tree)) {
    if (looked.has(path)) versions.set(path, { mode, oid });
  }
  const held = await pathsHolding(host, tree, versions);
  return [...looked]
    .filter((path) => !held.has(path))
    .map((path) => ({ code: isThere(path) ? " M" : " D", path }));
}

function take(set: UncommittedSet, tree: WorkTree, asked: Omit<SetItem, "source">): void {
  const { path, action } = asked;
  if (isOwn(path)) {
    set.own.push(path);
    return;
  }
  const components = path.split("/");
  if (components.some((one) => one.toLowerCase() === ".git")) {
    throw new SetRefused(`'${shownPath(path)}' has a component .git`, [path]);
  }
  // A directory that git names as one entry, with a slash behind it, is a repository of its own.
  const bare = path.endsWith("/") ? asBytePath(path.slice(0, -1)) : path;
  const source: EntryState = action === "remove" ? { kind: "absent" } : entryAt(placeOf(tree.top, bare));
  if (action === "copy" && source.kind !== "file" && source.kind !== "link") {
    const what = {
      directory: "is a directory: a repository of its own, or a submodule that was changed",
      absent: "has vanished while it was read",
      other: "is neither a file nor a link",
    }[source.kind];
    throw new SetRefused(`'${shownPath(bare)}' ${what}`, [bare]);
  }
  set.items.set(path, { ...asked, source });
}

/** Whether two readings of a worktree say the same, by content. */
export function isSameSet(a: UncommittedSet, b: UncommittedSet): boolean {
  if (a.items.size !== b.items.size) return false;
  return [...a.items.values()].every(({ path, action, source }) => {
    const other = b.items.get(path);
    return other?.action === action && isSameEntry(source, other.source);
  });
}
