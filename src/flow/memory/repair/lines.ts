/** A file under repair as lines that know where they stood (docs/spec/flow.md 9.6). */
import { linesOf, sectionsOf } from "../../common/sections.ts";
import { isBulletLine, splitSuffix } from "../merge/bullet.ts";

export interface RepairLine {
  text: string;
  /** Its place in the original while it stands where it stood; undefined once it was moved. */
  from: number | undefined;
  /** A bullet outside fenced code. */
  bullet: boolean;
}

export function repairLines(text: string): RepairLine[] {
  const lines = linesOf(text);
  // What follows the last newline is no line.
  if (lines.at(-1)!.text === "") lines.pop();
  return lines.map(({ fenced, text: line }, index) => ({
    text: line,
    from: index,
    bullet: !fenced && isBulletLine(line),
  }));
}

/** The text of lines; whether it ended in a newline is kept. */
export function textOfLines(lines: readonly RepairLine[], original: string): string {
  const text = lines.map((line) => line.text).join("\n");
  return text === "" || (original !== "" && !original.endsWith("\n")) ? text : `${text}\n`;
}

/** Places of a level-2 section in the lines: its heading, and one past its last line. */
export interface Span {
  heading: number;
  end: number;
}

/** Every level-2 section of the lines by name, in order. */
export function spansOf(lines: readonly RepairLine[]): Map<string, Span[]> {
  const starts = new Map<number, number>();
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    starts.set(offset, index);
    offset += line.text.length + 1;
  }
  const text = lines.map((line) => `${line.text}\n`).join("");
  const spans = new Map<string, Span[]>();
  for (const { end, name, start } of sectionsOf(text)) {
    const span = { heading: starts.get(start)!, end: starts.get(end) ?? lines.length };
    spans.set(name, [...(spans.get(name) ?? []), span]);
  }
  return spans;
}

/** A bullet with a chain of suffixes keeps the last. */
export function collapseSuffixes(line: RepairLine): RepairLine {
  if (!line.bullet) return line;
  const text = line.text.trimEnd();
  const last = splitSuffix(text);
  if (last.confidence === undefined) return line;
  let rest = last.text;
  for (let next = splitSuffix(rest); next.confidence !== undefined; next = splitSuffix(rest))
    rest = next.text;
  if (rest === last.text) return line;
  return { ...line, text: `${rest} ${text.slice(text.lastIndexOf("("))}` };
}
