import { type BacklogEntry, entriesWithId, IDENTIFIER } from "./entries.ts";

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

/** Why an entry cannot be started now; undefined when nothing says so (docs/spec/craft-run.md 8.3). */
export function whyBlocked(entry: BacklogEntry, all: readonly BacklogEntry[]): string | undefined {
  const heading = entry.headings.find((one) => /^(?:parked|condition-gated)\b/i.test(one));
  if (heading !== undefined) return `under the heading ${heading}`;
  for (const [mark, reason] of MARKS) if (mark.test(entry.raw)) return reason;
  const waitsFor = dependenciesOf(entry.raw).find((id) =>
    // An id that no entry has is a word of the text, or was done and taken out.
    entriesWithId(all, id).some((other) => other !== entry && other.state !== "done"),
  );
  return waitsFor === undefined ? undefined : `depends on ${waitsFor}, which is not done`;
}

function dependenciesOf(text: string): string[] {
  return [...text.matchAll(DEPENDS)].flatMap(([, list]) => list!.match(EACH) ?? []);
}
