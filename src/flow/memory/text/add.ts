import { trimEndOf } from "../../../kernel/text/trim-end.ts";
import { findSection } from "../../common/sections.ts";

/**
 * A text with a line as the last of a section, before the blank lines that end it; undefined when it has no such section.
 */
export function appendLine(text: string, section: string, line: string): string | undefined {
  const found = findSection(text, section);
  if (found === undefined) return undefined;
  const body = text.slice(found.body, found.end);
  const kept = trimEndOf(body, /\s/);
  const head = text.slice(0, found.body);
  const ended = body.slice(kept.length).match(/^[ \t]*\r?\n/)?.[0];
  // An empty section keeps its blank lines behind the new one; a full one keeps its last line's own end before it.
  const [before, rest] =
    kept === ""
      ? [head.endsWith("\n") ? head : `${head}\n`, body]
      : [`${head}${kept}${ended ?? "\n"}`, body.slice(kept.length + (ended?.length ?? 0))];
  return `${before}${line}\n${rest}${text.slice(found.end)}`;
}

/** As `appendLine`, of a bullet; the text as it is when the section has the very bullet already. */
export function appendBullet(text: string, section: string, content: string): string | undefined {
  const found = findSection(text, section);
  if (found === undefined) return undefined;
  const bullet = `- ${content}`;
  const lines = text.slice(found.body, found.end).split("\n");
  if (lines.some((line) => line.trim() === bullet.trim())) return text;
  return appendLine(text, section, bullet);
}

/** A text on one line: newlines become blanks. */
export function oneLine(text: string): string {
  return text.replaceAll(/\r\n|[\r\n]/g, " ");
}
