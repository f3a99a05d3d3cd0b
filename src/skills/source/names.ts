import { UsageError } from "../../kernel/call/errors.ts";
import { findSkill, type Shipment, type Skill } from "./shipment.ts";

/** The named skills, by id or full name; all of them without names. Throws `UsageError` that lists the valid ones. */
export function chosenSkills(shipped: Shipment, names: readonly string[]): Skill[] {
  if (names.length === 0) return [...shipped.skills];
  const found = names.map((name) => {
    const skill = findSkill(shipped, name);
    if (skill === undefined) throw unknownSkill(name, shipped);
    return skill;
  });
  return shipped.skills.filter((skill) => found.includes(skill));
}

export function unknownSkill(name: string, shipped: Shipment): UsageError {
  return new UsageError(
    `unknown skill '${name}'; expected one of ${shipped.skills.map(({ id }) => id).join(", ")}`,
  );
}
