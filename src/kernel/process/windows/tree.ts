import { descendantsIn } from "../descendants.ts";
import type { ProcessFacts } from "../facts.ts";

/**
 * Which processes to terminate, in order, for a tree on Windows (docs/spec/jobs.md 12.4). Windows keeps a dead parent's id
 * on its children, so the walk also works for a leader that has ended. When the leader's pid now belongs to another
 * process (another identity, or the caller), that process is spared, and of its direct children only those started
 * before it belong to the old tree; of those the whole subtree, later-started descendants included.
 * The caller is never in the result.
 */
export function treeVictims(
  snapshot: readonly ProcessFacts[],
  leader: { pid: number; identity: string | undefined },
  caller: number,
): number[] {
  const holder = snapshot.find((facts) => facts.pid === leader.pid);
  const isAnother =
    holder !== undefined &&
    (holder.pid === caller || (leader.identity !== undefined && holder.identity !== leader.identity));
  if (!isAnother) {
    const below = descendantsIn(snapshot, [leader.pid]).map((facts) => facts.pid);
    const all = holder === undefined ? below : [...below, leader.pid];
    return all.filter((pid) => pid !== caller);
  }
  const oldChildren = snapshot
    .filter((facts) => facts.parent === leader.pid && facts.startedAt < holder.startedAt)
    .map((facts) => facts.pid);
  // The new holder is not walked into, even from an old child whose pid it once had as parent.
  const below = descendantsIn(
    snapshot.filter((facts) => facts.pid !== leader.pid),
    oldChildren,
  ).map((facts) => facts.pid);
  return [...below, ...oldChildren].filter((pid) => pid !== caller && pid !== leader.pid);
}
