/** Who works in each phase: an agent, or the session inline (docs/spec/craft-engine.md 7.1). */

import type { YamlNode } from "../../../kernel/yaml/yaml.ts";
import { shown } from "../../common/problem.ts";
import { EXECUTIONS, type Execution, isOneOf } from "../../common/vocabulary.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { child, offending, stringOf } from "../../manifest/nodes.ts";
import type { Profile } from "../profiles.ts";
import type { Phase, Refusal } from "./phase.ts";

/** Execution values that are none, with where they stand (stage 7). */
export function executionRefusals(manifest: Manifest): Refusal[] {
  const refusals: Refusal[] = [];
  const judge = (node: YamlNode | undefined, place: string) => {
    if (node === undefined || isOneOf(EXECUTIONS, stringOf(node))) return;
    const expected = `Must be one of: ${EXECUTIONS.join(", ")}.`;
    const message = shown`Invalid execution value "${offending(node)}" in ${place}. ${expected}`;
    refusals.push({ message, at: node });
  };
  judge(manifest.execution, "manifest top-level execution");
  for (const [id, block] of manifest.phases) judge(child(block, "execution"), `phases.${id}.execution`);
  for (const { id, node } of manifest.inserts)
    judge(child(node, "execution"), `pipeline.insert[id="${id}"].execution`);
  for (const { id, node } of manifest.registered)
    judge(child(node, "execution"), `extends.phases[id="${id}"].execution`);
  return refusals;
}

export interface ProfileChoice {
  name: string;
  profile: Profile;
}

/** Set every phase's mode; gives a record line for each that differs from its descriptor's own. */
export function chooseExecution(
  phases: readonly Phase[],
  manifest: Manifest,
  choice: ProfileChoice | undefined,
): string[] {
  if (choice === undefined && manifest.execution === undefined && manifest.phases.size === 0) return [];
  const topLevel = stringOf(manifest.execution) as Execution | undefined;
  return phases.flatMap((phase) => {
    const { id, execution } = phase.descriptor;
    const decided = decide(phase, topLevel, choice);
    if (decided === undefined) return [];
    phase.executionReason = decided.reason;
    if (decided.mode === execution) return [];
    phase.descriptor = { ...phase.descriptor, execution: decided.mode };
    return shown`execution: ${id} → ${decided.mode} (${decided.reason})`;
  });
}

function decide(
  { descriptor, block }: Phase,
  topLevel: Execution | undefined,
  choice: ProfileChoice | undefined,
): { mode: Execution; reason: string } | undefined {
  const explicit = stringOf(child(block, "execution")) as Execution | undefined;
  if (explicit !== undefined) return { mode: explicit, reason: "explicit phase field" };
  const isHarness = descriptor.archetype === "harness";
  if (choice !== undefined) {
    const wish = choice.profile[descriptor.archetype];
    // A harness in the session would judge its own work: only the phase's own field may ask for that.
    if (isHarness && wish !== "agent") return { mode: "agent", reason: "profile:harness-caveat" };
    return { mode: wish, reason: `profile:${choice.name}` };
  }
  if (topLevel === undefined) return undefined;
  return { mode: isHarness ? "agent" : topLevel, reason: "top-level default" };
}
