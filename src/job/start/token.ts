import { JigError } from "../../kernel/call/errors.ts";
import { printable } from "../../kernel/text/printable.ts";
import { isToken } from "../../kernel/text/token.ts";

/** Throws (exit 1) when the value of a flag is no token. */
export function requireToken(flag: string, value: string): void {
  if (isToken(value)) return;
  throw new JigError(`${flag} must match [A-Za-z0-9._-]+ and not be all dots (got '${printable(value)}')`);
}
