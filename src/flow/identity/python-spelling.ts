/** JSON values as Python's `repr` spells them, for the entries an upstream tool reports (docs/spec/flow.md 2). */
import { type JsonValue, LosslessNumber } from "../common/lossless-json.ts";

/** `None`, `True`, `5`, `1.5`, `['q']`, `{'a': 1}`. */
export function pythonSpelling(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted(value);
  if (value instanceof LosslessNumber) return numberSpelling(value.text);
  if (Array.isArray(value)) return `[${value.map(pythonSpelling).join(", ")}]`;
  return `{${[...value].map(([key, member]) => `${quoted(key)}: ${pythonSpelling(member)}`).join(", ")}}`;
}

/** Whole numbers stay exact; others are floats, with an exponent below 0.0001 and from 1e16 on. */
function numberSpelling(text: string): string {
  if (!/[.eE]/.test(text)) return text === "-0" ? "0" : text;
  const value = Number(text);
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  // `toFixed` would round; the shortest digits are all there are.
  const [sign, figures] = digits.startsWith("-") ? ["-", digits.slice(1)] : ["", digits];
  const all = figures.replace(".", "");
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${all}`;
  const whole = all.slice(0, power + 1).padEnd(power + 1, "0");
  return `${sign}${whole}.${all.slice(power + 1) || "0"}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Single quotes, unless there are some inside and no double ones; what does not print as an escape. */
function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let spelled = "";
  for (const character of text) {
    if (character === mark) spelled += `\\${mark}`;
    else spelled += ESCAPES[character] ?? (isPrintable(character) ? character : escaped(character));
  }
  return mark + spelled + mark;
}

function isPrintable(character: string): boolean {
  return character === " " || !/[\p{C}\p{Z}]/u.test(character);
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
