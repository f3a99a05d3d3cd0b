/** The shape of a definition-of-done file's criteria (docs/spec/craft-engine.md 3.3). */
import type { YamlMap, YamlNode } from "../../../kernel/yaml/yaml.ts";
import type { Problem } from "../../common/problem.ts";
import { Findings } from "../findings.ts";
import { child, stringOf, wordOf } from "../nodes.ts";

/** What is wrong with the `criteria` of a DoD file's front matter; nothing when it has none. */
export function criteriaProblems(file: string, matter: YamlMap): Problem[] {
  const findings = new Findings(file);
  const criteria = child(matter, "criteria");
  if (criteria === undefined) return [];
  if (criteria.kind === "list") {
    criteria.items.forEach((item, index) => {
      checkCriterion(`dod.criteria[${index}]`, item, findings);
    });
  } else {
    findings.error("dod.criteria must be an array", criteria);
  }
  return findings.errors;
}

function checkCriterion(label: string, node: YamlNode, findings: Findings): void {
  if (node.kind !== "map") {
    findings.error(`${label} must be an object`, node);
    return;
  }
  if (wordOf(child(node, "id")) === undefined)
    findings.error(`${label}.id must be a non-empty string`, child(node, "id") ?? node);
  const kind = stringOf(child(node, "kind"));
  if (kind === "auto") checkAssert(label, node, findings);
  else if (kind !== "judgment")
    findings.error(`${label}.kind must be 'auto' or 'judgment'`, child(node, "kind") ?? node);
}

function checkAssert(label: string, criterion: YamlMap, findings: Findings): void {
  const node = child(criterion, "assert");
  if (node?.kind !== "map") {
    findings.error(`${label}: auto criterion requires an 'assert' object`, node ?? criterion);
    return;
  }
  const gate = child(node, "gate");
  const exists = child(node, "file-exists");
  if (gate === undefined && exists === undefined) {
    findings.error(`${label}.assert must have a 'gate' or 'file-exists' key`, node);
  } else if (gate !== undefined && exists !== undefined) {
    findings.error(`${label}.assert must not have both 'gate' and 'file-exists'`, node);
  } else if (gate !== undefined) {
    if (stringOf(gate) === undefined) findings.error(`${label}.assert.gate must be a string`, gate);
  } else if (wordOf(exists) === undefined) {
    findings.error(`${label}.assert['file-exists'] must be a non-empty string`, exists!);
  }
}
