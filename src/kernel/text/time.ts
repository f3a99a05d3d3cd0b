/** Timestamp formats in use, each named once. All are UTC and independent of locale and time zone. */

/** `2026-07-31T10:15:02Z`: whole seconds (job metadata, docs/spec/jobs.md 4.1). */
export function isoSeconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19) + "Z";
}

/** `2026-07-31T10:15:02.123Z`: milliseconds. */
export function isoMilliseconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** `2026-07-31T10:15:02.123000+00:00`: six fraction digits (anchor files, docs/spec/base-dir.md section 7). */
export function isoMicroseconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 23) + "000+00:00";
}

/** `20260731T101502Z`: compact, for ids and file names. */
export function compactSeconds(milliseconds: number): string {
  return isoSeconds(milliseconds).replaceAll("-", "").replaceAll(":", "");
}

/** Milliseconds of an `isoSeconds` text; undefined when it is anything else or not a real date. */
export function parseIsoSeconds(text: string): number | undefined {
  // A year of more than four digits has its sign and digits where this form has a dash.
  if (text[4] !== "-") return undefined;
  const value = Date.parse(text);
  return Number.isNaN(value) || isoSeconds(value) !== text ? undefined : value;
}

/** Longest time a timer takes, about 24 days; with a larger number it would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Wait this many milliseconds (24 days at most), or less when the signal aborts; never throws. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, Math.min(milliseconds, LONGEST_TIMER_MS));
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
  });
}
