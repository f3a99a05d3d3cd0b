/** What gates each phase of a resolution, and what may not go ungated (docs/spec/craft-engine.md 5.3, stage 14). */
import type { YamlMap } from "../../kernel/yaml/yaml.ts";
import { shown } from "../common/problem.ts";
import { child, wordOf } from "../manifest/nodes.ts";
import { type Descriptor, isExecutingHarness } from "../pipeline/descriptor.ts";

export interface GateDecision {
  phaseId: string;
  /** A command, a symbolic gate, or "" for none. */
  gate: string;
  /** Whether the phase produces `change`. */
  codeProducing: boolean;
  /** Of `propose` only: the executing harnesses it waits for. */
  awaitingHarnesses?: string[];
}

/** One decision per effective phase, in walk order. */
export function gateDecisions(effective: readonly Descriptor[], manifest: YamlMap): GateDecision[] {
  const gates = child(manifest, "gates");
  const awaited = effective.filter(isExecutingHarness).map(({ id }) => id);
  return effective.map(({ id, gate, produces }) => ({
    phaseId: id,
    gate: (gate === undefined || gate.trim() === "" ? wordOf(child(gates, id)) : gate) ?? "",
    codeProducing: produces.includes("change"),
    ...(id === "propose" ? { awaitingHarnesses: awaited } : {}),
  }));
}

/** Decisions below the floor: code without a gate, and a harness that `propose` would wait for for ever. */
export function gateRefusals(
  effective: readonly Descriptor[],
  decisions: readonly GateDecision[],
): { phase: number; message: string }[] {
  const propose = effective.findIndex(({ id }) => id === "propose");
  return effective.flatMap((descriptor, phase) => {
    const { id } = descriptor;
    const { codeProducing, gate } = decisions[phase]!;
    const refusals: { phase: number; message: string }[] = [];
    if (codeProducing && gate === "") {
      const message = shown`Gate floor violation: phase "${id}" produces "change" (code-producing) but has no resolvable gate. A gate is required for all code-producing phases.`;
      refusals.push({ phase, message });
    }
    if (propose >= 0 && phase > propose && isExecutingHarness(descriptor)) {
      const message = shown`Harness order: "${id}" is an executing harness placed after "propose"; propose would wait for it forever`;
      refusals.push({ phase, message });
    }
    return refusals;
  });
}
