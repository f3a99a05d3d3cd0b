/** What can be said about the config files once they are read: pure (docs/spec/config.md 5.4). */

import { JigError } from "../kernel/call/errors.ts";
import { docsRootOf } from "../kernel/config/docs-root.ts";
import { KEYS, RETIRED_KEYS, ruleOf } from "../kernel/config/keys.ts";
import type { ParsedLayer } from "../kernel/config/layers.ts";
import { readPacksBlock, shapeProblem } from "../kernel/config/packs-config.ts";
import { invalidText, resolveKey, valueText } from "../kernel/config/resolve.ts";
import { editDistance } from "../kernel/text/nearest.ts";
import { type YamlEntry, yamlValue } from "../kernel/yaml/yaml.ts";
import type { Layers } from "./get.ts";
import { feedbackProblems, type ItemProblem, preferenceProblems } from "./list-items.ts";
import type { ConfigCheck } from "./schema.ts";

export type Finding = ConfigCheck["findings"][number];

/** What is wrong in one layer on its own, and with its values against the other layer's. */
export function layerFindings(layer: ParsedLayer, layers: Layers): Finding[] {
  const findings: Finding[] = [];
  const add = (level: Finding["level"], line: number, key: string | null, message: string) => {
    findings.push({ level, file: layer.name, line, key, message });
  };
  if (layer.syntax !== undefined) {
    add("error", layer.syntax.line, null, `${layer.syntax.message} (column ${layer.syntax.column})`);
  }
  for (const duplicate of layer.duplicates) {
    add(
      "error",
      duplicate.line,
      duplicate.topLevel ? duplicate.key : null,
      `${duplicate.message}; the first is used`,
    );
  }
  for (const entry of layer.entries.values()) {
    const { key, line } = entry;
    if (Object.hasOwn(RETIRED_KEYS, key)) {
      add("error", line, key, `${key} is retired and not read; ${RETIRED_KEYS[key]}`);
    } else if (ruleOf(key) === undefined) {
      add("info", line, key, `${key} is not a key jig knows${suggestion(key)}`);
    } else if (key === "docs_root") {
      if (layer.name === "config.local.yaml") add("warning", line, key, LOCAL_DOCS_ROOT);
    } else {
      valueFindings(entry, layers, (level, message) => add(level, line, key, message));
      for (const problem of itemProblems(entry)) add("error", problem.line, key, problem.message);
    }
  }
  const packs = readPacksBlock(layer.text, layer.name);
  const shapes = packs.entries.map(shapeProblem).filter((problem) => problem !== undefined);
  for (const { line, message } of [...packs.errors, ...shapes]) add("error", line, "packs", message);
  for (const { line, message } of packs.warnings) add("warning", line, "packs", message);
  return findings;
}

const LOCAL_DOCS_ROOT = "docs_root counts in config.yaml only and is ignored here";

function suggestion(key: string): string {
  const near = Object.keys(KEYS)
    .map((known) => ({ known, distance: editDistance(key, known, 2) }))
    .filter(({ distance }) => distance <= 2)
    .sort((a, b) => a.distance - b.distance)[0];
  return near === undefined ? "" : `; did you mean ${near.known}?`;
}

function valueFindings(
  { key, value }: YamlEntry,
  layers: Layers,
  add: (level: "error" | "warning", message: string) => void,
): void {
  const rule = ruleOf(key)!;
  const empty = value.kind === "scalar" && (value.value === null || value.text === "");
  if (rule.kind === "list") {
    if (empty)
      add("warning", `${key} is empty here, so it declares nothing; are all its items commented out?`);
    else if (value.kind !== "list" && key !== "packs") add("error", wrong());
  } else if (rule.kind === "scalar" && !empty) {
    if (value.kind !== "scalar" || rule.accept(value.text) === undefined) add("error", wrong());
  }

  function wrong(): string {
    const shown = value.kind === "scalar" ? value.text : yamlValue(value);
    return `${invalidText(key, shown, rule)}; ${usedInstead(key, layers)}`;
  }
}

function usedInstead(key: string, layers: Layers): string {
  let used: ReturnType<typeof resolveKey>;
  try {
    used = resolveKey(key, layers);
  } catch {
    // The other layer is broken and may hide a list; it has a finding of its own.
    return "it is not used";
  }
  if (!used.set) return "nothing is used instead";
  const from = used.layer === "default" ? "the default" : `${used.layer}:${used.line}`;
  return `'${valueText(used.value)}' from ${from} is used instead`;
}

function itemProblems({ key, value }: YamlEntry): ItemProblem[] {
  if (value.kind !== "list") return [];
  if (key === "work_engine_preferences") return preferenceProblems(value.items);
  if (key === "feedback_sources") return feedbackProblems(value.items);
  return [];
}

/** Findings that need both layers: the artifact root, and settings that contradict each other. */
export function combinedFindings(root: string, layers: Layers): Finding[] {
  const { repo, local } = layers;
  if (repo === undefined || local === undefined) return [];
  return [...docsRootFindings(root, repo, local), ...engineFindings(layers), ...effortFindings(layers)];
}

function docsRootFindings(root: string, repo: ParsedLayer, local: ParsedLayer): Finding[] {
  // A broken file has its finding already, whether or not it names docs_root.
  if (repo.syntax !== undefined) return [];
  try {
    docsRootOf(root, repo, local);
    return [];
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    const line = repo.entries.get("docs_root")?.line ?? null;
    return [{ level: "error", file: repo.name, line, key: "docs_root", message: error.message }];
  }
}

function engineFindings(layers: Layers): Finding[] {
  if (layers.repo?.syntax !== undefined || layers.local?.syntax !== undefined) return [];
  const mode = resolveKey("work_engine_mode", layers);
  const preferences = resolveKey("work_engine_preferences", layers);
  const none = (preferences.value as unknown[]).length === 0;
  if (mode.value === "off") {
    if (none) return [];
    const message = "work_engine_preferences has items, but work_engine_mode is off, so they are not used";
    return [
      { level: "warning", file: preferences.layer, line: preferences.line, key: preferences.key, message },
    ];
  }
  if (!none) return [];
  const message = `work_engine_mode is ${mode.value}, but work_engine_preferences is empty`;
  return [{ level: "error", file: mode.layer, line: mode.line, key: mode.key, message }];
}

/** The efforts each peer offers. */
const PEER_EFFORTS: Readonly<Record<string, readonly string[]>> = {
  claude: ["low", "medium", "high", "xhigh", "max"],
  codex: ["minimal", "low", "medium", "high", "xhigh"],
  grok: ["low", "medium", "high"],
  cursor: [],
  composer: [],
};

function effortFindings(layers: Layers): Finding[] {
  const peer = resolveKey("cross_model_peer", layers);
  const effort = resolveKey("cross_model_effort", layers);
  if (!peer.set || !effort.set) return [];
  const offered = PEER_EFFORTS[String(peer.value)] ?? [];
  if (offered.includes(String(effort.value))) return [];
  const offers = offered.length === 0 ? "no effort setting" : offered.join(", ");
  const message = `cross_model_effort is ${effort.value}, but the peer ${peer.value} offers ${offers}`;
  return [{ level: "warning", file: effort.layer, line: effort.line, key: effort.key, message }];
}
