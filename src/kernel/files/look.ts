import { lstatSync, type Stats, statSync } from "node:fs";

/** What stands at a path, a symlink itself; undefined when there is nothing, or nobody may look. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether a path leads to a directory, links followed; false also when nobody may look. */
export function isDirectory(path: string): boolean {
  return lookThrough(path)?.isDirectory() ?? false;
}

/** Whether a path leads to a regular file, links followed; false also when nobody may look. */
export function isRegularFile(path: string): boolean {
  return lookThrough(path)?.isFile() ?? false;
}

function lookThrough(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
