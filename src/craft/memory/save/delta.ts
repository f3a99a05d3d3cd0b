import type { Host } from "../../../kernel/call/host.ts";
import { isObject, type JsonObject, parseObject } from "../../../kernel/text/json.ts";
import { failure } from "../../common/fail.ts";
import { readPayload } from "../../common/input.ts";
import { isOneOf } from "../../common/vocabulary.ts";
import type { Dropped } from "../schema.ts";
import { CONCERNS, foldText, type Payload, ruleOf, type Scalar } from "../store/concerns.ts";
import { type Entries, isScalar, readEntries } from "../store/entry.ts";
import { NAME } from "../store/place.ts";
import { guardObservation, type Private } from "./guard.ts";
import type { Observation } from "./merge.ts";

/** Largest delta and view, in bytes. */
const MAX_BYTES = 8 << 20;

/** One item of a delta, of the right shape and nothing more. */
export interface DeltaItem {
  concern: string;
  payload: JsonObject;
  retract: boolean;
}

/** A delta from FILE, or `-`. Throws (exit 2) when it is not the right JSON shape, with the item that is not. */
export async function readDelta(host: Host, file: string): Promise<DeltaItem[]> {
  const text = await readPayload(host, NAME, { from: file }, { maxBytes: MAX_BYTES });
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch (error) {
    throw failure(NAME, `the delta is no JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(items))
    throw failure(NAME, "the delta must be a JSON array of { concern, payload, retract? }");
  return items.map((item: unknown, index) => {
    const bad = (what: string) => failure(NAME, `delta[${index}]: ${what}`);
    if (!isObject(item)) throw bad("must be an object { concern, payload, retract? }");
    const { concern, payload, retract = false } = item;
    if (typeof concern !== "string") throw bad("concern must be a string");
    if (!isObject(payload)) throw bad("payload must be an object");
    if (typeof retract !== "boolean") throw bad("retract must be true or false");
    return { concern, payload, retract };
  });
}

/** A view as `memory load` printed it. Throws (exit 2) when it is none. */
export async function readView(host: Host, file: string): Promise<{ entries: Entries; degraded: boolean }> {
  const view = parseObject(await readPayload(host, NAME, { from: file }, { maxBytes: MAX_BYTES }));
  if (view === undefined || !isObject(view["entries"]) || typeof view["degraded"] !== "boolean") {
    throw failure(NAME, `--view ${file}: not what memory load prints (an object with entries and degraded)`);
  }
  return { entries: readEntries(view["entries"]).entries, degraded: view["degraded"] };
}

/** The items that may be stored, and those that may not. */
export function guardDelta(
  items: readonly DeltaItem[],
  machine: Private,
): { observations: Observation[]; dropped: Dropped[] } {
  const observations: Observation[] = [];
  const dropped: Dropped[] = [];
  for (const { concern, payload, retract } of items) {
    const guarded = retract ? retraction(concern, payload) : guardObservation(concern, payload, machine);
    if (guarded.ok) observations.push({ concern: guarded.concern, payload: guarded.payload, retract });
    else dropped.push({ concern, payload, reason: guarded.reason });
  }
  return { observations, dropped };
}

/** A retraction needs the key's fields only; nothing of it is stored. */
function retraction(concern: string, given: JsonObject): ReturnType<typeof guardObservation> {
  if (!isOneOf(CONCERNS, concern)) return { ok: false, reason: "schema" };
  const payload: Record<string, Scalar> = {};
  for (const field of ruleOf(concern).key) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    if (!isScalar(value) || foldText(String(value)).trim() === "") return { ok: false, reason: "schema" };
    payload[field] = value;
  }
  return { ok: true, concern, payload: payload as Payload };
}
