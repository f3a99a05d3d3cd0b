import type { YamlMap } from "../../kernel/yaml/yaml.ts";
import type { Problem } from "../common/problem.ts";
import { Findings } from "./findings.ts";
import { contextFor } from "./rules/context.ts";
import { checkShape } from "./rules/top-level.ts";

/**
 * What would make a manifest nobody linted resolve wrongly (docs/spec/craft-engine.md 5.2 stage 5). `pipelineIds` are the
 * phases that its pipeline has.
 */
export function checkRunShape(file: string, manifest: YamlMap, pipelineIds: readonly string[]): Problem[] {
  const findings = new Findings(file);
  checkShape(contextFor(manifest, findings, "resolve", { pipelineIds }));
  return findings.errors;
}
