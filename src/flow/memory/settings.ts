import { join } from "node:path";
import { statIfThere } from "../../kernel/files/look.ts";
import { layoutOf } from "../common/layout.ts";
import { linesOf, sectionsOf } from "../common/sections.ts";
import { MAX_MEMORY_BYTES, readStateText } from "../common/state-file.ts";

/** What `## Session Settings` says (docs/spec/flow.md 7.3). */
export interface SessionSettings {
  /** JUST_GO: at least one `AUTO_PROCEED` line, and all of them say true. */
  justGo: boolean;
  /** Every setting; where a key stands twice, its last value. */
  settings: Record<string, string>;
  warnings: string[];
}

const SECTION = "Session Settings";
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
  for (const [key, value] of settingLines(text)) {
    settings.set(key, value);
    if (key === AUTO_PROCEED) proceed.push(value.toLowerCase());
  }
  const warnings: string[] = [];
  if (new Set(proceed).size > 1) {
    warnings.push(`${AUTO_PROCEED} lines in ## ${SECTION} say different things; it counts as false`);
  }
  return {
    justGo: proceed.length > 0 && proceed.every((value) => value === "true"),
    settings: Object.fromEntries(settings),
    warnings,
  };
}

function* settingLines(text: string): Generator<[key: string, value: string]> {
  const sections = sectionsOf(text).filter(({ name }) => name === SECTION);
  for (const section of sections) {
    for (const line of linesOf(text.slice(section.body, section.end))) {
      const match = line.fenced ? null : SETTING.exec(line.text.trim());
      if (match !== null) yield [match[1]!, match[2]!.trim()];
    }
  }
}
