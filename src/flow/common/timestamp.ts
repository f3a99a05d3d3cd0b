const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(?:Z|([+-]\d{2}):?(\d{2})?)?$/i;

/**
 * Milliseconds of a timestamp in any ISO-8601 form that tools write (docs/spec/flow.md 1.6); without an offset it is UTC.
 * Undefined for any other text.
 */
export function parseTimestamp(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const match = ISO.exec(text.trim());
  if (match === null) return undefined;
  const [, date, minutes = "00:00", seconds = "00", fraction = "0", hours, more = "00"] = match;
  const offset = hours === undefined ? "Z" : `${hours}:${more}`;
  const at = Date.parse(`${date}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}${offset}`);
  return Number.isNaN(at) ? undefined : at;
}

const LONGEST = 64;
