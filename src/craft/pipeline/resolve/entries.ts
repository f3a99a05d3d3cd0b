/** Inserted and registered phases put into the pipeline (docs/spec/craft-engine.md 6.4, 8.1). */
import { printable } from "../../../kernel/text/printable.ts";
import { yamlValue } from "../../../kernel/yaml/yaml.ts";
import { shown } from "../../common/problem.ts";
import type { Entry, Manifest } from "../../manifest/manifest.ts";
import { entriesOf } from "../../manifest/nodes.ts";
import { type Descriptor, inKeyOrder } from "../descriptor.ts";
import { orderedHarness } from "./harness.ts";
import type { Phase, Refusal } from "./phase.ts";

/** The descriptor of an entry: defaults first, then the author's keys. Its archetype may still be missing. */
export function descriptorOfEntry({ node }: Entry): Descriptor {
  const given = new Map(
    entriesOf(node)
      .filter(({ key }) => key !== "after" && key !== "before")
      .map(({ key, value }) => [key, yamlValue(value)]),
  );
  const defaults = {
    enabled: true,
    contract: [],
    consumes: [],
    produces: [],
    self_supply: [],
    execution: "agent",
  };
  const own = { ...defaults, ...Object.fromEntries(given) } as unknown as Descriptor;
  const { harness } = own;
  // The shape was judged before; an archetype that is missing is inferred after the edits.
  return inKeyOrder(harness === undefined ? own : { ...own, harness: orderedHarness(harness) }, "entry");
}

interface Link {
  phase: Phase | undefined;
  previous: Link;
  next: Link;
}

export interface WithEntries {
  phases: Phase[];
  /** Record lines of the inserts. */
  inserts: string[];
  refusals: Refusal[];
}

/**
 * The pipeline with registered phases in the place of those they replace, then the inserts, then the registered phases
 * that are new. A linked list, so that ten thousand inserts take ten thousand steps.
 */
export function addEntries(pipeline: readonly Descriptor[], manifest: Manifest): WithEntries {
  const own = (descriptor: Descriptor): Phase => {
    return { descriptor, original: descriptor, origin: "pipeline", state: "on" };
  };
  if (manifest.inserts.length + manifest.registered.length === 0)
    return { phases: pipeline.map(own), inserts: [], refusals: [] };
  const end = { phase: undefined } as Link;
  end.previous = end.next = end;
  const byId = new Map<string, Link>();
  const put = (phase: Phase, before: Link) => {
    const link: Link = { phase, previous: before.previous, next: before };
    before.previous.next = link;
    before.previous = link;
    const { id } = phase.descriptor;
    if (!byId.has(id)) byId.set(id, link);
  };
  for (const descriptor of pipeline) put(own(descriptor), end);

  const refusals: Refusal[] = [];
  const added: { entry: Entry; origin: "inserted" | "registered" }[] = manifest.inserts.map((entry) => ({
    entry,
    origin: "inserted",
  }));
  const replacing = new Set<string>();
  const original = new Set(pipeline.map(({ id }) => id));
  for (const entry of manifest.registered) {
    if (!original.has(entry.id)) {
      added.push({ entry, origin: "registered" });
      continue;
    }
    if (replacing.has(entry.id)) {
      refusals.push({ message: shown`Duplicate descriptor id "${entry.id}".`, at: entry.node });
      continue;
    }
    replacing.add(entry.id);
    replace(byId.get(entry.id)!.phase!, entry);
  }

  const inserts: string[] = [];
  for (const { entry, origin } of added) {
    if (entry.id.trim() === "") {
      refusals.push({ message: `${printable(entry.label)}.id must be a non-empty string`, at: entry.node });
      continue;
    }
    const side = entry.after === undefined ? "before" : "after";
    const anchor = entry.after ?? entry.before;
    const link = anchor === undefined ? end : byId.get(anchor);
    if (link === undefined) {
      const message = shown`${entry.label}: ${side} "${anchor!}" matches no phase`;
      refusals.push({ message, at: entry.node });
      continue;
    }
    const descriptor = descriptorOfEntry(entry);
    const place = side === "after" ? link.next : link;
    put({ descriptor, original: descriptor, origin, entry, state: "on" }, place);
    inserts.push(shown`insert: ${entry.id} (${anchor === undefined ? "append" : `${side}:${anchor}`})`);
  }

  const phases: Phase[] = [];
  for (let link = end.next; link.phase !== undefined; link = link.next) phases.push(link.phase);
  return { phases, inserts, refusals };
}

/** A full replacement: nothing is inherited but the archetype, when the entry has none. */
function replace(phase: Phase, entry: Entry): void {
  const own = descriptorOfEntry(entry);
  const { archetype } = phase.descriptor;
  phase.replaced = phase.descriptor;
  phase.origin = "registered";
  phase.entry = entry;
  phase.descriptor = own.archetype === undefined ? inKeyOrder({ ...own, archetype }, "entry") : own;
  phase.original = phase.descriptor;
}
