import { readFileSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { statIfThere } from "../../../kernel/files/look.ts";
import { removeEmptyParents } from "../apply/apply-plan.ts";
import { changesIn } from "../guard/main-tree.ts";
import { mergeResult } from "../guard/merge-result.ts";
import type { Looked } from "../run/run.ts";
import { entryBelow } from "../tree/below.ts";
import { type BytePath, bytesOf, pathInput, placeOf, shownPath } from "../tree/byte-path.ts";
import { pathsHolding } from "../tree/holds.ts";
import {
  flaggedPaths,
  GITLINK,
  hasSparseCheckout,
  type IndexEntry,
  indexEntries,
  isSameVersion,
  type Version,
  versionsIn,
} from "../tree/listings.ts";
import { type LockFile, lockFiles, standingLock, write } from "../tree/lock-files.ts";
import { BRANCHES, commitOf, headRef, tipOf } from "../tree/refs.ts";

/** What putting back came to. */
export interface PutBack {
  /** Changed paths that are left, because nothing proves that they are the merge's own doing. */
  left: string[];
  /** A lock file of git that stands in the way. */
  lock: LockFile | undefined;
}

/**
 * Take back a merge that git left half done: it changed files and HEAD did not move. Only on proof that every changed path
 * is exactly what it was or what the merge makes of it; with one that is not, nothing is touched. `started`: this run
 * began the merge, and may end it (docs/spec/flow-worktree.md 5.5).
 */
export async function putBack(
  run: Looked,
  { headBefore, tip, started }: { headBefore: string; tip: string; started: boolean },
): Promise<PutBack> {
  const { host, main, directories } = run;
  const done: PutBack = { left: [], lock: undefined };
  if ((await commitOf(host, main, "HEAD")) !== headBefore) return done;
  const isMerging = mergesTip(directories.own, tip);
  if (isMerging && !started) return done;
  const paths = await changedPaths(run);
  if (paths.length === 0 && !isMerging) return done;
  const left = paths.map(shownPath);
  const ref = await headRef(host, main);
  const lock = standingLock(host, lockFiles(directories, ref === undefined ? [] : [ref]));
  if (lock !== undefined) return { left, lock };
  const versions = await versionsOf(run, headBefore, tip, paths);
  const unproven = await unprovenPaths(run, paths, versions);
  if (unproven.length > 0) return { left: unproven.map(shownPath), lock: undefined };
  if (isMerging) await endMerge(run);
  await restore(run, paths, versions.before);
  return { left: (await changedPaths(run)).map(shownPath), lock: undefined };
}

function mergesTip(gitDirectory: string, tip: string): boolean {
  const file = join(gitDirectory, "MERGE_HEAD");
  return statIfThere(file) !== undefined && readFileSync(file, "utf8").split("\n").includes(tip);
}

async function changedPaths(run: Looked): Promise<BytePath[]> {
  const { counted } = await changesIn(run);
  return [...new Set(counted.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])))];
}

interface Versions {
  before: Map<BytePath, Version>;
  result: Map<BytePath, Version>;
}

async function versionsOf(
  { host, main, branch }: Looked,
  headBefore: string,
  tip: string,
  paths: readonly BytePath[],
): Promise<Versions> {
  // Under the names that git merge had: they stand in the markers of a conflict.
  const named = (await tipOf(host, main, branch)) === tip ? `${BRANCHES}${branch}` : tip;
  const { tree } = await mergeResult(host, main, "HEAD", named, "repository");
  const asked = new Set(paths);
  return {
    before: await versionsIn(host, main, headBefore, asked),
    result: await versionsIn(host, main, tree, asked),
  };
}

