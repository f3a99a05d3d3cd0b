import { statSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import { absoluteFrom } from "../../../kernel/files/contain.ts";
import { nearest } from "../../../kernel/text/nearest.ts";
import { shown } from "../../common/problem.ts";
import { ROLES } from "../../common/vocabulary.ts";
import type { Entry, Manifest } from "../../manifest/manifest.ts";
import { child, stringOf } from "../../manifest/nodes.ts";
import type { Phase, Refusal } from "./phase.ts";

const BUILT_IN = "craft:";

/** The roles of effective phases that lead to no agent (docs/spec/craft-engine.md 6.6). */
export function roleRefusals(host: Host, phases: readonly Phase[], manifest: Manifest): Refusal[] {
  const registered = new Set<string>(manifest.agents);
  for (const { node } of [...manifest.registered, ...manifest.inserts] satisfies Entry[]) {
    const role = stringOf(child(node, "role"));
    if (role !== undefined) registered.add(role);
  }
  const refusals: Refusal[] = [];
  for (const { descriptor, block, entry } of phases) {
    const { id, role } = descriptor;
    if (role === undefined) continue;
    if (role.startsWith(BUILT_IN) ? isBuiltIn(host, role.slice(BUILT_IN.length)) : registered.has(role))
      continue;
    const at = child(block, "role") ?? child(entry?.node, "role");
    refusals.push({
      message: shown`phases.${id}.role: "${role}" does not resolve to an installed agent`,
      hint: hintFor(role),
      ...(at === undefined ? {} : { at }),
    });
  }
  return refusals;
}

function isBuiltIn(host: Host, name: string): boolean {
  if ((ROLES as readonly string[]).includes(name)) return true;
  if (name === "" || /[/\\:\0]/.test(name)) return false;
  const root = host.env["CRAFT_ROOT"] || host.env["CLAUDE_PLUGIN_ROOT"];
  if (root === undefined || root === "") return false;
  try {
    const file = join(absoluteFrom(host.cwd, root), "agents", `${name}.md`);
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

function hintFor(role: string): string {
  if ((ROLES as readonly string[]).includes(role)) return `did you mean ${BUILT_IN}${role}?`;
  if (!role.startsWith(BUILT_IN)) return "register it under extends.agents";
  const name = role.slice(BUILT_IN.length);
  const meant = name.length > 60 ? undefined : nearest(name, ROLES);
  return meant === undefined ? `expected one of ${ROLES.join(", ")}` : `did you mean ${BUILT_IN}${meant}?`;
}
