/** The phases of a plan, as `phase load` takes them (docs/spec/flow.md 6.5). */
import { JigError } from "../../kernel/call/errors.ts";
import { printable } from "../../kernel/text/printable.ts";
import { CHECKPOINT_TYPES } from "../artifact/fields.ts";
import { typeName } from "../artifact/kinds.ts";
import type { JsonMap, JsonValue } from "../common/lossless-json.ts";
import { STEP_NAMES } from "../common/vocabulary.ts";
import { hasExitCriteria } from "./checks.ts";

const PHASE_ID = /^[A-Za-z][A-Za-z0-9._#-]{0,63}$/;
const TEXTS = ["title", "objective"];
/** Upstream's spellings stand beside jig's. */
const LISTS = [
  "inputs",
  "files",
  "files/surfaces",
  "expected_artifacts",
  "checks",
  "required_checks",
  "exit_criteria",
];

export interface PlanPhase {
  id: string;
  /** Every key it came with, and a checkpoint type. */
  phase: JsonMap;
}

/** Judge a list of phases. Throws `JigError` that names the element and the key. */
export function readPlanPhases(value: JsonValue, file: string, needsCriteria: boolean): PlanPhase[] {
  if (!Array.isArray(value)) throw wrong(file, `is ${typeName(value)}: expected a list of phases`);
  const seen = new Set<string>();
  return value.map((element, index) => {
    const at = `${file}: phase ${index + 1}`;
    if (!(element instanceof Map)) throw wrong(at, `is ${typeName(element)}: expected an object`);
    const id = readId(at, element, seen);
    checkMembers(`${at} (${id})`, element, needsCriteria);
    const phase: JsonMap = new Map(element);
    if (!phase.has("checkpoint_type")) phase.set("checkpoint_type", "none");
    return { id, phase };
  });
}

function readId(at: string, element: JsonMap, seen: Set<string>): string {
  const id = element.get("phase_id");
  if (typeof id !== "string" || !PHASE_ID.test(id)) {
    const found =
      id === undefined ? "is missing" : `is ${typeof id === "string" ? JSON.stringify(id) : typeName(id)}`;
    throw wrong(at, `phase_id ${found}: expected a letter, then letters, digits and ._#-, at most 64 in all`);
  }
  if (STEP_NAMES.includes(id)) throw wrong(at, `phase_id ${id} is the name of a step`);
  if (seen.has(id)) throw wrong(at, `phase_id ${id} stands twice`);
  seen.add(id);
  return id;
}

function checkMembers(at: string, phase: JsonMap, needsCriteria: boolean): void {
  for (const key of TEXTS) {
    const value = phase.get(key) ?? null;
    if (value !== null && typeof value !== "string")
      throw wrong(at, `${key} is ${typeName(value)}: expected a text`);
  }
  for (const key of LISTS) {
    const value = phase.get(key) ?? null;
    if (value !== null && !Array.isArray(value) && typeof value !== "string") {
      throw wrong(at, `${key} is ${typeName(value)}: expected a list`);
    }
  }
  const type = phase.get("checkpoint_type") ?? "none";
  if (typeof type !== "string" || !(CHECKPOINT_TYPES as readonly string[]).includes(type)) {
    const found = typeof type === "string" ? JSON.stringify(type) : typeName(type);
    throw wrong(at, `checkpoint_type is ${found}: expected one of ${CHECKPOINT_TYPES.join(", ")}`);
  }
  if (needsCriteria && !hasExitCriteria(phase)) {
    throw wrong(at, "exit_criteria is missing or empty: a planned workflow's phase says when it is done");
  }
}

function wrong(at: string, message: string): JigError {
  return new JigError(printable(`${at}: ${message}`), { hint: "nothing was changed" });
}
