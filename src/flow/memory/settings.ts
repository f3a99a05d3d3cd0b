import { join } from "node:path";
import { statIfThere } from "../../kernel/files/look.ts";
import { layoutOf } from "../common/layout.ts";
import { linesOf, sectionsOf } from "../common/sections.ts";
import { MAX_MEMORY_BYTES, readStateText } from "../common/state-file.ts";
import { appendBullet, appendLine } from "./text/add.ts";

/** What `## Session Settings` says (docs/spec/flow.md 7.3). */
export interface SessionSettings {
  /** JUST_GO: at least one `AUTO_PROCEED` line, and all of them say true. */
  justGo: boolean;
  /** Every setting; where a key stands twice, its last value. */
  settings: Record<string, string>;
  warnings: string[];
}

export const SESSION_SETTINGS = "Session Settings";
const AUTO_PROCEED = "AUTO_PROCEED";
const SETTING = /^(?:- +)?([A-Za-z][A-Za-z0-9_]*):(.*)$/s;

/** The settings of a project's sessions. Throws `StateFileError` for a file that cannot be read as text. */
export function readSessionSettings(root: string): SessionSettings {
  const path = join(layoutOf(root).projectMemory, "activeContext.md");
  if (statIfThere(path) === undefined) return sessionSettings("");
  return sessionSettings(readStateText(root, path, MAX_MEMORY_BYTES));
}

/**
 * The settings in a text of `activeContext.md`. Lines of every section of that name count, so that a second one cannot
 * hide a `false`; comments and fenced code do not.
 */
export function sessionSettings(text: string): SessionSettings {
  const settings = new Map<string, string>();
  const proceed: string[] = [];
  for (const { key, value } of settingLines(text)) {
    settings.set(key, value);
    if (key === AUTO_PROCEED) proceed.push(value.toLowerCase());
  }
  const warnings: string[] = [];
  if (new Set(proceed).size > 1) {
    warnings.push(`${AUTO_PROCEED} lines in ## ${SESSION_SETTINGS} say different things; it counts as false`);
  }
  return {
    justGo: proceed.length > 0 && proceed.every((value) => value === "true"),
    settings: Object.fromEntries(settings),
    warnings,
  };
}

/**
 * A text of `activeContext.md` in which a setting has this value alone: its new line stands last in the section, earlier
 * lines of the same name are gone. Any other line is added as a bullet.
 */
export function withSetting(text: string, line: string): string | undefined {
  const match = SETTING.exec(line.trim());
  if (match === null) return appendBullet(text, SESSION_SETTINGS, line);
  const [key, value] = [match[1]!, match[2]!.trim()];
  const earlier = [...settingLines(text)].filter((one) => one.key === key);
  if (earlier.length === 1 && earlier[0]!.value === value) return text;
  const without = earlier.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
  return appendLine(without, SESSION_SETTINGS, `- ${key}: ${value}`);
}

interface SettingLine {
  key: string;
  value: string;
  /** Offsets of the line, its end included. */
  start: number;
  end: number;
}

function* settingLines(text: string): Generator<SettingLine> {
  for (const { name, body, end } of sectionsOf(text)) {
    if (name !== SESSION_SETTINGS) continue;
    for (const line of linesOf(text.slice(body, end))) {
      const match = line.fenced ? null : SETTING.exec(line.text.trim());
      if (match === null) continue;
      const start = body + line.start;
      const next = Math.min(start + line.text.length + 1, end);
      yield { key: match[1]!, value: match[2]!.trim(), start, end: next };
    }
  }
}
