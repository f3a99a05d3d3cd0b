import type { Host } from "../../kernel/call/host.ts";
import { assetText, listAssets } from "../../runtime/assets.ts";
import { buildInfo, jigVersion } from "../../runtime/build-info.ts";

/** One file of a skill, by its path below the skill's root. */
export interface SkillFile {
  path: string;
  text: string;
}

/** A skill as it is embedded, placeholders intact. */
export interface Skill {
  /** The installed directory and the `name` of its front matter: `jig-show`. */
  name: string;
  /** The name without the prefix: `show`. */
  id: string;
  files: readonly SkillFile[];
}

/** What this program ships: the skills, and the facts their texts are rendered with. Tests make others. */
export interface Shipment {
  version: string;
  /** The running executable; undefined when run from source, where there is no stable binary. */
  executable: string | undefined;
  skills: readonly Skill[];
  /** The calls that `--allow-readonly` approves; undefined where nobody needs them. */
  readOnly?: readonly string[];
}

const FOLDER = "skills";
export const PREFIX = "jig-";
export const ENTRY_FILE = "SKILL.md";

/** The embedded skills, sorted by name. A skill is a folder of `skills/` with a `SKILL.md`. */
export function shipment(): Shipment {
  const skills = new Map<string, SkillFile[]>();
  for (const asset of listAssets(FOLDER)) {
    const [, name, ...rest] = asset.split("/");
    if (name === undefined || rest.length === 0) continue;
    const files = skills.get(name) ?? [];
    files.push({ path: rest.join("/"), text: assetText(asset) });
    skills.set(name, files);
  }
  return {
    ...surroundings(),
    skills: [...skills]
      .filter(([, files]) => files.some((file) => file.path === ENTRY_FILE))
      .map(([name, files]) => ({ name, id: idOf(name), files: files.sort(byPath) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** The shipment for a verb that may write approvals: with the calls that only read, which every room must be asked for. */
export async function shipmentWithApprovals(host: Pick<Host, "catalogue">): Promise<Shipment> {
  return { ...shipment(), readOnly: await (await host.catalogue()).readOnlyCalls() };
}

/** The text of one embedded `SKILL.md` without reading the others; undefined for an unknown skill. */
export function embeddedEntry(nameOrId: string): string | undefined {
  const name = fullName(nameOrId);
  if (!/^[a-z0-9-]+$/.test(name)) return undefined;
  try {
    return assetText(`${FOLDER}/${name}/${ENTRY_FILE}`);
  } catch {
    return undefined;
  }
}

/** The version texts are rendered with. */
export function shippedVersion(): string {
  return jigVersion();
}

function surroundings(): Pick<Shipment, "version" | "executable"> {
  const { version, compiled, executable } = buildInfo();
  return { version, executable: compiled ? executable : undefined };
}

/** Paths compared by code point, so that the order never depends on the locale. */
export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** The installed name for an id or a full name. */
export function fullName(nameOrId: string): string {
  return nameOrId.startsWith(PREFIX) ? nameOrId : PREFIX + nameOrId;
}

function idOf(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

/** A skill by id or full name; undefined when it is not shipped. */
export function findSkill(shipped: Shipment, nameOrId: string): Skill | undefined {
  const name = fullName(nameOrId);
  return shipped.skills.find((skill) => skill.name === name);
}

/** The text of a skill's `SKILL.md`. */
export function entryText(skill: Skill): string {
  return skill.files.find((file) => file.path === ENTRY_FILE)?.text ?? "";
}
