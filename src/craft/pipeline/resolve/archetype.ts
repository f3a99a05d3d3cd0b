import { listed, shown } from "../../common/problem.ts";
import type { Archetype } from "../../common/vocabulary.ts";
import { type Descriptor, inKeyOrder } from "../descriptor.ts";
import type { Phase } from "./phase.ts";

/** Give an archetype to the phases whose author gave none (docs/spec/craft-engine.md 6.5); the record lines of it. */
export function inferArchetypes(phases: readonly Phase[]): string[] {
  return phases.flatMap((phase) => {
    if (phase.descriptor.archetype !== undefined) return [];
    const [archetype, reason] = inferred(phase.descriptor);
    phase.inferred = reason;
    phase.descriptor = inKeyOrder({ ...phase.descriptor, archetype }, "entry");
    return shown`archetype: ${phase.descriptor.id} → ${archetype} (inferred: ${reason})`;
  });
}

function inferred({ harness, gate, produces }: Descriptor): [Archetype, string] {
  if (harness !== undefined) return ["harness", "has harness block"];
  if (gate !== undefined && produces.length === 0) return ["harness", "gate with no produces"];
  if (produces.length > 0) return ["construction", `produces [${listed(produces)}]`];
  return ["harness", "fallback — most isolated"];
}
