/** Skipping, enabling, disabling, and the overrides of a phase block (docs/spec/craft-engine.md 6.1). */
import { shown } from "../../common/problem.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { child, stringOf } from "../../manifest/nodes.ts";
import { type Descriptor, inKeyOrder } from "../descriptor.ts";
import { mergedHarness } from "./harness.ts";
import type { Phase } from "./phase.ts";

/** Switch and override every phase; gives the record lines of the switches, in pipeline order. */
export function togglePhases(phases: readonly Phase[], manifest: Manifest): string[] {
  const skips = new Map(manifest.skip.toReversed().map((named) => [named.id, named]));
  return phases.flatMap((phase) => {
    const { id } = phase.descriptor;
    const block = manifest.phases.get(id);
    if (block !== undefined) {
      phase.block = block;
      phase.descriptor = overridden(phase);
    }
    const skip = skips.get(id);
    if (skip !== undefined) {
      phase.state = "skipped";
      phase.skip = skip;
    } else {
      phase.state = stateOf(phase);
    }
    const enabled = phase.state === "on" || phase.state === "enabled";
    if (enabled !== phase.descriptor.enabled) phase.descriptor = { ...phase.descriptor, enabled };
    return RECORD[phase.state]?.(id) ?? [];
  });
}

const RECORD: Partial<Record<Phase["state"], (id: string) => string>> = {
  skipped: (id) => shown`skip: ${id} (manifest pipeline.skip)`,
  enabled: (id) => shown`enable: ${id} (phases.${id}.enabled:true)`,
  disabled: (id) => shown`disable: ${id} (phases.${id}.enabled:false)`,
  "default-off": (id) => shown`default-skip: ${id} (descriptor enabled:false)`,
};

function stateOf({ descriptor, block }: Phase): Phase["state"] {
  const node = child(block, "enabled");
  const wish = node?.kind === "scalar" ? node.value : undefined;
  if (wish === true) return descriptor.enabled ? "on" : "enabled";
  if (!descriptor.enabled) return "default-off";
  return wish === false ? "disabled" : "on";
}

/** The only fields a block may change. */
function overridden({ descriptor, block, origin }: Phase): Descriptor {
  const text = (field: "procedure" | "role" | "model") => {
    const value = stringOf(child(block, field));
    return value === undefined ? {} : { [field]: value };
  };
  const harness = child(block, "harness");
  const merged = harness?.kind === "map" ? { harness: mergedHarness(descriptor.harness, harness) } : {};
  const changed = { ...descriptor, ...text("procedure"), ...text("role"), ...merged, ...text("model") };
  return inKeyOrder(changed, origin === "pipeline" ? "pipeline" : "entry");
}

/** Record lines of what a block swapped and what was replaced, for the phases of the list (5.4). */
export function swapRecord(phases: readonly Phase[], manifest: Manifest): string[] {
  if (manifest.phases.size + manifest.registered.length === 0) return [];
  const swaps = phases.flatMap((phase) => {
    const { id } = phase.descriptor;
    return (["role", "procedure"] as const).flatMap((field) => {
      const to = phase.descriptor[field];
      return to === undefined || to === phase.original[field] ? [] : shown`swap: ${id} ${field} → ${to}`;
    });
  });
  const replaced = phases
    .filter((phase) => phase.replaced !== undefined)
    .map(({ descriptor }) => shown`replace: ${descriptor.id} (extends.phases)`);
  return [...swaps, ...replaced];
}
