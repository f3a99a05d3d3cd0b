import { JigError } from "../kernel/errors.ts";
import { printable } from "../kernel/text.ts";

/** Whether a text can be a skill, run id, label or job id: a safe path component (spec/jobs.md section 1). */
export function isToken(text: string): boolean {
  let onlyDots = true;
  // A loop, since every short verb asks this once and a pattern costs more to compile than the rest of the lookup.
  for (const character of text) {
    if (!ALLOWED.includes(character)) return false;
    if (character !== ".") onlyDots = false;
  }
  return !onlyDots;
}

const ALLOWED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

/** Throws (exit 1) when the value of a flag is no token. */
export function requireToken(flag: string, value: string): void {
  if (isToken(value)) return;
  throw new JigError(`${flag} must match [A-Za-z0-9._-]+ and not be all dots (got '${printable(value)}')`);
}
