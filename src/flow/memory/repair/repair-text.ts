/** The repair of each file (docs/spec/flow.md 9.6): lines in, lines out. */
import type { MemoryFile } from "../../common/layout.ts";
import { splitSuffix } from "../merge/bullet.ts";
import { LAST_UPDATED } from "../text/files.ts";
import { collapseSuffixes, type RepairLine, repairLines, spansOf, textOfLines } from "./lines.ts";

export interface RepairReport {
  /** Bullets that stood below the last heading. */
  moved: number;
  /** Bullets that stood in a section they do not belong to. */
  relocated: number;
  /** Bullets over the cap. */
  evicted: number;
  /** Lines that mean nothing any more, and repetitions. */
  removed: number;
  bullets_before: number;
  bullets_after: number;
  zero_data_loss_ok: boolean;
}

export interface Repaired {
  text: string;
  lines: RepairLine[];
  report: RepairReport;
  evicted: string[];
}

/** A heading that the repair needs is not there. */
export class MissingHeading extends Error {}

const MOST_BULLETS = 60;
/** Headings of patterns.md that were once written without their mark. */
const BARE_HEADINGS = ["API Patterns", "Error Handling", "Dependencies", "Project SKILL_HINTS"];

/** Throws `MissingHeading`. */
export function repairText(file: MemoryFile, original: string): Repaired {
  const before = repairLines(original);
  const counts = { moved: 0, relocated: 0, evicted: 0, removed: 0 };
  const evicted: string[] = [];
  const lines =
    file === "activeContext.md"
      ? repairContext(before, counts)
      : repairLists(file === "patterns.md", before, counts, evicted);
  const [bullets_before, bullets_after] = [before, lines].map(
    (list) => list.filter(({ bullet }) => bullet).length,
  );
  return {
    text: textOfLines(lines, original),
    lines,
    evicted,
    report: {
      ...counts,
      bullets_before: bullets_before!,
      bullets_after: bullets_after!,
      zero_data_loss_ok: bullets_before === bullets_after! + counts.evicted + counts.removed,
    },
  };
}

interface Counts {
  moved: number;
  relocated: number;
  evicted: number;
  removed: number;
}

/** Bullets that lost their section return to the list they belong to, which then is capped. */
function repairLists(
  isPatterns: boolean,
  before: readonly RepairLine[],
  counts: Counts,
  evicted: string[],
): RepairLine[] {
  const section = isPatterns ? "Common Gotchas" : "Completed";
  const lines = isPatterns ? withHeadings(before) : [...before];
  const spans = spansOf(lines);
  requireHeadings(spans, [section, LAST_UPDATED]);
  const taken = new Set<number>();
  const last = spans.get(LAST_UPDATED)!.at(-1)!;
  for (let index = last.heading + 1; index < last.end; index++) {
    if (lines[index]!.bullet) taken.add(index);
  }
  counts.moved = taken.size;
  for (const { end, heading } of isPatterns ? BARE_HEADINGS.flatMap((name) => spans.get(name) ?? []) : []) {
    for (let index = heading + 1; index < end; index++) {
      if (lines[index]!.bullet && !isSingleToken(lines[index]!.text)) taken.add(index);
    }
  }
  counts.relocated = taken.size - counts.moved;
  const returned = [...taken].sort((a, b) => a - b).map((index) => ({ ...lines[index]!, from: undefined }));
  const place = endOfList(lines, spans.get(section)![0]!);
  const repaired = [
    ...lines.slice(0, place).filter((_, index) => !taken.has(index)),
    ...returned,
    ...lines.slice(place).filter((_, index) => !taken.has(place + index)),
  ].map(collapseSuffixes);
  return capped(repaired, section, counts, evicted);
}

/** Lines that are the bare name of a heading regain its mark. */
function withHeadings(lines: readonly RepairLine[]): RepairLine[] {
  return lines.map((line) =>
    BARE_HEADINGS.includes(line.text.trimEnd()) ? { ...line, text: `## ${line.text.trimEnd()}` } : line,
  );
}

function requireHeadings(spans: ReadonlyMap<string, unknown>, names: readonly string[]): void {
  const missing = names.find((name) => !spans.has(name));
  if (missing !== undefined) throw new MissingHeading(`'## ${missing}' heading not found`);
}

function isSingleToken(bullet: string): boolean {
  return !/\s/.test(splitSuffix(bullet.trim().slice(2).trim()).text);
}

/** Behind the last line of a section that is not blank. */
function endOfList(lines: readonly RepairLine[], { end, heading }: { heading: number; end: number }): number {
  let place = end;
  while (place > heading + 1 && lines[place - 1]!.text.trim() === "") place--;
  return place;
}

function capped(lines: RepairLine[], section: string, counts: Counts, evicted: string[]): RepairLine[] {
  const { end, heading } = spansOf(lines).get(section)![0]!;
  const bullets = lines.slice(heading + 1, end).filter(({ bullet }) => bullet);
  const gone = new Set(bullets.slice(0, Math.max(0, bullets.length - MOST_BULLETS)));
  counts.evicted = gone.size;
  evicted.push(...[...gone].map(({ text }) => text));
  return lines.filter((line) => !gone.has(line));
}

const TASK_ID = /^- \[cc10x-internal\] memory_task_id:/;
const PLAN = /^- Plan: `[^`]*`$/;

function repairContext(before: readonly RepairLine[], counts: Counts): RepairLine[] {
  const spans = spansOf(before);
  requireHeadings(spans, ["References"]);
  const references = spans.get("References")!;
  const seen = new Set<string>();
  const isRepeated = ({ bullet, text }: RepairLine, index: number): boolean => {
    const line = text.trim();
    const isInside = references.some(({ end, heading }) => index > heading && index < end);
    if (!bullet || !isInside || !PLAN.test(line)) return false;
    if (seen.has(line)) return true;
    seen.add(line);
    return false;
  };
  const lines = before.filter(
    (line, index) => !(line.bullet && TASK_ID.test(line.text.trim())) && !isRepeated(line, index),
  );
  counts.removed = before.length - lines.length;
  return lines;
}
