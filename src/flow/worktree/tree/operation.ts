import { join } from "node:path";
import { statIfThere } from "../../../kernel/files/look.ts";

/** What git has begun in a working tree and not ended (docs/spec/flow-worktree.md 5.1). */
export type Operation = "merge" | "rebase" | "am" | "cherry-pick" | "revert" | "bisect";

/** In the order that tells an outer operation from what it does at the moment. */
const TRACES: readonly (readonly [trace: string, operation: Operation])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "am"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  // Between two picks of a row there is only this.
  ["sequencer", "cherry-pick"],
  ["BISECT_LOG", "bisect"],
];

/** The operation under way in the working tree of a git directory; undefined when there is none. */
export function operationIn(gitDirectory: string): Operation | undefined {
  return TRACES.find(([trace]) => statIfThere(join(gitDirectory, trace)) !== undefined)?.[1];
}
