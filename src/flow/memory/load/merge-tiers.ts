/** What the tiers say together, section by section (docs/spec/flow.md 9.3, item 6): pure. */
import { MEMORY_FILES, type MemoryFile } from "../../common/layout.ts";
import { sectionsOf } from "../../common/sections.ts";
import type { TierName } from "../store/tier.ts";
import { LAST_UPDATED, MEMORY_FORMS, saysNothing } from "../text/files.ts";

/** Sections that the highest tier with content decides. */
const HIGHEST_WINS = new Set(["Current Focus", "Next Steps", "Tasks"]);
/** Sections that are the project's alone; what a workspace says of them is only to be read. */
const PROJECT_ONLY = new Set(["Decisions", "User Standards", "Architecture Patterns"]);

export interface MergedSection {
  tier: TierName;
  file: MemoryFile;
  text: string;
}

export interface ContextSection extends MergedSection {
  section: string;
  read_only: boolean;
}

export type TierTexts = Readonly<Record<TierName, Readonly<Record<MemoryFile, string | undefined>>>>;

export interface MergedTiers {
  merged: Map<string, MergedSection>;
  /** What other tiers say in sections that the project decides. */
  context: ContextSection[];
}

export function mergeTiers(texts: TierTexts): MergedTiers {
  const merged = new Map<string, MergedSection>();
  const context: ContextSection[] = [];
  for (const file of MEMORY_FILES) {
    const tiers = {
      workflow: bodiesOf(texts.workflow[file]),
      project: bodiesOf(texts.project[file]),
      workspace: bodiesOf(texts.workspace[file]),
    };
    const at = (tier: TierName, section: string) => ({
      tier,
      file,
      text: tiers[tier].get(section)?.trim() ?? "",
    });
    for (const section of sectionNames(file, tiers.project)) {
      const wins = HIGHEST_WINS.has(section)
        ? (["workflow", "project", "workspace"] as const).find((tier) => at(tier, section).text !== "")
        : undefined;
      const key = merged.has(section) ? `${section} (${file})` : section;
      merged.set(key, at(wins ?? "project", section));
    }
    for (const tier of ["workflow", "workspace"] as const) {
      for (const section of tiers[tier].keys()) {
        const { text } = at(tier, section);
        if (HIGHEST_WINS.has(section) || section === LAST_UPDATED || saysNothing(section, text)) continue;
        context.push({ ...at(tier, section), section, read_only: PROJECT_ONLY.has(section) });
      }
    }
  }
  return { merged, context };
}

/** Required ones in their order, then what else the project's file has. */
function sectionNames(file: MemoryFile, project: ReadonlyMap<string, string>): string[] {
  const names = new Set([...MEMORY_FORMS[file].sections, ...project.keys()]);
  names.delete(LAST_UPDATED);
  return [...names];
}

/** The bodies of a text's sections; of two with one name, both. */
function bodiesOf(text: string | undefined): Map<string, string> {
  const bodies = new Map<string, string>();
  for (const { body, end, name } of sectionsOf(text ?? "")) {
    const before = bodies.get(name);
    const own = text!.slice(body, end);
    bodies.set(name, before === undefined ? own : `${before.trimEnd()}\n${own}`);
  }
  return bodies;
}
