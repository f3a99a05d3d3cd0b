import { type JsonMap, JsonSyntaxError, parseLossless } from "../../common/lossless-json.ts";
import { pythonText } from "../../common/python-text.ts";

export interface EventSelection {
  /** How many of the last entries are shown; all of them when 0 or less. */
  tail: number;
  /** The only event shown. */
  eventType: string | undefined;
}

/** The last entries of an event log, one a line, and what else the log holds (docs/spec/flow.md 10). Linear. */
export function eventSummary(lines: Iterable<string>, { tail, eventType }: EventSelection): string {
  const limit = tail > 0 ? tail : Number.POSITIVE_INFINITY;
  const kept: JsonMap[] = [];
  let [total, valid, malformed] = [0, 0, 0];
  for (const line of lines) {
    total++;
    if (line.trim() === "") continue;
    const entry = entryOf(line);
    if (entry === undefined) malformed++;
    else if (eventType === undefined || entry.get("event") === eventType) {
      // A ring, so that each entry is placed once.
      if (kept.length < limit) kept.push(entry);
      else kept[valid % limit] = entry;
      valid++;
    }
  }
  const start = kept.length < limit ? 0 : valid % limit;
  const shown = [...kept.slice(start), ...kept.slice(0, start)].map((entry) => `${pythonText(entry)}\n`);
  const counts = `${total} total lines, ${valid} valid entries matching filter, ${malformed} malformed lines skipped`;
  return `${shown.join("")}# ${counts}, showing last ${shown.length}. Run --mode full for the complete file.`;
}

function entryOf(line: string): JsonMap | undefined {
  try {
    const value = parseLossless(line);
    return value instanceof Map ? value : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
