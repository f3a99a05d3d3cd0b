import { mkdirSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { JigError } from "../../../kernel/call/errors.ts";
import { syncDirectory } from "../../../kernel/files/file-io.ts";
import { entryBelow } from "../tree/below.ts";
import { type BytePath, parentOf, placeOf, shownPath } from "../tree/byte-path.ts";
import { isSameEntry, kindAt } from "../tree/entry.ts";
import { entriesBelow } from "../tree/walk.ts";
import { rewrittenTarget } from "./link-target.ts";
import { type Plan, type PlanEntry, temporaryPlace } from "./plan.ts";
import { writeEntry } from "./write-entry.ts";

/**
 * Carry a plan out: all removals, then the copies, each written beside its place and renamed over it after one more look
 * that the place still holds what was planned. Throws at the first that fails; `undoPlan` then takes back what was done.
 */
export function applyPlan(root: string, worktree: string, plan: Plan): void {
  for (const entry of plan.entries) {
    if (entry.action === "remove") remove(root, entry);
  }
  for (const directory of plan.directories) {
    const place = placeOf(root, directory);
    if (kindAt(place) !== "directory") mkdirSync(place);
  }
  plan.entries.forEach((entry, index) => {
    if (entry.action === "copy") copy(root, worktree, plan, entry, index);
  });
  flush(root, plan);
}

function remove(root: string, entry: PlanEntry): void {
  stillPlanned(root, entry);
  unlinkSync(placeOf(root, entry.path));
  removeEmptyParents(root, entry.path);
}

function copy(root: string, worktree: string, plan: Plan, entry: PlanEntry, index: number): void {
  const { path, after, before } = entry;
  const place = placeOf(root, path);
  const temporary = temporaryPlace(root, plan, index, path);
  const written = writeEntry(placeOf(worktree, path), temporary, after, (target) =>
    rewrittenTarget(target, worktree, root),
  );
  if (!isSameEntry(written, after)) throw new JigError(`'${shownPath(path)}' changed while it was copied`);
  if (before.kind === "directory") removeEmptyDirectories(root, path);
  else stillPlanned(root, entry);
  renameSync(temporary, place);
}

function stillPlanned(root: string, { path, before }: PlanEntry): void {
  const now = entryBelow(root, path);
  if (isSameEntry(now, before)) return;
  throw new JigError(`'${shownPath(path)}' changed in the main tree while the work was copied there`);
}

/** A directory that a removal emptied goes, and so do those above it. */
export function removeEmptyParents(root: string, path: BytePath): void {
  for (let directory = parentOf(path); directory !== undefined; directory = parentOf(directory)) {
    try {
      rmdirSync(placeOf(root, directory));
    } catch {
      return;
    }
  }
}

function removeEmptyDirectories(root: string, path: BytePath): void {
  if (kindAt(placeOf(root, path)) !== "directory") return;
  const directories = [...entriesBelow(root, path)].filter(({ kind }) => kind === "directory");
  for (const directory of directories.reverse()) rmdirSync(placeOf(root, directory.path));
  rmdirSync(placeOf(root, path));
}

/** The new names survive a power cut before the worktree goes. */
function flush(root: string, { entries }: Plan): void {
  const touched = new Set(
    entries.filter(({ action }) => action !== "none").map(({ path }) => parentOf(path)),
  );
  for (const directory of touched) {
    const place = directory === undefined ? root : placeOf(root, directory).toString();
    if (kindAt(Buffer.from(place)) === "directory") syncDirectory(place);
  }
}
