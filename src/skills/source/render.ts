import { type AgentName, type Extra, rowOf } from "../agents/agents.ts";
import { renderMatter, splitSkill } from "./front-matter.ts";
import { type CommandPrefix, renderPrefix } from "./prefix.ts";
import { byPath, ENTRY_FILE, type Shipment, type Skill, type SkillFile } from "./shipment.ts";

/** What decides a skill's text on disk, beside the source itself (docs/spec/skills.md 3). */
export interface RenderChoice {
  prefix: CommandPrefix;
  /** Front-matter keys of agents that every agent of the directory documents. */
  extras: readonly Extra[];
  /** Only the keys of the Agent Skills specification. */
  strict: boolean;
  allowReadonly: boolean;
}

/** Stands for the skill's directory where a text does not know it. */
export const DIRECTORY_PHRASE = "the directory that holds this SKILL.md";

/** The keys that all of these agents keep; none without agents. */
export function sharedExtras(agents: readonly AgentName[]): Extra[] {
  const [first, ...others] = agents;
  if (first === undefined) return [];
  return (rowOf(first).extras ?? []).filter((extra) =>
    others.every((other) => (rowOf(other).extras ?? []).includes(extra)),
  );
}

/** Every file of a skill as it is written to `directory` (undefined: nowhere in particular), sorted by path. */
export function renderSkill(
  skill: Skill,
  choice: RenderChoice,
  shipped: Pick<Shipment, "version" | "readOnly">,
  directory?: string,
): SkillFile[] {
  const prefix = renderPrefix(choice.prefix.command);
  const place = directoryText(choice.prefix.mode === "portable" ? undefined : directory);
  const values: Record<string, string> = { JIG: prefix, JIG_VERSION: shipped.version, SKILL_DIR: place };
  // One pass: a path that happens to hold a placeholder is not filled again.
  const fill = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  return skill.files
    .map((file) => ({
      path: file.path,
      text: fill(
        file.path === ENTRY_FILE
          ? renderEntry(file.text, choice, prefix, calledBy(skill, shipped.readOnly))
          : file.text,
      ),
    }))
    .sort(byPath);
}

function renderEntry(
  text: string,
  choice: RenderChoice,
  prefix: string,
  readOnly: Shipment["readOnly"],
): string {
  const { matter, body } = splitSkill(text);
  const allowed = choice.allowReadonly && choice.extras.includes("allowed-tools");
  if (allowed && readOnly === undefined) throw new Error("the read-only calls were not asked for");
  return (
    renderMatter(matter, {
      argumentHint: !choice.strict && choice.extras.includes("argument-hint"),
      allowedTools: allowed ? readonlyApprovals(prefix, readOnly!) : undefined,
    }) + body
  );
}

/** The calls that the skill's own text makes; a form that ends in ` *` stands for every call it begins. */
function calledBy(skill: Skill, calls: Shipment["readOnly"]): Shipment["readOnly"] {
  const text = skill.files.map((file) => file.text).join("\n");
  return calls?.filter((call) => {
    const words = call.endsWith(" *") ? call.slice(0, -2) : call;
    const ends = call.endsWith(" *") ? [" ", "\n", "`"] : ["\n", "`"];
    return ends.some((end) => text.includes(`{{JIG}} ${words}${end}`));
  });
}

/** A directory as it stands in prose; odd names are not worth a broken sentence. */
function directoryText(directory: string | undefined): string {
  if (directory === undefined || /[\u0000-\u001f\u007f`]|\{\{/.test(directory)) return DIRECTORY_PHRASE;
  return /^[A-Za-z]:[\\/]/.test(directory) ? directory.replaceAll("\\", "/") : directory;
}

/** The value of `allowed-tools`: each pattern is the exact prefix and words, and never covers more (4.6). */
function readonlyApprovals(prefix: string, calls: readonly string[]): string {
  return calls.map((call) => `Bash(${prefix} ${call})`).join(" ");
}
