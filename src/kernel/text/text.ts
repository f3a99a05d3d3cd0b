/**
 * Untrusted text made safe to show on one line of a terminal: control characters, escape sequences, bidirectional
 * overrides and line separators appear as `\x1b`-style escapes, so nothing in it is executed or reorders the line.
 */
export function printable(text: string): string {
  return isPlain(text) ? text : text.replaceAll(unsafe(), escapeCharacter);
}

/** As `printable`, but newlines and tabs stay. */
export function printableBlock(text: string): string {
  if (isPlain(text, "\n\t")) return text;
  return text.replaceAll(unsafe(), (character) =>
    character === "\n" || character === "\t" ? character : escapeCharacter(character),
  );
}

/** Printable ASCII alone, and what else is allowed. A loop: the first pattern a process runs costs it two milliseconds. */
function isPlain(text: string, allowed = ""): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 || code > 0x7e) && !allowed.includes(text[at]!)) return false;
  }
  return true;
}

/** Whether a text holds a C0 control character or DEL. */
export function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/**
 * C0, DEL, C1, line and paragraph separators, bidirectional controls, zero-width characters, byte-order mark, tags, lone
 * surrogates. Compiled on first need: it costs a short command more than all it prints.
 */
function unsafe(): RegExp {
  compiled ??=
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
  return compiled;
}
let compiled: RegExp | undefined;

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0)!;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `\\u{${code.toString(16)}}`;
}

/** Order of code points, which differs from the order of UTF-16 units beyond the basic plane. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Levenshtein distance with a limit: any number above `limit` means "too far". */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replace, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}

/** The candidate nearest to a mistyped word, or undefined when none is near enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  // A long word may be off by more letters than a short one and still be meant.
  const limit = Math.max(1, Math.min(3, Math.floor(word.length / 3) + 1));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance =
      candidate.startsWith(word) && word.length >= 3 ? 1 : editDistance(word, candidate, limit);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
