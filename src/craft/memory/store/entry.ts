import { byCodePoint } from "../../../kernel/text/code-point-order.ts";
import { isObject, type JsonObject } from "../../../kernel/text/json.ts";
import { CONCERNS, type Concern, keyOf, type Payload, ruleOf, type Scalar } from "./concerns.ts";

export const MOST_CONFIDENCE = 5;

/** Which run saw it last. Hand-edited stores may leave parts out. */
export interface Provenance {
  run?: Scalar;
  commit?: Scalar;
  date?: Scalar;
}

/** One fact of the store. */
export interface Entry {
  concern: Concern;
  payload: Payload;
  /** 1 to 5. */
  confidence: number;
  provenance: Provenance;
}

/** The facts of every concern, in file order. */
export type Entries = Readonly<Record<Concern, readonly Entry[]>>;

export function noEntries(): Record<Concern, Entry[]> {
  return { toolchain: [], "gate-cmd": [], "validation-tool": [], findings: [], "part-sizing": [] };
}

/** An entry as JSON and YAML have it, keys in the store's order. */
export function entryRecord({ concern, payload, confidence, provenance }: Entry): JsonObject {
  return { concern, ...payload, confidence, provenance };
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** What a mapping of the concerns holds: what is no list or no object is not there. */
export interface ReadEntries {
  entries: Record<Concern, Entry[]>;
  /** Objects that are no valid entry, with their concern. */
  evicted: JsonObject[];
}

/** Read entries from a mapping, of a store or of a view (docs/spec/craft-run.md 5.3). */
export function readEntries(root: JsonObject): ReadEntries {
  const read: ReadEntries = { entries: noEntries(), evicted: [] };
  for (const concern of CONCERNS) {
    const list = Object.hasOwn(root, concern) ? root[concern] : undefined;
    if (!Array.isArray(list)) continue;
    const byKey = new Map<string, Entry>();
    for (const item of list.filter(isObject)) {
      const entry = entryOf(concern, item);
      if (entry === undefined) {
        read.evicted.push({ ...item, concern });
        continue;
      }
      if (entry.confidence <= 0) continue;
      const key = keyOf(concern, entry.payload);
      const known = byKey.get(key);
      if (known === undefined || isBetter(entry, known)) byKey.set(key, entry);
    }
    read.entries[concern] = [...byKey.values()];
  }
  return read;
}

function entryOf(concern: Concern, item: JsonObject): Entry | undefined {
  const rule = ruleOf(concern);
  const payload: Record<string, Scalar> = {};
  for (const field of rule.fields) {
    const value = Object.hasOwn(item, field) ? item[field] : undefined;
    if (value === undefined || value === null) continue;
    if (!isScalar(value)) return undefined;
    payload[field] = value;
  }
  if (!rule.isValid(payload)) return undefined;
  const { confidence } = item;
  const whole = typeof confidence === "number" && Number.isInteger(confidence) ? confidence : 1;
  return {
    concern,
    payload,
    confidence: Math.min(whole, MOST_CONFIDENCE),
    provenance: provenanceOf(item["provenance"]),
  };
}

function provenanceOf(value: unknown): Provenance {
  const provenance: Provenance = {};
  if (!isObject(value)) return provenance;
  for (const field of ["run", "commit", "date"] as const) {
    const part = Object.hasOwn(value, field) ? value[field] : undefined;
    if (isScalar(part)) provenance[field] = part;
  }
  return provenance;
}

/** Of two entries with one key the surer one counts, then the newer one. */
function isBetter(a: Entry, b: Entry): boolean {
  if (a.confidence !== b.confidence) return a.confidence > b.confidence;
  return byCodePoint(dateOf(a), dateOf(b)) > 0;
}

/** The date of an entry; an empty text, older than all, when it has none. */
export function dateOf({ provenance }: Entry): string {
  return String(provenance.date ?? "");
}
