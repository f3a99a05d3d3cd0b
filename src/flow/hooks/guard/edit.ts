import type { HookAnswer } from "../hook.ts";
import { hookMode } from "../mode.ts";
import { Confinement } from "./confinement.ts";
import { attempt, decide } from "./deny.ts";
import type { Guard } from "./guard.ts";
import { type Place, permitOf, placeOf } from "./places.ts";
import { SkillsInFlight } from "./skills.ts";
import { resolveTarget } from "./target.ts";
import type { Violation, ViolationName } from "./texts.ts";

/** Judge a tool that writes the file it names (docs/spec/flow.md 15.3). */
export async function guardEdit(guard: Guard, path: string): Promise<HookAnswer | undefined> {
  const { cwd, hook, projects, session } = guard;
  const { host } = hook;
  const target = await attempt(guard, () => resolveTarget(cwd ?? projects[0]?.root ?? host.cwd, path));
  if (target === undefined) return undefined;
  const named = (name: ViolationName): Violation => ({ name, path: target.real });
  const place = await attempt(guard, () => placeOf(target, projects));
  const always: Violation[] = [];
  if (cwd !== undefined) {
    const confinement = new Confinement(host, cwd, session, projects);
    const inside = await attempt(
      guard,
      () => confinement.holds(target.real) || confinement.grantsElsewhere(target.real),
    );
    if (inside === false) always.push(named("worktree-confinement"));
  }
  const owned =
    place === undefined ? undefined : await attempt(guard, () => ownerOf(place, new SkillsInFlight()));
  if (owned !== undefined) always.push(named(owned));
  const isMemory = place?.kind === "memory" || place?.kind === "permit";
  const permitted = isMemory && (await attempt(guard, () => isPermitted(place))) === true;
  return decide(guard, {
    tool: "edit",
    about: { path: target.real },
    always,
    byMode: isMemory && !permitted ? [named("memory-write")] : [],
    mode: () => hookMode(host, "memoryWrites", guard.roots),
    permitted: permitted ? [named("memory-write")] : [],
    written: [target.real],
  });
}

/** The reason for a file that only another tool writes; undefined for all others. */
export function ownerOf(place: Place, skills: SkillsInFlight): ViolationName | undefined {
  if (place.kind === "ledger") return "skill-ledger-write";
  if (place.kind === "gates") return "reliability-gates-write";
  return place.kind === "skill" && skills.has(place) ? "skill-promotion-path" : undefined;
}

/** For a workflow's own tier the permit has to be that workflow's; for the others its presence is enough. */
function isPermitted(place: Place): boolean {
  const permit = permitOf(place.project);
  if (permit === undefined) return false;
  return place.kind !== "memory" || place.workflow === undefined || permit === place.workflow;
}
