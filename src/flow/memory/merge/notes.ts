import { isObject } from "../../../kernel/text/json.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { DEFAULT_CONFIDENCE, noteText } from "./bullet.ts";

/** Notes below it are dropped (docs/spec/flow.md 9.5). */
const LEAST_CONFIDENCE = 0.7;

export interface Note {
  /** As it was given, for sections of whole entries. */
  verbatim: string;
  /** On one line, without mark and suffix. */
  text: string;
  confidence: number;
  organic: boolean;
}

/** A note that does not count, and what is said of it. */
export interface DroppedNote {
  warning: string;
}

/** A field of a merge payload is not what it has to be; the message says which. */
export class PayloadProblem extends Error {}

/** The notes of a payload in order. Throws `PayloadProblem` when they are no list or a confidence is no number. */
export function parseNotes(value: unknown, field = "notes"): (Note | DroppedNote)[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new PayloadProblem(`${field} must be a list`);
  return value.map((entry, index) => parseNote(entry, `${field}[${index}]`));
}

function parseNote(entry: unknown, field: string): Note | DroppedNote {
  const given = typeof entry === "string" ? { text: entry } : entry;
  if (!isObject(given)) return malformed(entry);
  const confidence = confidenceOf(given["confidence"], field);
  const verbatim = given["text"];
  const text = typeof verbatim === "string" ? noteText(verbatim) : "";
  if (typeof verbatim !== "string" || text === "") return malformed(entry);
  if (confidence < LEAST_CONFIDENCE) {
    const why = `dropping note below confidence threshold (${LEAST_CONFIDENCE})`;
    return { warning: `Warning: ${why}: ${printable(text)}` };
  }
  return { verbatim, text, confidence, organic: given["provenance"] === "organic" };
}

function malformed(entry: unknown): DroppedNote {
  return { warning: `Warning: dropping malformed note entry: ${printable(JSON.stringify(entry))}` };
}

function confidenceOf(value: unknown, field: string): number {
  if (value === undefined) return DEFAULT_CONFIDENCE;
  const text = typeof value === "string" ? value.trim() : "";
  const number = typeof value === "number" ? value : text === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new PayloadProblem(`${field}.confidence must be a number, not ${printable(JSON.stringify(value))}`);
}
