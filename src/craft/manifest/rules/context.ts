import type { YamlMap, YamlNode } from "../../../kernel/yaml/yaml.ts";
import { PHASE_ALIASES, PHASES, phaseId } from "../../common/vocabulary.ts";
import type { Findings } from "../findings.ts";
import { COMMAND_LINE, child, itemsOf, stringOf } from "../nodes.ts";

/** What a rule may look at beside its own node. */
export interface Context {
  findings: Findings;
  root: YamlMap;
  /**
   * `lint` judges everything; `resolve` only what would make a manifest nobody linted resolve wrongly: not unknown
   * keys, not values that a later stage of resolving refuses in its own words (docs/spec/craft-engine.md 5.2 stage 5).
   */
  reader: "lint" | "resolve";
  /** Whether a phase name, or an alias, can be meant. */
  knowsPhase(name: string): boolean;
  /** Phase names for suggestions. */
  phaseNames(): string[];
  /** Ids that `pipeline.skip` of the file itself names, aliases resolved. */
  skipped: ReadonlySet<string>;
  /** A file reference of the manifest; files are lint's to look at. */
  ref(label: string, node: YamlNode): void;
}

/** Phase ids that the manifest itself brings: those of its inserts and registered phases. */
export function declaredPhases(root: YamlMap): string[] {
  const inserted = itemsOf(child(child(root, "pipeline"), "insert"));
  const registered = itemsOf(child(child(root, "extends"), "phases"));
  return [...inserted, ...registered].flatMap((entry) => stringOf(child(entry, "id")) ?? []);
}

/** The context of one manifest; `pipelineIds` are phases beyond the built-in ones that its pipeline has. */
export function contextFor(
  root: YamlMap,
  findings: Findings,
  reader: Context["reader"],
  options: { ref?: Context["ref"]; pipelineIds?: readonly string[] } = {},
): Context {
  const known = new Set<string>([...PHASES, ...(options.pipelineIds ?? []), ...declaredPhases(root)]);
  const skip = itemsOf(child(child(root, "pipeline"), "skip"));
  const inFile = skip.filter((item) => item.line !== COMMAND_LINE);
  return {
    root,
    findings,
    reader,
    knowsPhase: (name) => known.has(name) || known.has(phaseId(name)),
    phaseNames: () => [...known, ...Object.keys(PHASE_ALIASES)],
    skipped: new Set(inFile.flatMap((item) => stringOf(item) ?? []).map(phaseId)),
    ref: options.ref ?? (() => {}),
  };
}
