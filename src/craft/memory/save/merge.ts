/** How a run's observations change the store: pure (docs/spec/craft-run.md 5.4). */
import { CONCERNS, type Concern, keyOf, type Payload, ruleOf } from "../store/concerns.ts";
import { type Entries, type Entry, MOST_CONFIDENCE, noEntries, type Provenance } from "../store/entry.ts";

/** What a run saw of one thing, or that it is not so. */
export interface Observation {
  concern: Concern;
  payload: Payload;
  retract: boolean;
}

export interface Merged {
  entries: Record<Concern, Entry[]>;
  added: number;
  refreshed: number;
  decayed: number;
  retracted: number;
  evicted: number;
}

/**
 * The store after a run. `now` is what the store holds at this moment, `view` what it held when the run began: what came
 * in between from another run is neither decayed nor lost, and what another run took out stays out.
 */
export function mergeRun(
  now: Entries,
  view: Entries,
  observations: readonly Observation[],
  provenance: Provenance,
): Merged {
  const merged: Merged = {
    entries: noEntries(),
    ...{ added: 0, refreshed: 0, decayed: 0, retracted: 0, evicted: 0 },
  };
  for (const concern of CONCERNS) {
    const own = observations.filter((one) => one.concern === concern);
    const keyed = (retract: boolean) =>
      new Map(
        own
          .filter((one) => one.retract === retract)
          .map((one) => [keyOf(concern, one.payload), one.payload] as const),
      );
    const [seen, retracted] = [keyed(false), keyed(true)];
    const known = new Set(view[concern].map(({ payload }) => keyOf(concern, payload)));
    const kept = merged.entries[concern];
    const stored = new Set<string>();
    for (const entry of now[concern]) {
      const key = keyOf(concern, entry.payload);
      stored.add(key);
      const payload = seen.get(key);
      if (retracted.has(key)) merged.retracted++;
      else if (payload !== undefined) {
        merged.refreshed++;
        kept.push(refreshed(entry, payload, provenance));
      } else if (!known.has(key)) kept.push(entry);
      else {
        merged.decayed++;
        if (entry.confidence > 1) kept.push({ ...entry, confidence: entry.confidence - 1 });
        else merged.evicted++;
      }
    }
    for (const [key, payload] of seen) {
      if (stored.has(key) || retracted.has(key)) continue;
      merged.added++;
      kept.push({ concern, payload, confidence: 1, provenance });
    }
  }
  return merged;
}

function refreshed(entry: Entry, seen: Payload, provenance: Provenance): Entry {
  const improves = ruleOf(entry.concern).improves(entry.payload, seen);
  return {
    ...entry,
    payload: improves ? seen : entry.payload,
    confidence: Math.min(entry.confidence + 1, MOST_CONFIDENCE),
    provenance,
  };
}
