import { mkdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { JigError } from "../../../kernel/call/errors.ts";
import { entryBelow, obstacleAbove } from "../tree/below.ts";
import { type BytePath, parentOf, placeOf } from "../tree/byte-path.ts";
import { isSameEntry, kindAt } from "../tree/entry.ts";
import { isApplied, type Plan, type PlanEntry, temporaryPlace } from "./plan.ts";
import { writeEntry } from "./write-entry.ts";

export interface Undone {
  /** Paths that are as they were. */
  restored: BytePath[];
  /** Paths that still have what was applied: undoing them failed. */
  left: BytePath[];
}

/**
 * Take a plan back that was not carried out whole: copies and temporary files first, then the directories they needed
 * when empty, then removals (docs/spec/flow-worktree.md 6.1). Only a path in its applied state is touched, and only where
 * `isOurs` says so: what someone has changed or committed since is left alone. Never throws.
 */
export function undoPlan(
  root: string,
  plan: Plan,
  saved: string,
  isOurs: (entry: PlanEntry) => boolean = () => true,
): Undone {
  const undone: Undone = { restored: [], left: [] };
  const reversed = plan.entries.map((entry, index) => ({ entry, index })).reverse();
  for (const { entry, index } of reversed) {
    if (entry.action !== "copy") continue;
    attempt(undone, entry, () => {
      rmSync(temporaryPlace(root, plan, index, entry.path), { force: true });
      if (isUndone(root, entry) || !isApplied(root, entry) || !isOurs(entry)) return false;
      undoCopy(root, plan, saved, entry, index);
      return true;
    });
  }
  for (const directory of [...plan.directories].reverse()) removeIfEmpty(placeOf(root, directory));
  for (const { entry, index } of reversed) {
    if (entry.action !== "remove") continue;
    attempt(undone, entry, () => {
      if (isUndone(root, entry) || !isApplied(root, entry) || !isOurs(entry)) return false;
      putBack(root, plan, saved, entry, index);
      return true;
    });
  }
  return undone;
}

function isUndone(root: string, { path, before }: PlanEntry): boolean {
  return isSameEntry(entryBelow(root, path), before);
}

/** An action that says whether there was anything to do. */
function attempt(undone: Undone, { path }: PlanEntry, action: () => boolean): void {
  try {
    if (action()) undone.restored.push(path);
  } catch {
    undone.left.push(path);
  }
}

function undoCopy(root: string, plan: Plan, saved: string, entry: PlanEntry, index: number): void {
  if (entry.before.kind === "absent" || entry.before.kind === "directory") {
    unlinkSync(placeOf(root, entry.path));
  } else putBack(root, plan, saved, entry, index);
}

function putBack(root: string, plan: Plan, saved: string, entry: PlanEntry, index: number): void {
  if (obstacleAbove(root, entry.path) !== undefined) throw new JigError("its directory is none any more");
  const parent = parentOf(entry.path);
  if (parent !== undefined) mkdirSync(placeOf(root, parent), { recursive: true });
  const temporary = temporaryPlace(root, plan, index, entry.path);
  rmSync(temporary, { force: true });
  writeEntry(Buffer.from(`${saved}/${entry.saved!}`), temporary, entry.before);
  renameSync(temporary, placeOf(root, entry.path));
}

function removeIfEmpty(place: Buffer): void {
  try {
    if (kindAt(place) === "directory") rmdirSync(place);
  } catch {
    // Something is in it that is not ours.
  }
}
