import { sectionsOf } from "../../common/sections.ts";
import { cutLines } from "./cut-lines.ts";

const MOST_BULLETS = 10;

/** The newest bullets of each section, or its text when it has none (docs/spec/flow.md 10). */
export function markdownSummary(text: string): string {
  const sections = sectionsOf(text);
  if (sections.length === 0) {
    return `WARNING: no '## ' headings found; falling back to generic first/last-line summary.\n\n${cutLines(text)}`;
  }
  const parts = sections.map(({ body, end, name }) => `## ${name}\n${sectionSummary(text.slice(body, end))}`);
  return ["# (compacted summary -- run --mode full for complete content)\n", ...parts].join("\n");
}

/** What is shown of one section's body. */
export function sectionSummary(body: string): string {
  const content = body.trim();
  const bullets = content.split("\n").filter((line) => line.trimStart().startsWith("- "));
  if (bullets.length === 0) return content === "" ? "" : endLine(cutLines(content));
  const shown = bullets.slice(-MOST_BULLETS).join("\n");
  if (bullets.length <= MOST_BULLETS) return `${shown}\n`;
  return `${shown}\n... (${bullets.length} total bullets, ${MOST_BULLETS} most recent shown)\n`;
}

function endLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
