import type { YamlEntry, YamlNode } from "../../../kernel/yaml/yaml.ts";
import { ARCHETYPES, EXECUTIONS, isOneOf } from "../../common/vocabulary.ts";
import { child, offending, stringOf, wordOf } from "../nodes.ts";
import type { Context } from "./context.ts";
import { checkEntryFields } from "./entries.ts";

const PARTS: Readonly<Record<string, (node: YamlNode, context: Context) => void>> = {
  phases: checkRegistered,
  agents: checkAgents,
  profiles: checkProfiles,
  "backlog-adapters": checkAdapters,
};

/** `extends` of a manifest (docs/spec/craft-engine.md 8). */
export function checkExtends(entry: YamlEntry, context: Context): void {
  const { findings, reader } = context;
  if (entry.value.kind !== "map") {
    findings.error("extends must be an object", entry.value);
    return;
  }
  for (const part of entry.value.entries) {
    if (Object.hasOwn(PARTS, part.key)) PARTS[part.key]!(part.value, context);
    else if (reader === "lint")
      findings.error(
        `unknown extends sub-key: ${part.key}`,
        part,
        findings.meant(part.key, Object.keys(PARTS)),
      );
  }
}

function checkRegistered(node: YamlNode, context: Context): void {
  const { findings } = context;
  if (node.kind !== "list") {
    findings.error("extends.phases must be an array", node);
    return;
  }
  node.items.forEach((item, index) => {
    const label = `extends.phases[${index}]`;
    if (item.kind !== "map") {
      findings.error(`${label} must be an object`, item);
      return;
    }
    for (const field of ["id", "procedure"]) {
      if (wordOf(child(item, field)) === undefined)
        findings.error(`${label}.${field} must be a non-empty string`, child(item, field) ?? item);
    }
    checkEntryFields(label, item, context);
  });
}

function checkAgents(node: YamlNode, { findings }: Context): void {
  if (node.kind !== "list") {
    findings.error("extends.agents must be an array", node);
    return;
  }
  node.items.forEach((item, index) => {
    if (wordOf(item) === undefined) findings.error(`extends.agents[${index}] must be a string`, item);
  });
}

function checkProfiles(node: YamlNode, { findings }: Context): void {
  if (node.kind !== "map") {
    findings.error("extends.profiles must be an object", node);
    return;
  }
  for (const { key: name, value } of node.entries) {
    const label = `extends.profiles.${name}`;
    if (value.kind !== "map") {
      findings.error(`${label} must be an object`, value);
      continue;
    }
    for (const archetype of ARCHETYPES) {
      const mode = child(value, archetype);
      if (mode === undefined) findings.error(`${label}: missing archetype "${archetype}"`, value);
      else if (!isOneOf(EXECUTIONS, stringOf(mode)))
        findings.error(
          `${label}: value for "${archetype}" must be inline|agent, got "${offending(mode)}"`,
          mode,
        );
    }
  }
}

function checkAdapters(node: YamlNode, context: Context): void {
  const { findings } = context;
  if (node.kind !== "list") {
    findings.error("extends.backlog-adapters must be an array", node);
    return;
  }
  node.items.forEach((item, index) => {
    const label = `extends.backlog-adapters[${index}]`;
    if (item.kind !== "map") {
      findings.error(`${label} must be an object`, item);
      return;
    }
    if (wordOf(child(item, "name")) === undefined)
      findings.error(`${label}.name must be a non-empty string`, child(item, "name") ?? item);
    const ref = child(item, "ref");
    if (wordOf(ref) === undefined) findings.error(`${label}.ref must be a non-empty string`, ref ?? item);
    else context.ref(`${label}.ref`, ref!);
  });
}
