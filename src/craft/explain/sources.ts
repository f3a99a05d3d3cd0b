/** Where the values of a resolved phase come from (docs/spec/craft-engine.md, Beyond upstream). */
import type { YamlNode } from "../../kernel/yaml/yaml.ts";
import { COMMAND_LINE, child, entriesOf } from "../manifest/nodes.ts";
import { chooseTier } from "../models/select.ts";
import type { Phase } from "../pipeline/resolve/phase.ts";
import type { Resolved } from "../pipeline/resolve/resolve.ts";
import type { Source, Value } from "./schema.ts";

const PIPELINE: Source = { from: "pipeline", line: null, name: null };
const ENGINE: Source = { from: "engine", line: null, name: null };

/** A value of the manifest as it was folded: its line, or the flag that put it there. */
export function sourceOfNode(node: { line: number }): Source {
  return node.line === COMMAND_LINE
    ? { from: "flag", line: null, name: null }
    : { from: "manifest", line: node.line, name: null };
}

/** A field of a phase: what its block says wins over the entry that brought it, and that over the pipeline. */
export function fieldSource(phase: Phase, field: string): Source {
  const node = child(phase.block, field) ?? child(phase.entry?.node, field);
  if (node !== undefined) return sourceOfNode(node);
  return phase.entry === undefined ? PIPELINE : ENGINE;
}

export function modeSource(phase: Phase, { profile, manifest }: Resolved): Source {
  const { executionReason: reason } = phase;
  const explicit = child(phase.block, "execution");
  if (explicit !== undefined) return sourceOfNode(explicit);
  if (reason === "profile:harness-caveat") return ENGINE;
  if (reason?.startsWith("profile:")) return { from: "profile", line: null, name: profile!.name };
  if (reason === "top-level default" && phase.descriptor.archetype === "harness") return ENGINE;
  if (reason === "top-level default") return sourceOfNode(manifest.execution!);
  return fieldSource(phase, "execution");
}

/** The tier a spawn of the phase would get, as long as no tier is degraded. */
export function tierOf(phase: Phase, { manifest }: Resolved): { value: string; source: Source } {
  const { role } = phase.descriptor;
  if (role === undefined) return { value: "session", source: ENGINE };
  const name = role.slice(role.indexOf(":") + 1);
  const choice = chooseTier(name, manifest.root, phase.descriptor, new Set());
  const models = child(manifest.root, "models");
  const declared = { models: child(models, name), fallback: child(models, "fallback") };
  const node =
    choice.source === "models" || choice.source === "fallback" ? declared[choice.source] : undefined;
  if (node !== undefined) return { value: choice.tier, source: sourceOfNode(node) };
  return {
    value: choice.tier,
    source: choice.source === "descriptor" ? fieldSource(phase, "model") : ENGINE,
  };
}

/** Every knob with what set it. */
export function knobValues(phase: Phase): Value[] {
  const { harness } = phase.descriptor;
  if (harness === undefined) return [];
  const given = new Map(
    [...entriesOf(child(phase.entry?.node, "harness")), ...entriesOf(child(phase.block, "harness"))].map(
      ({ key, value }): [string, YamlNode] => [key, value],
    ),
  );
  return Object.entries(harness).map(([knob, value]) => {
    const node = given.get(knob);
    return {
      name: `harness.${knob}`,
      value: typeof value === "string" ? value : JSON.stringify(value),
      source: node === undefined ? PIPELINE : sourceOfNode(node),
    };
  });
}

/** What decided that a phase runs or does not. */
export function stateSource(phase: Phase): Source {
  switch (phase.state) {
    case "skipped":
      return sourceOfNode(phase.skip!.node);
    case "enabled":
    case "disabled":
      return sourceOfNode(child(phase.block, "enabled")!);
    case "on":
    case "default-off":
      return phase.entry === undefined ? PIPELINE : sourceOfNode(phase.entry.node);
  }
}
