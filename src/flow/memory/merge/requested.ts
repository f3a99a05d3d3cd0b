import { printable } from "../../../kernel/text/printable.ts";
import type { Merged } from "./combine.ts";
import { type MergeRequest, mergeError } from "./payload.ts";
import { mergeSection, mergeSpan } from "./section.ts";

/** What the request makes of its text. Throws `mergeError` for a section that is not there. */
export function mergeRequested(request: MergeRequest): Merged {
  const { change, fileText, section, sectionText, unit } = request;
  if (fileText === undefined || section === undefined) return mergeSpan(sectionText, change, unit);
  const merged = mergeSection(fileText, section, change, unit);
  if (merged === undefined) throw mergeError(`section '${printable(section)}' not found in file_text`);
  return merged;
}

/** What was evicted, and where it goes. */
export function archivedOf({ change }: MergeRequest, { evicted }: Merged) {
  return { archived_bullets: evicted, archive_path: change.archivePath ?? null };
}
