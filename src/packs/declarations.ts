import type { Config, Layer } from "../kernel/config/layers.ts";
import { labelled, type PackEntry, type PackProblem, readPacksBlock } from "../kernel/config/packs-config.ts";
import { refusalHint } from "../kernel/repository/repository.ts";

/** What the config files of a repository declare, the team's file first (docs/spec/packs.md section 2). */
export interface Declarations {
  /** Real path of the repository. */
  root: string;
  git: "available" | "missing";
  entries: PackEntry[];
  /** Whole messages. */
  errors: string[];
  warnings: string[];
}

/** The declarations, or what to say outside a repository. */
export function readDeclarations(config: Config): Declarations | { root?: never; outside: string } {
  const { root, git } = config.repository;
  if (root === undefined) {
    const hint = refusalHint(config.repository);
    const advice = hint === undefined ? "" : ` (${hint})`;
    return { outside: `not inside a git repository; no CE config to read${advice}` };
  }
  const declarations: Declarations = { root, git, entries: [], errors: [], warnings: [] };
  for (const layer of [config.repo, config.local]) {
    if (layer !== undefined) addLayer(declarations, layer);
  }
  return declarations;
}

function addLayer({ entries, errors, warnings }: Declarations, layer: Layer): void {
  if (layer.problem !== undefined) {
    // A file of another kind declares nothing, but it is there for a reason; an unreadable one may declare something.
    const list = layer.problem.kind === "not-regular" ? warnings : errors;
    list.push(`${layer.name}: ${layer.problem.why}; no packs are read from it`);
  }
  if (layer.bytes === undefined) return;
  const block = readPacksBlock(new TextDecoder().decode(layer.bytes), layer.name);
  const texts = (problems: readonly PackProblem[]) => problems.map(labelled);
  entries.push(...block.entries);
  errors.push(...texts(block.errors));
  warnings.push(...texts(block.warnings));
}
