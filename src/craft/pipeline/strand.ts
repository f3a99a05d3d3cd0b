import { listed, MOST_ERRORS, shown } from "../common/problem.ts";
import { type Dangling, danglingInputs, type Node, producersOf, producerText } from "./graph.ts";

/**
 * What skipping takes away: for every skipped phase and artifact of it, the enabled consumers that nothing enabled before
 * them supplies any more (docs/spec/craft-engine.md 6.2). `skipped` are indices; `at` of each error is the skipped one.
 */
export function strandErrors(
  pipeline: readonly Node[],
  skipped: readonly number[],
): { at: number; message: string }[] {
  if (skipped.length === 0) return [];
  const dangling = byArtifact(danglingInputs(pipeline));
  if (dangling.size === 0) return [];
  const producers = producersOf(pipeline);
  const errors: { at: number; message: string }[] = [];
  for (const at of skipped) {
    for (const artifact of new Set(pipeline[at]!.produces)) {
      for (const consumer of dangling.get(artifact) ?? []) {
        if (errors.length === MOST_ERRORS) return errors;
        const others = producers.get(artifact)!.filter((index) => index !== at && index !== consumer);
        errors.push({ at, message: strandText(pipeline, at, artifact, consumer, others) });
      }
    }
  }
  return errors;
}

function byArtifact(dangling: readonly Dangling[]): Map<string, number[]> {
  const consumers = new Map<string, number[]>();
  for (const { artifact, consumer } of dangling) {
    const found = consumers.get(artifact);
    if (found === undefined) consumers.set(artifact, [consumer]);
    else found.push(consumer);
  }
  return consumers;
}

function strandText(
  pipeline: readonly Node[],
  at: number,
  artifact: string,
  consumer: number,
  others: readonly number[],
): string {
  const skipped = pipeline[at]!.id;
  const { id } = pipeline[consumer]!;
  const places =
    others.length === 0
      ? "nothing else in this pipeline"
      : listed(others.map((index) => producerText(pipeline, index, id)));
  return [
    shown`Strand: skipping "${skipped}" removes "${artifact}", consumed by "${id}" without self_supply.`,
    shown`  "${artifact}" is otherwise produced by: ${places}.`,
    shown`  Did you mean keep "${skipped}", produces: ["${artifact}"] on an enabled phase before "${id}",`,
    shown`  or self_supply: ["${artifact}"] on "${id}"?`,
  ].join("\n");
}

/** Phases whose skipping alone would strand a consumer: each the only enabled producer before one. Indices. */
export function indispensable(pipeline: readonly Node[]): Set<number> {
  // The only enabled producer of an artifact so far; -1 when there are more.
  const sole = new Map<string, number>();
  const needed = new Set<number>();
  pipeline.forEach((phase, index) => {
    if (!phase.enabled) return;
    const own = new Set(phase.self_supply);
    for (const artifact of phase.consumes) {
      const producer = sole.get(artifact) ?? -1;
      if (producer >= 0 && !own.has(artifact)) needed.add(producer);
    }
    for (const artifact of new Set(phase.produces)) sole.set(artifact, sole.has(artifact) ? -1 : index);
  });
  return needed;
}
