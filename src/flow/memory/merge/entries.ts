import { linesOf } from "../../common/sections.ts";
import { isPointer, makePointer, parseBullet } from "./bullet.ts";
import type { Change, Merged } from "./combine.ts";

/**
 * A section of paragraphs, newest first: notes go before them as they are, in their order, and the cap keeps the first
 * ones (docs/spec/flow.md 9.5). Paragraphs that stay are not touched.
 */
export function combineEntries(body: string, { archivePath, cap, notes, retractions }: Change): Merged {
  const warnings: string[] = [];
  if (retractions.length > 0) warnings.push("Warning: retractions are ignored in a section of entries");
  const added: string[] = [];
  for (const note of notes) {
    if ("warning" in note) warnings.push(note.warning);
    else added.push(note.verbatim.trim());
  }
  const text = [...added, body.trim()].filter((part) => part !== "").join("\n\n");
  const entries = entriesOf(text);
  const counted = entries.filter(({ entry }) => !isPointerEntry(entry));
  const evicted = cap === undefined ? [] : counted.slice(cap);
  if (evicted.length === 0) return { text, evicted: [], retracted: [], warnings };
  const gone = new Set(evicted.map(({ start }) => start));
  const kept = entries.filter(({ start }) => !gone.has(start)).map(({ entry }) => entry);
  if (archivePath !== undefined) {
    const { identity, line } = makePointer(archivePath);
    if (!kept.some((entry) => isPointerEntry(entry) && parseBullet(entry).identity === identity))
      kept.push(line);
  }
  return { text: kept.join("\n\n"), evicted: evicted.map(({ entry }) => entry), retracted: [], warnings };
}

/** Paragraphs: what blank lines outside fenced code part. */
function entriesOf(text: string): { entry: string; start: number }[] {
  const entries: { entry: string; start: number }[] = [];
  let lines: string[] = [];
  let start = 0;
  const end = () => {
    if (lines.length > 0) entries.push({ entry: lines.join("\n"), start });
    lines = [];
  };
  for (const line of linesOf(text)) {
    if (!line.fenced && line.text.trim() === "") {
      end();
      continue;
    }
    if (lines.length === 0) start = line.start;
    lines.push(line.text);
  }
  end();
  return entries;
}

function isPointerEntry(entry: string): boolean {
  return !entry.includes("\n") && isPointer(parseBullet(entry));
}
