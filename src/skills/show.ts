import { UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { unknownSkill } from "./source/names.ts";
import { computedPrefix, PORTABLE } from "./source/prefix.ts";
import { renderSkill } from "./source/render.ts";
import {
  ENTRY_FILE,
  findSkill,
  type Shipment,
  type Skill,
  shipmentWithApprovals,
} from "./source/shipment.ts";

/** Print one file of a skill, rendered for this binary or as it is embedded, or the edits of a copy (docs/spec/skills.md 4.2). */
export async function show(
  host: Host,
  shipped: Shipment,
  options: { name: string; file: string | undefined; raw: boolean; compare?: string | undefined },
): Promise<Outcome<null>> {
  const skill = findSkill(shipped, options.name);
  if (skill === undefined) throw unknownSkill(options.name, shipped);
  if (options.compare !== undefined) {
    if (options.raw) throw new UsageError("--compare and --raw exclude each other");
    const file = options.file === undefined ? undefined : pathOf(skill, options.file);
    const { compare } = await import("./compare.ts");
    // An installed copy may hold approvals, which are part of what was written.
    const whole = await shipmentWithApprovals(host);
    return compare(host, whole, { name: skill.name, file, directory: options.compare });
  }
  const path = pathOf(skill, options.file ?? ENTRY_FILE);
  const files = options.raw ? skill.files : rendered(skill, host, shipped);
  const text = files.find((file) => file.path === path)?.text ?? "";
  return { data: null, text: "", bytes: new TextEncoder().encode(text) };
}

function rendered(skill: Skill, host: Host, shipped: Shipment) {
  const prefix = shipped.executable === undefined ? PORTABLE : computedPrefix(host, shipped);
  return renderSkill(skill, { prefix, extras: [], strict: false, allowReadonly: false }, shipped);
}

/** `references/` may be left out. */
function pathOf(skill: Skill, asked: string): string {
  const paths = skill.files.map((file) => file.path);
  const found = [asked, `references/${asked}`].find((path) => paths.includes(path));
  if (found === undefined) {
    throw new UsageError(`${skill.name} has no file '${asked}'; its files are ${paths.join(", ")}`);
  }
  return found;
}
