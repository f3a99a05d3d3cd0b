import { type BacklogEntry, IDENTIFIER, namesOf } from "./entries.ts";

const DEPENDS = new RegExp(
  String.raw`\b(?:depends on|depends:|after)\s+((?:[*${"`"}]*${IDENTIFIER}[*${"`"}]*(?:\s*(?:,|&|and)\s*)*)+)`,
  "gi",
);
const EACH = new RegExp(IDENTIFIER, "g");

/** Marks that keep an entry from an unattended run, and what they say. */
const MARKS: readonly (readonly [mark: RegExp, reason: string])[] = [
  [/\(unblocked when:/i, "waits: (unblocked when:"],
  [/\*\*Trigger:\*\*/i, "waits for its trigger"],
  [/\(blocked/i, "marked (blocked"],
  [/\[paid\]|paid eval/i, "costs money"],
  [/\[interactive\]|interactive-only/i, "needs a person"],
];

/** Entries that are not done, by each of their names. */
export type Pending = ReadonlyMap<string, readonly BacklogEntry[]>;

export function pendingOf(entries: readonly BacklogEntry[]): Pending {
  const pending = new Map<string, BacklogEntry[]>();
  for (const entry of entries) {
    if (entry.state === "done") continue;
    for (const name of namesOf(entry)) {
      const same = pending.get(name);
      if (same === undefined) pending.set(name, [entry]);
      else same.push(entry);
    }
  }
  return pending;
}

/** Why an entry cannot be started now; undefined when nothing says so (docs/spec/craft-run.md 8.3). */
export function whyBlocked(entry: BacklogEntry, pending: Pending): string | undefined {
  const heading = entry.headings.find((one) => /^(?:parked|condition-gated)\b/i.test(one));
  if (heading !== undefined) return `under the heading ${heading}`;
  for (const [mark, reason] of MARKS) if (mark.test(entry.raw)) return reason;
  // An id that no entry has is a word of the text, or was done and taken out.
  const waitsFor = dependenciesOf(entry.raw).find((id) => pending.get(id)?.some((other) => other !== entry));
  return waitsFor === undefined ? undefined : `depends on ${waitsFor}, which is not done`;
}

function dependenciesOf(text: string): string[] {
  return [...text.matchAll(DEPENDS)].flatMap(([, list]) => list!.match(EACH) ?? []);
}
