import { findSection, linesOf } from "../../common/sections.ts";
import { type Bullet, isBulletLine, parseBullet } from "./bullet.ts";
import { type Change, type Combined, combine, type Merged } from "./combine.ts";
import { combineEntries } from "./entries.ts";

export type Unit = "bullets" | "entries";

/**
 * A file's text with only one section's body replaced; undefined when it has no such section. What is outside the body
 * stays byte for byte (docs/spec/flow.md 9.5).
 */
export function mergeSection(text: string, name: string, change: Change, unit: Unit): Merged | undefined {
  const section = findSection(text, name);
  if (section === undefined) return undefined;
  const body = text.slice(section.body, section.end);
  const merged = unit === "entries" ? combineEntries(body, change) : mergeBullets(body, change);
  const head = text.slice(0, section.body);
  return {
    ...merged,
    text: `${head}${head.endsWith("\n") ? "" : "\n"}${merged.text}\n${text.slice(section.end)}`,
  };
}

/** What is no bullet comes first, then one blank line, then the bullets. */
function mergeBullets(body: string, change: Change): Merged {
  const { bullets, others } = partsOf(body);
  const combined = combine(bullets, change);
  const list = combined.bullets.map(({ line }) => line);
  return {
    text: [trimmed(others), trimmed(list)].filter((part) => part !== "").join("\n\n"),
    ...told(combined),
  };
}

function told({ evicted, retracted, warnings }: Combined): Omit<Merged, "text"> {
  return {
    evicted: evicted.map(({ line }) => line),
    retracted: retracted.map(({ identity }) => identity),
    warnings,
  };
}

/**
 * Lines without white space at both ends. Only a first line that is indented code keeps its blanks: without them it
 * could open a fence, and change what the lines after it are.
 */
function trimmed(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return "";
  const text = lines.slice(first).join("\n").trimEnd();
  return text.startsWith("    ") || text.startsWith("\t") ? text : text.trimStart();
}

/** A list in fenced code is code. */
function partsOf(body: string): { bullets: Bullet[]; others: string[] } {
  const bullets: Bullet[] = [];
  const others: string[] = [];
  for (const { fenced, text } of linesOf(body)) {
    if (!fenced && isBulletLine(text)) bullets.push(parseBullet(text));
    else others.push(text);
  }
  return { bullets, others };
}

/**
 * A body alone, which may be too wide a span: the lines from its first bullet to its last are replaced in place, those
 * among them that are no bullets follow; what is outside stays.
 */
export function mergeSpan(body: string, change: Change, unit: Unit): Merged {
  if (unit === "entries") return combineEntries(body, change);
  const lines = linesOf(body);
  const isBullet = lines.map(({ fenced, text }) => !fenced && isBulletLine(text));
  const first = isBullet.indexOf(true);
  const [start, end] = first === -1 ? endOf(lines) : [first, isBullet.lastIndexOf(true) + 1];
  const texts = lines.map(({ text }) => text);
  const span = texts.slice(start, end);
  const combined = combine(span.filter((_, index) => isBullet[start + index]).map(parseBullet), change);
  const others = span.filter((_, index) => !isBullet[start + index]);
  return {
    text: [
      ...texts.slice(0, start),
      ...combined.bullets.map(({ line }) => line),
      ...others,
      ...texts.slice(end),
    ].join("\n"),
    ...told(combined),
  };
}

/** Where bullets go when there are none: at the end, before what follows its last newline. */
function endOf(lines: readonly { text: string }[]): [number, number] {
  const at = lines.at(-1)!.text === "" ? lines.length - 1 : lines.length;
  return [at, at];
}
