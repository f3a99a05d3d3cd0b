/** File names of plans: `YYYY-MM-DD-HHMM-<type>-<topic>-plan[-N].<md|html>` (docs/spec/plan.md section 2). */
import { type Format, isRealDate } from "./terms.ts";

export interface PlanName {
  date: string;
  /** `HHMM`, or null in an older name that has a counter or nothing in its place. */
  time: string | null;
  type: string;
  topic: string;
  /** The collision number, null for the first of a name. */
  suffix: number | null;
}

/** Highest collision number tried. */
export const MAX_SUFFIX = 999;

export function baseName(name: PlanName): string {
  const suffix = name.suffix === null ? "" : `-${name.suffix}`;
  return `${name.date}-${name.time}-${name.type}-${name.topic}-plan${suffix}`;
}

/** The parts of a base name in exactly the form that `reserve` writes. */
export function parseBaseName(base: string): (PlanName & { time: string }) | undefined {
  const match =
    /^(\d{4}-\d\d-\d\d)-([01]\d|2[0-3])([0-5]\d)-([a-z][a-z0-9]*)-([a-z0-9]+(?:-[a-z0-9]+)*)-plan(?:-([1-9]\d{0,2}))?$/.exec(
      base,
    );
  if (match === null) return undefined;
  const [, date, hours, minutes, type, topic, suffix] = match as unknown as [string, ...string[]];
  if (!isRealDate(date!) || suffix === "1") return undefined;
  return {
    date: date!,
    time: `${hours}${minutes}`,
    type: type!,
    topic: topic!,
    suffix: suffix === undefined ? null : Number(suffix),
  };
}

/** Date, time and middle part of a base name in any form in use: the time may be a three-digit counter or absent. */
export function looseParts(
  base: string,
): { date: string; time: string | null; middle: string; suffix: number | null } | undefined {
  const match = /^(\d{4}-\d\d-\d\d)-(?:(\d{3,4})-)?(.+?)-plan(?:-(\d+))?$/.exec(base);
  if (match === null) return undefined;
  return {
    date: match[1]!,
    time: match[2]?.length === 4 ? match[2] : null,
    middle: match[3]!,
    suffix: match[4] === undefined ? null : Number(match[4]),
  };
}

/** Format by extension, whatever its case; undefined for anything but `.md` and `.html`. */
export function formatOf(path: string): Format | undefined {
  const match = /\.(md|html)$/i.exec(path);
  return match === null ? undefined : (match[1]!.toLowerCase() as Format);
}

/** A file name without its extension. */
export function withoutExtension(name: string): string {
  return name.replace(/\.(md|html)$/i, "");
}

export function otherFormat(format: Format): Format {
  return format === "md" ? "html" : "md";
}

export const MAX_TOPIC = 100;
export const MAX_TYPE = 20;

/** Latin letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
};

/** The nearest slug to a text, at most `limit` long; empty when no ASCII letter or digit is left of it. */
export function nearestSlug(text: string, limit: number = MAX_TOPIC): string {
  const ascii = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter]!)
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/['’]/g, "");
  const words = ascii.split(/[^a-z0-9]+/).filter((word) => word !== "");
  let slug = "";
  for (const word of words) {
    const longer = slug === "" ? word.slice(0, limit) : `${slug}-${word}`;
    if (longer.length > limit) break;
    slug = longer;
  }
  return slug;
}
