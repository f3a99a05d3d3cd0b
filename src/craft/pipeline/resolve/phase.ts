import type { YamlMap } from "../../../kernel/yaml/yaml.ts";
import type { Entry, Named } from "../../manifest/manifest.ts";
import type { Descriptor } from "../descriptor.ts";

/** Why a phase is on or off. */
export type PhaseState = "on" | "enabled" | "skipped" | "disabled" | "default-off";

/** One phase on its way through the edits. */
export interface Phase {
  /** As it stands now. */
  descriptor: Descriptor;
  /** Before its block changed it. */
  original: Descriptor;
  origin: "pipeline" | "inserted" | "registered";
  /** What the manifest brought it with; undefined for a phase of the pipeline. */
  entry?: Entry;
  /** The descriptor a registered phase took the place of. */
  replaced?: Descriptor;
  /** `phases.<id>`. */
  block?: YamlMap;
  state: PhaseState;
  /** What skipped it. */
  skip?: Named;
  /** Why its archetype was inferred. */
  inferred?: string;
  /** Why its mode is what it is, when something else than the descriptor decided. */
  executionReason?: string;
}

/** Something a stage refuses, with the place in the manifest that is to blame. */
export interface Refusal {
  message: string;
  hint?: string;
  at?: { line: number; column: number };
}
