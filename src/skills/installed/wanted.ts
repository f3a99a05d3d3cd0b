import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { AGENT_NAMES, type AgentName } from "../agents/agents.ts";
import type { Manifest } from "../schema.ts";
import { type CommandPrefix, choosePrefix, PORTABLE } from "../source/prefix.ts";
import { renderSkill, sharedExtras } from "../source/render.ts";
import { findSkill, type Shipment } from "../source/shipment.ts";
import type { Wanted } from "./state.ts";

/**
 * What this program would write for an installed skill, with the choices its manifest records; an absolute prefix that
 * was not given by hand is computed anew. Undefined when the skill is not shipped. Throws as `choosePrefix`.
 */
export function wantedAgain(
  manifest: Manifest,
  directory: string,
  shipped: Shipment,
  host: Pick<Host, "cwd" | "env" | "platform">,
): Wanted | undefined {
  return wanted(manifest, prefixAgain(manifest.render, host, shipped), directory, shipped);
}

/** As `wantedAgain`, for looking only: where no prefix can be computed the recorded one stands. */
export function wantedForLooking(
  manifest: Manifest,
  directory: string,
  shipped: Shipment,
  host: Pick<Host, "cwd" | "env" | "platform">,
): Wanted | undefined {
  const { mode, command, bin_given: given } = manifest.render;
  try {
    return wantedAgain(manifest, directory, shipped, host);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return wanted(manifest, { mode, command, given }, directory, shipped);
  }
}

function wanted(
  manifest: Manifest,
  prefix: CommandPrefix,
  directory: string,
  shipped: Shipment,
): Wanted | undefined {
  const skill = findSkill(shipped, manifest.skill);
  if (skill === undefined) return undefined;
  const { host, strict, allow_readonly: allowReadonly } = manifest.render;
  const choice = { prefix, extras: sharedExtras(agentsOf(host)), strict, allowReadonly };
  return { skill, choice, files: renderSkill(skill, choice, shipped, directory) };
}

function prefixAgain(
  render: Manifest["render"],
  host: Pick<Host, "cwd" | "env" | "platform">,
  shipped: Shipment,
): CommandPrefix {
  if (render.mode === "portable") return PORTABLE;
  const bin = render.bin_given ? render.command : [];
  return choosePrefix({ bin, portable: false, byDefault: "absolute" }, host, shipped);
}

/** The agents a manifest names; names this program does not know count for nothing. */
export function agentsOf(recorded: string | null): AgentName[] {
  const names = recorded?.split(",") ?? [];
  return AGENT_NAMES.filter((name) => names.includes(name));
}
