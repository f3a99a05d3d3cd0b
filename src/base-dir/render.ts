import { hasControlCharacter } from "../kernel/text/printable.ts";
import type { Resolution } from "./schema.ts";

/** The text form: one `key: value` line for each field that is not null (docs/spec/base-dir.md 5.2). */
export function renderResolution(resolution: Resolution): string {
  const lines = [`status: ${resolution.status}`];
  if (resolution.base !== null) lines.push(`base:   ${oneLine(resolution.base)}`);
  if (resolution.source !== null) lines.push(`source: ${resolution.source}`);
  if ("anchor" in resolution && resolution.anchor !== null)
    lines.push(`anchor: ${oneLine(resolution.anchor)}`);
  if ("candidates" in resolution) {
    lines.push("candidates:", ...resolution.candidates.map((candidate) => `  - ${oneLine(candidate)}`));
  }
  if ("task_name" in resolution) lines.push(`task_name: ${resolution.task_name}`);
  return `${lines.join("\n")}\n`;
}

/** Paths stay verbatim but for control characters: a newline in a directory's name must not forge a line. */
export function oneLine(path: string): string {
  if (!hasControlCharacter(path)) return path;
  return path.replaceAll(
    /[\u0000-\u001f\u007f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
