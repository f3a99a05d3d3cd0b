/** What an intent is made of: read from an input, and looked at for judging (docs/spec/flow.md 11.4). */
import { UsageError } from "../../../kernel/call/errors.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { type Artifact, listAt, mapAt } from "../../artifact/read.ts";
import { type JsonMap, type JsonValue, writeLossless } from "../../common/lossless-json.ts";
import type { JudgedIntent } from "./readiness.ts";

const LISTS = ["non_goals", "constraints", "acceptance_criteria", "open_decisions"];

/** The fields an input gives, checked. Throws `UsageError` for a key that is not known and a value of another type. */
export function intentFields(input: JsonMap): [field: string, value: JsonValue][] {
  for (const [key, value] of input) {
    if (key === "goal") {
      if (value !== null && typeof value !== "string") throw wrong(key, "a text or null");
    } else if (!LISTS.includes(key)) {
      throw new UsageError(
        `unknown key ${printable(JSON.stringify(key))}; an intent has goal, ${LISTS.join(", ")}`,
      );
    } else if (
      !Array.isArray(value) ||
      !value.every((item) => typeof item === "string" || item instanceof Map)
    ) {
      throw wrong(key, "a list of texts or objects");
    }
  }
  return [...input];
}

function wrong(key: string, expected: string): UsageError {
  return new UsageError(`${key} must be ${expected}; nothing was stored`);
}

/** The intent of an artifact as it is judged. */
export function judgedIntent(artifact: Artifact): JudgedIntent {
  return {
    constraints: listAt(artifact, "intent.constraints").map(textOf),
    nonGoals: listAt(artifact, "intent.non_goals").map(textOf),
    criteria: listAt(artifact, "intent.acceptance_criteria").map((item) => ({
      text: textOf(item),
      id: idOf(item),
    })),
  };
}

/** Characters of the intent as it is stored. */
export function intentLength(artifact: Artifact): number {
  return [...writeLossless(mapAt(artifact, "intent"))].length;
}

/** What the recorded scenarios say: each text, and each text in an object. */
export function scenarioTexts(artifact: Artifact): string[] {
  return listAt(artifact, "traceability.verification").flatMap((entry) => {
    if (!(entry instanceof Map)) return typeof entry === "string" ? [entry] : [];
    const values = [...entry.values()].flatMap((value) => (Array.isArray(value) ? value : [value]));
    return values.filter((value) => typeof value === "string");
  });
}

const TEXT_KEYS = ["text", "criterion", "description", "title"];

function textOf(item: JsonValue): string {
  if (typeof item === "string") return item;
  if (!(item instanceof Map)) return writeLossless(item);
  const said = TEXT_KEYS.map((key) => item.get(key)).find((value) => typeof value === "string");
  return typeof said === "string" ? said : writeLossless(item);
}

function idOf(item: JsonValue): string | null {
  const id = item instanceof Map ? item.get("id") : undefined;
  return typeof id === "string" && id !== "" ? id : null;
}
