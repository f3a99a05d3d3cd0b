import { ancestorsOf, type BytePath, placeOf, shownPath } from "../tree/byte-path.ts";
import { kindAt } from "../tree/entry.ts";
import { entriesBelow } from "../tree/walk.ts";
import { SetRefused, type UncommittedSet } from "./uncommitted-set.ts";

/**
 * Refuse a set whose paths have no place in the main tree (docs/spec/flow-worktree.md 6.1): below something that is no
 * directory, onto a directory that the set does not empty, or two on one name. Throws `SetRefused`.
 */
export function checkDestinations(root: string, { items }: UncommittedSet, ignoresCase: boolean): void {
  const removed = new Set(
    [...items.values()].filter(({ action }) => action === "remove").map(({ path }) => path),
  );
  const names = new Map<string, BytePath>();
  for (const { path, action } of items.values()) {
    if (action === "remove") continue;
    refuseObstacle(root, path, removed);
    refuseDirectory(root, path, removed);
    const name = ignoresCase ? folded(path) : path;
    const other = names.get(name);
    if (other !== undefined) {
      throw new SetRefused(`'${shownPath(other)}' and '${shownPath(path)}' are one file in the main tree`, [
        other,
        path,
      ]);
    }
    names.set(name, path);
  }
}

/** A path as a file system compares it that ignores case. */
export function folded(path: BytePath): string {
  return shownPath(path).normalize("NFC").toLowerCase();
}

function refuseObstacle(root: string, path: BytePath, removed: ReadonlySet<BytePath>): void {
  for (const directory of ancestorsOf(path)) {
    const kind = kindAt(placeOf(root, directory));
    if (kind === "absent" || (kind !== "directory" && removed.has(directory))) return;
    if (kind === "directory") continue;
    const what = kind === "link" ? "is a link" : "is no directory";
    throw new SetRefused(
      `'${shownPath(path)}' has no place: '${shownPath(directory)}' ${what} in the main tree`,
      [path],
    );
  }
}

function refuseDirectory(root: string, path: BytePath, removed: ReadonlySet<BytePath>): void {
  const kind = kindAt(placeOf(root, path));
  if (kind === "other") throw new SetRefused(`'${shownPath(path)}' is no file in the main tree`, [path]);
  if (kind !== "directory") return;
  for (const entry of entriesBelow(root, path)) {
    if (entry.kind === "directory" || removed.has(entry.path)) continue;
    throw new SetRefused(
      `'${shownPath(path)}' is a directory in the main tree, and holds '${shownPath(entry.path)}'`,
      [path],
    );
  }
}