/** Paths whose file or index entry is neither what it was nor what the merge makes of it. */
async function unprovenPaths(
  { host, main }: Looked,
  paths: readonly BytePath[],
  versions: Versions,
): Promise<BytePath[]> {
  const holding = [versions.before, versions.result].map((side) => pathsHolding(host, main, side));
  const [before, result] = (await Promise.all(holding)) as [Set<BytePath>, Set<BytePath>];
  const staged = new Map<BytePath, IndexEntry[]>();
  for (const entry of await indexEntries(host, main)) {
    staged.set(entry.path, [...(staged.get(entry.path) ?? []), entry]);
  }
  const { skipped } = await flaggedPaths(host, main);
  const isSparse = await hasSparseCheckout(host, main);
  return paths.filter((path) => {
    const sides = [versions.before.get(path), versions.result.get(path)];
    const [entry, more] = staged.get(path) ?? [];
    const isIndexed =
      more === undefined && (entry?.stage ?? 0) === 0 && sides.some((side) => isSameVersion(side, entry));
    if (!isIndexed) return true;
    if (before.has(path) || result.has(path)) return false;
    const { kind } = entryBelow(main.top, path);
    // A merge takes what the sparse patterns leave out from the disk, also where the index does not say so yet.
    if (kind === "absent" && (skipped.has(path) || isSparse)) return false;
    // What a side does not have must not be there; a submodule's directory is not the merge's to fill.
    return !sides.some((side) =>
      side?.mode === GITLINK
        ? kind === "directory" || kind === "absent"
        : side === undefined && kind !== "file" && kind !== "link",
    );
  });
}

/** `--abort` writes the ref again, so where that is refused the merge is only forgotten. */
async function endMerge({ host, main, directories }: Looked): Promise<void> {
  const locks = lockFiles(directories, []);
  const aborted = await write(host, main, ["merge", "--abort"], { locks, programs: "repository" });
  if (aborted.result?.exitCode === 0) return;
  await write(host, main, ["merge", "--quit"], { locks, programs: "repository" });
}

/** Path by path: what did not exist is removed first, the others get their version again. Never a hard reset. */
async function restore(
  { host, main, directories }: Looked,
  paths: readonly BytePath[],
  before: ReadonlyMap<BytePath, Version>,
) {
  const { skipped } = await flaggedPaths(host, main);
  const fresh = paths.filter((path) => !before.has(path));
  const old = paths.filter((path) => before.has(path));
  for (const path of fresh) removeFile(main.top, path);
  const locks = lockFiles(directories, []);
  const zero = "0".repeat([...before.values()][0]?.oid.length ?? 40);
  const input = [
    ...fresh.map((path) => `0 ${zero}\t${path}\0`),
    ...old.map((path) => `${before.get(path)!.mode} ${before.get(path)!.oid}\t${path}\0`),
  ];
  await write(host, main, ["update-index", "-z", "--index-info"], { locks, input: bytesOf(input.join("")) });
  const hidden = old.filter((path) => skipped.has(path));
  if (hidden.length > 0) {
    await write(host, main, ["update-index", "-z", "--skip-worktree", "--stdin"], {
      locks,
      input: pathInput(hidden),
    });
  }
  const held = await pathsHolding(host, main, before);
  const wanting = old.filter(
    (path) => !held.has(path) && !skipped.has(path) && before.get(path)!.mode !== GITLINK,
  );
  if (wanting.length > 0) {
    await write(host, main, ["checkout-index", "--force", "-u", "-z", "--stdin"], {
      locks,
      input: pathInput(wanting),
      programs: "repository",
      config: { "core.hooksPath": "/dev/null" },
    });
  }
  await write(host, main, ["update-index", "-q", "--refresh"], { locks });
}

function removeFile(top: string, path: BytePath): void {
  const { kind } = entryBelow(top, path);
  try {
    if (kind === "directory") rmdirSync(placeOf(top, path));
    else if (kind !== "absent") unlinkSync(placeOf(top, path));
  } catch {
    // What is left is listed.
    return;
  }
  if (kind !== "absent") removeEmptyParents(top, path);
}
