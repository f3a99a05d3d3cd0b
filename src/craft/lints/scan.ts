import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { printable } from "../../kernel/text/printable.ts";
import { findMarked, type MarkedWords, waivedIn } from "./marked-words.ts";
import type { ScanReport } from "./schema.ts";

/** Files larger than this are skipped with a note (docs/spec/craft-engine.md 15). */
export const MAX_SCANNED_BYTES = 5_000_000;

export interface ScanOptions {
  /** Whether a find, or a file that cannot be read, fails the call. */
  blocking: boolean;
  waiverSources: readonly string[];
  files: readonly string[];
}

/** Look for marked words in files; `name` is the verb (docs/spec/craft-engine.md 15, `stub-lint`, `prose-lint`). */
export function scan(
  host: Host,
  name: string,
  marked: MarkedWords,
  options: ScanOptions,
): Outcome<ScanReport> {
  const notes: string[] = [];
  const waived = new Set<string>();
  for (const path of options.waiverSources) {
    const text = read(host, path);
    if (typeof text === "string")
      for (const file of waivedIn(text, marked.kind, options.files)) waived.add(file);
    else notes.push(`${name}: waiver source ${printable(path)} ${text.why}; nothing is waived by it`);
  }
  const report: ScanReport = { found: [], skipped: [], waived: [...waived] };
  let unreadable = false;
  for (const file of options.files.filter((path) => !waived.has(path))) {
    const text = read(host, file);
    if (typeof text === "string") {
      for (const entry of findMarked(text, marked)) report.found.push({ file, entry });
      continue;
    }
    unreadable ||= text.reason !== "too-large";
    report.skipped.push({ file, why: text.why });
    notes.push(`${name}: skipped ${printable(file)}: ${text.why}`);
  }
  const lines = report.found.map(({ file, entry }) => `${marked.kind}-FOUND(${printable(file)}): ${entry}\n`);
  const fails = options.blocking && (report.found.length > 0 || unreadable);
  return { data: report, text: lines.join(""), notes, exitCode: fails ? 2 : 0 };
}

function read(host: Host, path: string): string | Refused {
  try {
    const options = { uid: undefined, allowSymlink: true, maxBytes: MAX_SCANNED_BYTES };
    return new TextDecoder().decode(readOwnedFile(absoluteFrom(host.cwd, path), options));
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}
