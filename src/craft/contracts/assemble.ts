import type { Execution } from "../common/vocabulary.ts";
import type { BundleTexts } from "./bundles.ts";
import { carveOut } from "./carve-outs.ts";

/** Where a worker looks things up, in this order; the engine's own, whatever the manifest says. */
const RETRIEVAL =
  "retrieval: project tools first, then environment tools, then user tools, then native read and grep";

export interface ContractParts {
  /** Bundle names of the descriptor, in its order; all of them known. */
  bundles: readonly (keyof BundleTexts)[];
  texts: BundleTexts;
  execution: Execution;
  /** Declared paths of the manifest's `context`, then of the phase's, verbatim. */
  contexts: readonly string[];
}

/**
 * A phase's contract block: core, the phase's bundles, the order of sources, the declared context paths. The same input
 * gives the same bytes; no model, time or path of the machine stands in it (docs/spec/craft-engine.md 11.1).
 */
export function assembleContract({ bundles, texts, execution, contexts }: ContractParts): string {
  // Core stands first whether or not the descriptor names it.
  const named = bundles.filter((bundle) => bundle !== "core").map((bundle) => texts[bundle]);
  return `${[carveOut(texts.core, execution), ...named, RETRIEVAL, ...contexts].join("\n")}\n`;
}
