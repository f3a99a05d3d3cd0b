import type { NumberFlag } from "../../kernel/call/command.ts";
import { decimalNumber, isDecimal, wholeNumber } from "../../kernel/text/number.ts";

/** What a value of a number flag means, or what is wrong with it. */
export type NumberReading = { value: number | string } | { problem: "not-a-number" | "out-of-range" };

/** Read a value as its flag's declaration has it. */
export function readNumber(flag: NumberFlag, text: string): NumberReading {
  if (flag.words?.includes(text)) return { value: text };
  const lenient = flag.syntax === "python";
  if (!lenient && !/^-?(\d+\.?\d*|\.\d+)$/.test(text)) return { problem: "not-a-number" };
  const value = flag.integer ? wholeNumber(text) : decimalNumber(text);
  if (value === undefined) {
    const isNumber = !flag.integer && (isDecimal(text) || /^\s*[+-]?(nan|inf|infinity)\s*$/i.test(text));
    return { problem: isNumber ? "out-of-range" : "not-a-number" };
  }
  const { min = -Infinity, above = -Infinity, max = Infinity } = flag;
  return value >= min && value > above && value <= max ? { value } : { problem: "out-of-range" };
}

/** What a number flag takes, as a message says it: `an integer from 0 to 65535`, `a finite number of seconds above 0`. */
export function expectedNumber(flag: NumberFlag): string {
  const { integer, min, max, unit, words = [] } = flag;
  const positive = integer && min === 1 && max === undefined;
  const kind = positive ? "a positive integer" : integer ? "an integer" : "a finite number";
  const counted = unit === undefined ? kind : `${kind} of ${unit}`;
  const range = positive ? undefined : rangeOf(flag);
  const joint = range?.startsWith("at least") ? (unit === undefined ? " of " : ", ") : " ";
  return [range === undefined ? counted : counted + joint + range, ...words].join(" or ");
}

/** The range of a number flag in words: `from 0 to 65535`, `above 0`, `at least 2`; undefined without one. */
export function rangeOf({ min, above, max }: NumberFlag): string | undefined {
  const upper = max === undefined ? undefined : `up to ${max}`;
  if (above !== undefined) return [`above ${above}`, ...(upper === undefined ? [] : [upper])].join(", ");
  if (min === undefined) return upper;
  return max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
}
