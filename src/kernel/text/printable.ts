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

/**
 * A value as JSON in which the characters that `printable` escapes stand as `\u` escapes, so that a terminal shows them
 * and a parser reads what was there. Newlines between indented lines stay.
 */
export function jsonText(value: unknown, indent?: number): string {
  return printableJson(JSON.stringify(value, null, indent));
}

/** As `jsonText`, for a value that is JSON text already. */
export function printableJson(text: string): string {
  if (isPlain(text, "\n")) return text;
  return text.replaceAll(unsafe(), (character) => {
    if (character === "\n") return character;
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

/**
 * Lines that a program reads byte for byte, so that a pipe gets them as they are; a person at a terminal gets what
 * `printableBlock` makes of them.
 */
export function valueLines(text: string): string | ((terminal: { isTerminal: boolean }) => string) {
  const shown = printableBlock(text);
  return shown === text ? text : ({ isTerminal }) => (isTerminal ? shown : text);
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
