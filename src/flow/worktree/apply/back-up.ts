import { syncDirectory } from "../../../kernel/files/file-io.ts";
import { placeOf } from "../tree/byte-path.ts";
import { freshDirectory } from "../tree/fresh-directory.ts";
import { type Plan, writePlan } from "./plan.ts";
import { writeEntry } from "./write-entry.ts";

/**
 * Save everything a plan overwrites or removes, and the plan itself, into a new directory; all of it is flushed before
 * this returns (docs/spec/flow-worktree.md 6.1). Gives the directory and the plan's file. Throws.
 */
export function backUp(
  root: string,
  plan: Plan,
  parent: string,
  name: string,
): { directory: string; file: string } {
  const directory = freshDirectory(parent, name);
  plan.entries.forEach((entry, index) => {
    const { action, before, path } = entry;
    if (action === "none" || (before.kind !== "file" && before.kind !== "link")) return;
    entry.saved = String(index);
    writeEntry(placeOf(root, path), Buffer.from(`${directory}/${entry.saved}`), before);
  });
  const file = writePlan(directory, plan);
  syncDirectory(directory);
  syncDirectory(parent);
  return { directory, file };
}
