/** Strings in YAML as upstream writes them, so that a store changes only where a fact does (docs/spec/craft-run.md 5.1). */
import type { Scalar } from "./concerns.ts";

/** A value on one line: plain where it reads back as itself, else in single quotes, in double ones where it must. */
export function yamlScalar(value: Scalar): string {
  if (typeof value !== "string") return String(value);
  if (UNPRINTABLE.test(value)) return doubleQuoted(value);
  return isPlain(value) ? value : `'${value.replaceAll("'", "''")}'`;
}

const UNPRINTABLE =
  /[^\u0020-\u007e\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

function doubleQuoted(text: string): string {
  const escaped = text
    .replaceAll(/["\\]/g, "\\$&")
    .replaceAll(new RegExp(UNPRINTABLE.source, "gu"), (character) => {
      const code = character.codePointAt(0)!;
      return code <= 0xff ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
    });
  return `"${escaped}"`;
}

const hex = (code: number, digits: number) => code.toString(16).toUpperCase().padStart(digits, "0");

function isPlain(text: string): boolean {
  if (text === "" || /^[\s\-?:,[\]{}#&*!|=>'"%@`]/.test(text) || /[\s:]$/.test(text)) return false;
  // A colon before a blank makes a key, a hash behind one a comment.
  if (/:\s|\s#/.test(text)) return false;
  return !OTHER_TYPES.some((type) => type.test(text));
}

/** What a YAML reader of either version takes for something else than a string. */
const OTHER_TYPES = [
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|<<)$/,
  /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  /^[-+]?[0-9_]+(?::[0-9_]+)+(?:\.[0-9_]*)?$/,
  /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|[0-9][0-9_]*)$/,
  /^(?:[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|[-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?)$/,
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  /^\d{4}-\d\d-\d\d$/,
  /^\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?$/,
];
