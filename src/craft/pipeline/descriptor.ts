import type { Archetype, Execution } from "../common/vocabulary.ts";

/** One phase of a pipeline, normalised; keys in the order they are printed (docs/spec/craft-engine.md 4.1). */
export interface Descriptor {
  id: string;
  archetype: Archetype;
  /** Off by default when false. */
  enabled: boolean;
  /** Bundles that follow the core contract. */
  contract: readonly string[];
  /** What the walk runs, verbatim. Absent in an insert that only has a gate. */
  procedure?: string;
  consumes: readonly string[];
  /** Consumed artifacts that the phase can make itself. */
  self_supply: readonly string[];
  produces: readonly string[];
  execution: Execution;
  /** Who works; absent: the session itself. */
  role?: string;
  /** A command or a symbolic gate (9.1). */
  gate?: string;
  harness?: Readonly<Record<string, unknown>>;
  /** Canonical tier of the role. */
  model?: string;
}

/** The name of the embedded pipeline wherever a pipeline path is accepted (docs/spec/craft-engine.md 4.4). */
export const EMBEDDED = "@default";

/** Whether a phase runs tools whose findings `propose` waits for. */
export function isExecutingHarness({
  archetype,
  contract,
}: Pick<Descriptor, "archetype" | "contract">): boolean {
  return archetype === "harness" && contract.includes("harness-exec");
}

/** Phases that can be neither auto-skipped nor gone without (docs/spec/craft-engine.md 6.7). */
export const FLOOR_PHASES: readonly string[] = ["workspace", "implementation", "propose", "integrate"];

/** Phases whose absence is a waiver, in the order waivers are listed (docs/spec/craft-engine.md 5.3). */
export const WAIVABLE_PHASES: readonly string[] = ["review", "refactoring", "validation", "architecture"];

const PIPELINE_ORDER: readonly string[] = [
  "id",
  "archetype",
  "enabled",
  "contract",
  "procedure",
  "consumes",
  "self_supply",
  "produces",
  "execution",
  "role",
  "gate",
  "harness",
  "model",
];

/** What an inserted or registered phase has by default comes first, then what its author may give. */
const ENTRY_ORDER: readonly string[] = [
  "enabled",
  "contract",
  "consumes",
  "produces",
  "self_supply",
  "execution",
  "id",
  "archetype",
  "procedure",
  "role",
  "gate",
  "harness",
  "model",
];

/** The keys in their one order, those nobody knows at the end by name (docs/spec/craft-engine.md 4.1, 5.3). */
export function inKeyOrder(descriptor: Descriptor, of: "pipeline" | "entry"): Descriptor {
  const order = of === "pipeline" ? PIPELINE_ORDER : ENTRY_ORDER;
  const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
  const sorted = Object.entries(descriptor).sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(sorted) as unknown as Descriptor;
}
