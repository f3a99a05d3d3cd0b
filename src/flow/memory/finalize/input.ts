import { UsageError } from "../../../kernel/call/errors.ts";
import { isObject } from "../../../kernel/text/json.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { type DroppedNote, type Note, PayloadProblem, parseNotes } from "../merge/notes.ts";
import { oneLine } from "../text/add.ts";

/** What a finished workflow leaves behind (docs/spec/flow.md 9.7). Texts are on one line. */
export interface FinalizeInput {
  learnings: (Note | DroppedNote)[];
  /** Learnings that the project keeps too. */
  promote: (Note | DroppedNote)[];
  patterns: (Note | DroppedNote)[];
  verification: string[];
  deferred: string[];
  retractions: string[];
  summary: string | undefined;
  tasks: string[] | undefined;
  debugResult: string | undefined;
}

const KEYS = [
  "learnings",
  "promote",
  "patterns",
  "verification",
  "deferred",
  "retractions",
  "summary",
  "tasks",
  "debug_result",
];

/** The input a text holds. Throws `UsageError` that names the field: a misspelt one would be lost. */
export function parseInput(text: string): FinalizeInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the input is not JSON: ${printable((error as Error).message)}`);
  }
  if (!isObject(value)) throw new UsageError("the input is JSON, but not an object");
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw new UsageError(`the input has an unknown field ${printable(JSON.stringify(unknown))}`, {
      hint: `fields: ${KEYS.join(", ")}`,
    });
  }
  try {
    return {
      learnings: parseNotes(value["learnings"], "learnings"),
      promote: parseNotes(value["promote"], "promote"),
      patterns: parseNotes(value["patterns"], "patterns"),
      verification: textsOf(value, "verification") ?? [],
      deferred: textsOf(value, "deferred") ?? [],
      retractions: textsOf(value, "retractions") ?? [],
      summary: textOf(value, "summary"),
      tasks: textsOf(value, "tasks"),
      debugResult: textOf(value, "debug_result"),
    };
  } catch (error) {
    if (error instanceof PayloadProblem) throw new UsageError(error.message);
    throw error;
  }
}

function textsOf(value: Record<string, unknown>, field: string): string[] | undefined {
  const list = value[field];
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) {
    throw new PayloadProblem(`${field} must be a list of strings`);
  }
  return list.map((one) => oneLine(one).trim()).filter((one) => one !== "");
}

function textOf(value: Record<string, unknown>, field: string): string | undefined {
  const text = value[field];
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string") throw new PayloadProblem(`${field} must be a string`);
  const line = oneLine(text).trim();
  return line === "" ? undefined : line;
}
