import { accessSync, constants, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, osReason } from "../kernel/call/errors.ts";
import { resolveReal, samePath } from "../kernel/files/contain.ts";
import { type Anchor, type AnchorSource, anchorIn, readAnchorInPlace } from "./anchor.ts";
import { fatal } from "./fatal.ts";
import { writeAnchor } from "./write-anchor.ts";

/** Make a task's folder with its parents. */
export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw fatal(`cannot create ${folder}: ${osReason(error)}`, error);
  }
  // A link put in the way after the check would have led the new directories elsewhere.
  if (!samePath(resolveReal(folder), folder)) {
    throw fatal(`cannot create ${folder}: a component was replaced by a symlink meanwhile`);
  }
}

/** What a real run would refuse, without making anything. */
function checkCreatable(folder: string): void {
  for (let path = folder; ; path = dirname(path)) {
    const stat = statOrUndefined(path);
    if (stat === undefined) continue;
    if (!stat.isDirectory()) {
      throw fatal(`cannot create ${folder}: ${path === folder ? "file exists" : "not a directory"}`);
    }
    checkWritable(path, path === folder ? `cannot write ${anchorIn(folder)}` : `cannot create ${folder}`);
    return;
  }
}

function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Below a file: the file itself is met further up.
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw fatal(`cannot look at ${path}: ${osReason(error)}`, error);
  }
}

function checkWritable(directory: string, otherwise: string): void {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw fatal(`${otherwise}: ${osReason(error)}`, error);
  }
}

/**
 * Write the anchor of an existing directory, or find the one another process wrote in the meantime. A dry run only
 * checks that it could.
 */
export function establishAnchor(
  directory: string,
  source: AnchorSource,
  dryRun: boolean,
  now: number,
): { written: true } | { written: false; anchor: Anchor } {
  if (dryRun) {
    checkCreatable(directory);
    return { written: true };
  }
  while (!writeAnchor(directory, source, now)) {
    const anchor = readAnchorInPlace(anchorIn(directory));
    // Written and deleted again between two looks: ours is due after all.
    if (anchor !== undefined) return { written: false, anchor };
  }
  return { written: true };
}
