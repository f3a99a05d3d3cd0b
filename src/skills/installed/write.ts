import { mkdirSync, readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, JigError } from "../../kernel/call/errors.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { FileError, syncDirectory } from "../../kernel/files/file-io.ts";
import { statIfThere } from "../../kernel/files/look.ts";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import type { Manifest } from "../schema.ts";
import { ENTRY_FILE, type SkillFile } from "../source/shipment.ts";
import { MANIFEST_FILE, manifestText } from "./manifest.ts";
import { type Inspection, isTemporary, TEMPORARY_PREFIX } from "./state.ts";

/*
 * An agent may scan the directory, and a kill may come, between any two steps (docs/spec/skills.md 6.4):
 *   new skill:    manifest, references, SKILL.md    listed only when everything is there
 *   replacement:  references, SKILL.md, obsolete files deleted, manifest
 * At every point the directory reads absent or stale, and the same command finishes the job.
 */

/** Write a skill where none is. `foreign` files already there were backed up; what has our names is replaced. */
export function writeNew(directory: string, files: readonly SkillFile[], manifest: Manifest): void {
  make(directory);
  clearTemporaries(directory);
  put(directory, MANIFEST_FILE, manifestText(manifest));
  writeFiles(directory, files);
}

/** The files alone, `SKILL.md` last. */
export function writeFiles(directory: string, files: readonly SkillFile[]): void {
  make(directory);
  for (const file of entryLast(files)) put(directory, file.path, file.text);
}

/**
 * Bring a skill to what this program would write. Files are compared with what the inspection saw right before they
 * are replaced; with `force` they were backed up and whatever stands in the way is taken away.
 */
export function writeReplacement(
  directory: string,
  files: readonly SkillFile[],
  manifest: Manifest,
  seen: Inspection,
  force: boolean,
): void {
  clearTemporaries(directory);
  for (const file of entryLast(files)) {
    if (!force) confirmUnchanged(directory, file.path, seen);
    put(directory, file.path, file.text);
  }
  const wanted = new Set(files.map((file) => file.path));
  for (const [path, state] of seen.files) {
    if (wanted.has(path) || state === "missing") continue;
    if (!force) confirmUnchanged(directory, path, seen);
    remove(directory, path, force);
  }
  removeEmptyParents(directory, [...seen.files.keys()]);
  put(directory, MANIFEST_FILE, manifestText(manifest));
}

/** Take away the files of a skill that hold no edit (with `force`: all of the manifest's), `SKILL.md` first. */
export function removeSkill(directory: string, seen: Inspection, force: boolean): void {
  clearTemporaries(directory);
  const paths = [...seen.files].filter(([, state]) => state !== "missing" && (force || state !== "edited"));
  const ordered = entryLast(paths.map(([path]) => ({ path }))).reverse();
  for (const { path } of ordered) {
    if (!force) confirmUnchanged(directory, path, seen);
    remove(directory, path, force);
  }
  const kept = [...seen.files.values()].includes("edited") && !force;
  if (!kept) remove(directory, MANIFEST_FILE, force);
  removeEmptyParents(directory, [...seen.files.keys()]);
  removeIfEmpty(directory);
}

/** Take away what an interrupted removal or install left of a skill: empty directories and temporary files. */
export function removeHollow(directory: string): void {
  clearTemporaries(directory);
  for (const entry of readdirSync(directory)) removeHollow(join(directory, entry));
  removeIfEmpty(directory);
}

function entryLast<T extends { path: string }>(files: readonly T[]): T[] {
  return [
    ...files.filter((file) => file.path !== ENTRY_FILE),
    ...files.filter((file) => file.path === ENTRY_FILE),
  ];
}

function put(directory: string, path: string, text: string): void {
  const target = join(directory, path);
  makeParents(directory, path);
  const stat = statIfThere(target);
  if (stat?.isFile() && isSameText(target, text)) return;
  if (stat !== undefined && !stat.isFile()) rmSync(target, { recursive: true });
  writeFileAtomic(target, text, { prefix: TEMPORARY_PREFIX, requestedMode: 0o644 });
}

/** The directories above a file, real ones: a link or a file in their place is replaced (it was backed up). */
function makeParents(directory: string, path: string): void {
  for (const parent of parentsOf(path).map((relative) => join(directory, relative))) {
    const stat = statIfThere(parent);
    if (stat?.isDirectory()) continue;
    if (stat !== undefined) unlinkSync(parent);
    make(parent);
  }
}

function make(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    syncDirectory(dirname(directory));
  } catch (error) {
    throw new FileError("cannot create", directory, error);
  }
}

/** An edit made since the inspection is not lost: the write is given up instead. */
function confirmUnchanged(directory: string, path: string, seen: Inspection): void {
  const before = seen.contents.get(path);
  let now: Uint8Array | undefined;
  try {
    now = readOwnedFile(join(directory, path), { uid: undefined, maxBytes: Number.MAX_SAFE_INTEGER });
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== "absent") throw error;
  }
  if (now === undefined ? before !== undefined : before === undefined || Buffer.compare(now, before) !== 0) {
    throw new JigError(`${join(directory, path)} changed while jig was at work`, {
      hint: "run the command again",
    });
  }
}

function isSameText(path: string, text: string): boolean {
  return (
    Buffer.compare(
      readOwnedFile(path, { uid: undefined, maxBytes: Number.MAX_SAFE_INTEGER }),
      Buffer.from(text),
    ) === 0
  );
}

/** Never through a link: a parent that is one is left alone, or taken away itself with `force`. */
function remove(directory: string, path: string, force: boolean): void {
  for (const parent of parentsOf(path).map((relative) => join(directory, relative))) {
    const stat = statIfThere(parent);
    if (stat === undefined) return;
    if (stat.isDirectory()) continue;
    if (force) unlinkSync(parent);
    return;
  }
  const target = join(directory, path);
  const stat = statIfThere(target);
  if (stat === undefined) return;
  if (stat.isDirectory()) rmSync(target, { recursive: true });
  else unlinkSync(target);
}

/** The directories above a path, outermost first: `a/b/c` has `a` and `a/b`. */
function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function clearTemporaries(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) clearTemporaries(path);
    else if (entry.isFile() && isTemporary(entry.name)) unlinkSync(path);
  }
}

/** The directories of these paths that are empty now, innermost first; the skill's own is not among them. */
function removeEmptyParents(directory: string, paths: readonly string[]): void {
  const parents = new Set(paths.flatMap(parentsOf));
  for (const parent of [...parents].sort((a, b) => b.length - a.length)) {
    const path = join(directory, parent);
    if (statIfThere(path)?.isDirectory()) removeIfEmpty(path);
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw error;
  }
}
