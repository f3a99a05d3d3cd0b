import type { ProcessFacts } from "./facts.ts";

/** The processes below these in the parent-child tree, deepest first; the roots themselves are not in it. */
export function descendantsIn(snapshot: readonly ProcessFacts[], roots: readonly number[]): ProcessFacts[] {
  const children = new Map<number, ProcessFacts[]>();
  for (const facts of snapshot) {
    const siblings = children.get(facts.parent);
    if (siblings === undefined) children.set(facts.parent, [facts]);
    else siblings.push(facts);
  }
  const seen = new Set(roots);
  const found: ProcessFacts[] = [];
  let level = [...roots];
  while (level.length > 0) {
    const next: number[] = [];
    for (const parent of level) {
      for (const child of children.get(parent) ?? []) {
        // A snapshot is not one moment: a recycled pid could close a circle.
        if (seen.has(child.pid)) continue;
        seen.add(child.pid);
        found.push(child);
        next.push(child.pid);
      }
    }
    level = next;
  }
  return found.reverse();
}
