import { JigError } from "../../kernel/call/errors.ts";

/** What every diagnostic of the ledger begins with, natively and under its upstream name. */
export const PREFIX = "run-ledger: ";

/** A failure of the ledger: one line. Exit 1 unless given. */
export function ledgerFailure(message: string, exitCode = 1): JigError {
  return new JigError(`${PREFIX}${message}`, { exitCode, verbatim: true });
}
