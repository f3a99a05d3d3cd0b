import { ancestorsOf, type BytePath, placeOf } from "./byte-path.ts";
import { ABSENT, type EntryState, entryAt, kindAt } from "./entry.ts";

/**
 * What stands at a path of a tree. Below anything that is no directory, a link included, nothing of the tree can stand:
 * never look through a link to what is elsewhere.
 */
export function entryBelow(top: string, path: BytePath): EntryState {
  return obstacleAbove(top, path) === undefined ? entryAt(placeOf(top, path)) : ABSENT;
}

/** The first directory of a path that is something else there; undefined when all are directories or missing. */
export function obstacleAbove(top: string, path: BytePath): BytePath | undefined {
  for (const directory of ancestorsOf(path)) {
    const kind = kindAt(placeOf(top, directory));
    if (kind === "absent") return undefined;
    if (kind !== "directory") return directory;
  }
  return undefined;
}
