import { createHash } from "node:crypto";
import { closeSync } from "node:fs";
import type { Host } from "../../../kernel/call/host.ts";
import { folded } from "../apply/destinations.ts";
import { Gate, KEPT, RERUN } from "../run/gate.ts";
import type { Looked } from "../run/run.ts";
import { ancestorsOf, type BytePath, placeOf, shownPath } from "../tree/byte-path.ts";
import { eachPiece, kindAt, linkTarget, openForReading, statAt } from "../tree/entry.ts";
import { changesBetween, GITLINK, indexEntries, type Version } from "../tree/listings.ts";
import { entriesBelow } from "../tree/walk.ts";
import type { WorkTree } from "../tree/work-tree.ts";
import { mergeResult } from "./merge-result.ts";
import { ignoresCase } from "./read-set.ts";

/**
 * Before a merge: a path that is new must not hit anything untracked in the main tree, because git overwrites and deletes
 * what is ignored without a word (docs/spec/flow-worktree.md 5.1, step 8).
 */
export async function refuseOverwrites(run: Looked, head: string, tip: string): Promise<void> {
  const { host, main, report } = run;
  const { tree } = await mergeResult(host, main, head, tip, "none");
  const coming = new Map<BytePath, Version>();
  // What the merge makes of a rename can be in neither commit.
  for (const target of new Set([tip, tree])) {
    for (const [path, { before, after }] of await changesBetween(host, main, head, target)) {
      if (before === undefined && after !== undefined) coming.set(path, after);
    }
  }
  const hit = await untrackedHit(host, main, coming, await ignoresCase(run));
  if (hit.length === 0) return;
  report.would_overwrite = hit.map(shownPath);
  throw new Gate("worktree_dirty_main_tree", {
    reason: `the merge would overwrite what git does not track in the main tree: ${report.would_overwrite.join(", ")}`,
    advice: `${KEPT} Move those files away, or take them out of the branch. ${RERUN}`,
    paths: report.would_overwrite,
    wouldOverwrite: report.would_overwrite,
  });
}

async function untrackedHit(
  host: Host,
  main: WorkTree,
  coming: ReadonlyMap<BytePath, Version>,
  caseless: boolean,
): Promise<BytePath[]> {
  if (coming.size === 0) return [];
  const name = (path: BytePath) => (caseless ? folded(path) : path);
  const tracked = new Set<string>();
  for (const { path } of await indexEntries(host, main)) {
    tracked.add(name(path));
    for (const directory of ancestorsOf(path)) tracked.add(name(directory));
  }
  const isTracked = (path: BytePath) => tracked.has(name(path));
  const hit = new Set<BytePath>();
  for (const [path, version] of coming) {
    for (const directory of ancestorsOf(path)) {
      const kind = kindAt(placeOf(main.top, directory));
      if (kind === "absent") break;
      if (kind !== "directory") {
        if (!isTracked(directory)) hit.add(directory);
        break;
      }
    }
    const kind = kindBelow(main.top, path);
    if (kind === "absent" || isTracked(path)) {
      if (kind === "directory" && version.mode !== GITLINK) addUntracked(path);
      continue;
    }
    if (kind !== "directory") {
      if (!holdsBlob(main.top, path, version)) hit.add(path);
    } else if (version.mode === GITLINK) {
      // A submodule's place: an empty directory is nothing.
      if ([...entriesBelow(main.top, path)].some((entry) => entry.kind !== "directory")) hit.add(path);
    } else addUntracked(path);
  }
  return [...hit].sort();

  function addUntracked(directory: BytePath) {
    for (const entry of entriesBelow(main.top, directory)) {
      if (entry.kind !== "directory" && !isTracked(entry.path)) hit.add(entry.path);
    }
  }
}

function kindBelow(top: string, path: BytePath) {
  for (const directory of ancestorsOf(path)) {
    if (kindAt(placeOf(top, directory)) !== "directory") return "absent";
  }
  return kindAt(placeOf(top, path));
}

const MODES: Readonly<Record<string, "file" | "link">> = {
  "100644": "file",
  "100755": "file",
  "120000": "link",
};

/** Whether a file or link has exactly the bytes of a blob. */
function holdsBlob(top: string, path: BytePath, { mode, oid }: Version): boolean {
  const place = placeOf(top, path);
  const kind = kindAt(place);
  if (kind !== MODES[mode]) return false;
  const hash = createHash(oid.length === 64 ? "sha256" : "sha1");
  if (kind === "link") {
    const target = linkTarget(place);
    hash.update(`blob ${target.length}\0`).update(target);
    return hash.digest("hex") === oid;
  }
  hash.update(`blob ${statAt(place)?.size ?? 0}\0`);
  const descriptor = openForReading(place);
  try {
    eachPiece(descriptor, (piece) => void hash.update(piece));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest("hex") === oid;
}
