import type { Execution } from "../common/vocabulary.ts";

/**
 * The lines of the core bundle that differ by how a phase is run, and what stands in their place: these are the only
 * differences between the agent's block and the inline one (docs/spec/craft-engine.md 11.2).
 */
export const CARVE_OUTS: readonly { marker: string; text: Readonly<Record<Execution, string>> }[] = [
  {
    marker: "@@ARTIFACT_HANDOFF@@",
    text: {
      agent: "the agent commit is the handoff; an agent that died is spawned again from the artifact it left",
      inline: "the commit is the handoff (no agent context to lose)",
    },
  },
  {
    marker: "@@MODEL_RESOLUTION@@",
    text: {
      agent: "the role model resolved in this order: the manifest, the agent's own pin, the fallback",
      inline: "the session model",
    },
  },
];

/** A bundle's text with every marker replaced for one way of running. */
export function carveOut(text: string, execution: Execution): string {
  return CARVE_OUTS.reduce((out, { marker, text: by }) => out.replaceAll(marker, () => by[execution]), text);
}
