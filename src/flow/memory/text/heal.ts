import { sectionsOf } from "../../common/sections.ts";
import { LAST_UPDATED } from "./files.ts";

export interface Healed {
  text: string;
  /** Sections that were missing, in canonical order. */
  added: string[];
}

/**
 * A text with every required section: each missing one stands before `## Last Updated`, in canonical order; without that
 * heading they are appended, with it as the last. What was there is neither changed nor reordered (docs/spec/flow.md 9.4).
 */
export function healText(text: string, required: readonly string[]): Healed {
  const sections = sectionsOf(text);
  const there = new Set(sections.map(({ name }) => name));
  const added = required.filter((name) => !there.has(name));
  if (added.length === 0) return { text, added };
  const headings = (names: readonly string[]) => names.map((name) => `## ${name}\n\n`).join("");
  const last = sections.find(({ name }) => name === LAST_UPDATED);
  if (last === undefined) return { text: endedBlank(text) + headings(added), added };
  return { text: text.slice(0, last.start) + headings(added) + text.slice(last.start), added };
}

/** Required sections that a text does not have. */
export function missingSections(text: string, required: readonly string[]): string[] {
  return healText(text, required).added;
}

/** The text with what makes the next line stand after a blank one. */
function endedBlank(text: string): string {
  if (text === "" || text.endsWith("\n\n")) return text;
  return text.endsWith("\n") ? `${text}\n` : `${text}\n\n`;
}
