import { shown } from "../../common/problem.ts";
import type { Named } from "../../manifest/manifest.ts";
import type { Phase, Refusal } from "./phase.ts";

export interface Reordered {
  phases: readonly Phase[];
  record: string[];
  refusals: Refusal[];
}

/** Permute the listed phases among the places that they hold together; the others stay (docs/spec/craft-engine.md 6.3). */
export function reorderPhases(phases: readonly Phase[], order: readonly Named[]): Reordered {
  if (order.length === 0) return { phases, record: [], refusals: [] };
  const places = new Map<string, number>();
  phases.forEach(({ descriptor }, index) => {
    if (!places.has(descriptor.id)) places.set(descriptor.id, index);
  });
  const seen = new Set<string>();
  const refusals: Refusal[] = [];
  for (const { id, node } of order) {
    const place = places.get(id);
    const refuse = (message: string) => refusals.push({ message, at: node });
    if (place === undefined)
      refuse(shown`reorder: unknown id "${id}" — not present in the post-insert descriptor list`);
    else if (!phases[place]!.descriptor.enabled)
      refuse(shown`reorder: "${id}" is not enabled — only enabled phases may be reordered`);
    else if (seen.has(id)) refuse(shown`reorder: duplicate id "${id}" in pipeline.reorder list`);
    seen.add(id);
  }
  if (refusals.length > 0) return { phases, record: [], refusals };
  const slots = order.map(({ id }) => places.get(id)!).sort((a, b) => a - b);
  const moved = [...phases];
  order.forEach(({ id }, index) => {
    moved[slots[index]!] = phases[places.get(id)!]!;
  });
  return { phases: moved, record: order.map(({ id }) => shown`reorder: ${id} (pipeline.reorder)`), refusals };
}
