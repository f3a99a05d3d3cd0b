import { EXIT, JigError, osReason } from "../../kernel/call/errors.ts";
import { ClosedPipe } from "../../runtime/stdio.ts";
import { complain, endLine, type Sink } from "./print.ts";

/**
 * Print an error once, with its next step, and give the exit code (docs/spec/cli.md section 2, errors).
 * Anything but a `JigError` is a bug: one line, and a stack only under `JIG_DEBUG=1`.
 */
export function printError(error: unknown, sink: Sink, prefix: string, debug: boolean): number {
  if (error instanceof ClosedPipe) return EXIT.done;
  if (error instanceof JigError) {
    complain(sink, error.verbatim ? error.message : prefix + error.message);
    if (error.hint !== undefined) complain(sink, `hint: ${error.hint}`);
    if (debug) complain(sink, stackOf(error));
    return error.exitCode;
  }
  // An operating-system error that no verb foresaw is still the system's, not a bug (docs/spec/jobs.md 2.1).
  if (isSystemError(error)) {
    const where = error.path ?? error.syscall ?? error.code;
    complain(sink, `${prefix}${where}: ${osReason(error)}`);
    if (debug) complain(sink, stackOf(error));
    return EXIT.failed;
  }
  const summary = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
  const stack = debug ? stackOf(error) : "";
  const ask = "this is a bug in jig, please report it; JIG_DEBUG=1 shows where";
  complain(sink, `${prefix}internal error: ${summary} (${ask})\n${stack}`);
  return EXIT.bug;
}

interface SystemError extends Error {
  code: string;
  syscall?: string;
  path?: string;
}

/** A path too long for the runtime's own check comes without the call it was meant for, but with the system's number. */

function isSystemError(error: unknown): error is SystemError {
  return (
    error instanceof Error &&
    typeof (error as Partial<SystemError>).code === "string" &&
    (typeof (error as Partial<SystemError>).syscall === "string" || "errno" in error)
  );
}

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? endLine(error.stack) : "";
}
