import { lstatSync, type Stats, statSync } from "node:fs";
import { errorCode } from "../call/errors.ts";
import { FileError } from "./file-io.ts";

/** What stands at a path, a symlink itself; undefined when there is nothing, or nobody may look. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * What stands at a path, a symlink itself; undefined when there is nothing. Throws `FileError`, which says what could not
 * be done, when the system refuses to look.
 */
export function statIfThere(path: string, failed = "cannot look at"): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new FileError(failed, path, error);
  }
}

/** Whether a directory itself, and no link to one, stands at a path. */
export function isRealDirectory(path: string): boolean {
  return lookAt(path)?.isDirectory() ?? false;
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
