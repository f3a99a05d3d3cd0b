import { listed, MOST_ERRORS, shown } from "../common/problem.ts";
import { BUNDLES } from "../common/vocabulary.ts";
import type { Descriptor } from "./descriptor.ts";

/** The part of a phase that makes the graph. */
export type Node = Pick<Descriptor, "id" | "enabled" | "consumes" | "self_supply" | "produces">;

/** Where each artifact is made: indices of its producers in list order. */
export function producersOf(pipeline: readonly Node[]): Map<string, number[]> {
  const producers = new Map<string, number[]>();
  pipeline.forEach(({ produces }, index) => {
    for (const artifact of new Set(produces)) {
      const found = producers.get(artifact);
      if (found === undefined) producers.set(artifact, [index]);
      else found.push(index);
    }
  });
  return producers;
}

/** An input that no enabled phase before its consumer produces. */
export interface Dangling {
  /** Index of the consumer. */
  consumer: number;
  artifact: string;
}

/** The inputs of enabled phases that nothing enabled before them produces, in one pass over the list. */
export function danglingInputs(pipeline: readonly Node[]): Dangling[] {
  const made = new Set<string>();
  const dangling: Dangling[] = [];
  pipeline.forEach((phase, consumer) => {
    if (!phase.enabled) return;
    const own = new Set(phase.self_supply);
    for (const artifact of phase.consumes) {
      if (!made.has(artifact) && !own.has(artifact)) dangling.push({ consumer, artifact });
    }
    for (const artifact of phase.produces) made.add(artifact);
  });
  return dangling;
}

/**
 * What is wrong with a pipeline as a graph, by rule and then by place (docs/spec/craft-engine.md 4.2): duplicate ids,
 * self-supply of what is not consumed, unknown bundles, and inputs that no enabled phase before produces.
 */
export function graphErrors(pipeline: readonly Descriptor[]): GraphError[] {
  const each = (judge: (descriptor: Descriptor) => string[]) =>
    pipeline.flatMap((descriptor, at) => judge(descriptor).map((message): GraphError => ({ message, at })));
  return [
    ...duplicates(pipeline),
    ...each(foreignSelfSupply),
    ...each(unknownBundles),
    ...danglingErrors(pipeline),
  ];
}

export interface GraphError {
  message: string;
  /** Index of the descriptor it is about. */
  at: number;
  /** The input that nobody makes, where that is what is wrong. */
  missing?: string;
}

function duplicates(pipeline: readonly Node[]): GraphError[] {
  const seen = new Set<string>();
  return pipeline.flatMap(({ id }, at) => {
    if (seen.has(id)) return { message: shown`Duplicate descriptor id "${id}".`, at };
    seen.add(id);
    return [];
  });
}

function foreignSelfSupply({ id, consumes, self_supply }: Node): string[] {
  const consumed = new Set(consumes);
  const foreign = self_supply.filter((artifact) => !consumed.has(artifact));
  return foreign
    .slice(0, MOST_ERRORS)
    .map(
      (artifact) =>
        shown`Descriptor "${id}": self_supply artifact "${artifact}" is not in consumes [${listed(consumes)}].`,
    );
}

function unknownBundles({ id, contract }: Descriptor): string[] {
  return contract
    .filter((bundle) => !(BUNDLES as readonly string[]).includes(bundle))
    .map(
      (bundle) =>
        shown`Descriptor "${id}": contract bundle "${bundle}" is not in the closed vocabulary [${BUNDLES.join(", ")}].`,
    );
}

function danglingErrors(pipeline: readonly Node[]): GraphError[] {
  const dangling = danglingInputs(pipeline);
  if (dangling.length === 0) return [];
  const producers = producersOf(pipeline);
  return dangling.slice(0, MOST_ERRORS).map(({ consumer, artifact }) => ({
    message: danglingText(pipeline, consumer, artifact, producers.get(artifact) ?? []),
    at: consumer,
    missing: artifact,
  }));
}

function danglingText(
  pipeline: readonly Node[],
  index: number,
  artifact: string,
  all: readonly number[],
): string {
  const { id } = pipeline[index]!;
  const producers = all.filter((producer) => producer !== index);
  const first = shown`Descriptor "${id}": consumes "${artifact}" but no enabled phase before it produces "${artifact}".`;
  const repair = shown`produces: ["${artifact}"] on an earlier phase?`;
  if (producers.length === 0) {
    const nowhere = shown`  "${artifact}" is produced by: nothing in this pipeline.`;
    return `${first}\n${nowhere}\n  Did you mean ${repair}`;
  }
  const places = listed(producers.map((producer) => producerText(pipeline, producer, id)));
  const nearest = producers.reduce((best, next) =>
    Math.abs(next - index) < Math.abs(best - index) ? next : best,
  );
  const after = shown`after: ${pipeline[nearest]!.id}`;
  return `${first}\n${shown`  "${artifact}" is produced by: ${places}.`}\n  Did you mean ${after}, or ${repair}`;
}

/** `P (disabled)`, or where an enabled producer stands. */
export function producerText(pipeline: readonly Node[], producer: number, consumer: string): string {
  const { id, enabled } = pipeline[producer]!;
  return enabled ? `${id} (position ${producer}, after "${consumer}")` : `${id} (disabled)`;
}
