/** What a finalization does to each memory file: texts in, texts out (docs/spec/flow.md 9.7). */
import { findSection, linesOf } from "../../common/sections.ts";
import { isBulletLine } from "../merge/bullet.ts";
import type { Change, Merged } from "../merge/combine.ts";
import { mergeSection } from "../merge/section.ts";
import { appendBullet } from "../text/add.ts";

/** A change of a text whose sections are all there. */
export type Edit = (text: string) => string;

/** Notes of a finalization, merged into a section without a cap; what became of them is given to `merged`. */
export function mergeEdit(
  section: string,
  change: Pick<Change, "notes" | "retractions">,
  merged: (merged: Merged) => void,
): Edit {
  return (text) => {
    const whole = { ...change, cap: undefined, archivePath: undefined };
    const made = mergeSection(text, section, whole, "bullets");
    if (made !== undefined) merged(made);
    return must(made?.text, section);
  };
}

export function bulletEdit(section: string, content: string): Edit {
  return (text) => must(appendBullet(text, section, content), section);
}

/** A section's whole body is these bullets. */
export function bodyEdit(section: string, bullets: readonly string[]): Edit {
  return (text) => {
    const found = findSection(text, section);
    if (found === undefined) return must(undefined, section);
    const body = bullets.map((one) => `- ${one}\n`).join("");
    return `${endedLine(text.slice(0, found.body))}${body}\n${text.slice(found.end)}`;
  };
}

export const MOST_COMPLETED = 10;

/** The newest bullets of a section stay; the older ones are given to `evicted`. */
export function newestEdit(section: string, most: number, evicted: (lines: string[]) => void): Edit {
  return (text) => {
    const found = findSection(text, section);
    if (found === undefined) return text;
    const lines = linesOf(text.slice(found.body, found.end));
    const bullets = lines.filter(({ fenced, text: line }) => !fenced && isBulletLine(line));
    const old = new Set(bullets.slice(0, Math.max(0, bullets.length - most)));
    evicted([...old].map(({ text: line }) => line));
    if (old.size === 0) return text;
    const kept = lines.filter((line) => !old.has(line)).map(({ text: line }) => line);
    return text.slice(0, found.body) + kept.join("\n") + text.slice(found.end);
  };
}

/** A bullet below the last line that marks the beginning of this bug hunt; at the end without one. Once. */
export function debugResultEdit(wf: string, result: string): Edit {
  const [section, mark, bullet] = ["Recent Changes", `[DEBUG-RESET: wf:${wf}]`, `- ${result}`];
  return (text) => {
    const found = findSection(text, section);
    const lines = found === undefined ? [] : linesOf(text.slice(found.body, found.end));
    const at = lines.findLastIndex(({ text: line }) => line.includes(mark));
    if (found === undefined || at === -1) return must(appendBullet(text, section, result), section);
    if (lines.slice(at + 1).some(({ text: line }) => line.trim() === bullet)) return text;
    const { start, text: line } = lines[at]!;
    const below = found.body + start + line.length;
    return `${text.slice(0, below)}\n${bullet}${text.slice(below)}`;
  };
}

/** The lines that named this workflow's task go: they mean nothing in another session. */
export function taskIdEdit(wf: string): Edit {
  return (text) => {
    const found = findSection(text, "References");
    if (found === undefined) return text;
    const lines = linesOf(text.slice(found.body, found.end)).map(({ text: line }) => line);
    const kept = lines.filter((line) => !isTaskId(line, wf));
    if (kept.length === lines.length) return text;
    return text.slice(0, found.body) + kept.join("\n") + text.slice(found.end);
  };
}

function isTaskId(line: string, wf: string): boolean {
  if (!/\[(?:craftflow|cc10x)-internal\] memory_task_id:/.test(line)) return false;
  return line.split(/[^A-Za-z0-9._-]+/).includes(wf);
}

/** A line that begins like this is replaced, else added as the last of its section (or as the first). */
export function lineEdit(
  section: string,
  begin: string,
  line: string,
  place: "first" | "last" = "last",
): Edit {
  return (text) => {
    const found = findSection(text, section);
    if (found === undefined) return must(undefined, section);
    const lines = linesOf(text.slice(found.body, found.end));
    const old = lines.find(({ text: one }) => one.startsWith(begin));
    if (old !== undefined) {
      const at = found.body + old.start;
      return text.slice(0, at) + line + text.slice(at + old.text.length);
    }
    if (place === "last") return must(appendBullet(text, section, line.replace(/^- /, "")), section);
    return `${endedLine(text.slice(0, found.body))}${line}\n${text.slice(found.body)}`;
  };
}

function endedLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** Every file is healed before it is changed, so a section that is not there is a fault of ours. */
function must(text: string | undefined, section: string): string {
  if (text === undefined) throw new TypeError(`no section ${section} in a healed file`);
  return text;
}
