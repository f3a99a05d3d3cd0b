import type { Box } from "../../kernel/shared/annotate-wire.ts";
import type { Anchor } from "../types.ts";
import { createSearch, type Found, isStill, type Search } from "./find-target.ts";

/** Where the targets of all notes of this screen are, found together: one pass reads the page once (15.10). */
export interface Tracker {
  /** Look at those not looked at yet, all in one pass, and forget the others. */
  follow(wanted: readonly { key: string; anchor: Anchor; place: Box | null }[]): void;
  /** Null: lost, or not followed. */
  found(key: string): Tracked | null;
  /** The page changed: what is lost, doubtful or another thing now is looked for again. True when anything differs. */
  refresh(): boolean;
}

export interface Tracked {
  key: string;
  anchor: Anchor;
  found: Found | null;
  /** A region's place in its container. */
  place: Box | null;
}

export function createTracker(located: (tracked: Tracked) => void): Tracker {
  const entries = new Map<string, Tracked>();

  const look = (list: readonly Tracked[]): boolean => {
    if (list.length === 0) return false;
    const search: Search = createSearch();
    let changed = false;
    for (const entry of list) {
      const before = entry.found;
      entry.found = search.find(entry.anchor);
      changed ||= before?.element !== entry.found?.element || before?.sure !== entry.found?.sure;
      if (entry.found !== null) located(entry);
    }
    return changed;
  };

  return {
    follow(wanted) {
      const keys = new Set(wanted.map(({ key }) => key));
      for (const key of entries.keys()) if (!keys.has(key)) entries.delete(key);
      const fresh: Tracked[] = [];
      for (const { key, anchor, place } of wanted) {
        const known = entries.get(key);
        if (known !== undefined) {
          // Refreshed by another tab: what is found here stays found.
          known.anchor = anchor;
          continue;
        }
        const entry: Tracked = { key, anchor, found: null, place };
        entries.set(key, entry);
        fresh.push(entry);
      }
      look(fresh);
    },
    found: (key) => entries.get(key) ?? null,
    refresh() {
      const due = [...entries.values()].filter(
        ({ found }) => found === null || !found.sure || !isStill(found),
      );
      return look(due);
    },
  };
}
