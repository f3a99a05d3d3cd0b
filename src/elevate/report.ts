import { JigError } from "../kernel/call/errors.ts";
import { printable } from "../kernel/text/printable.ts";

const PREFIX = "[elevation] ";

/** A line for stderr; in this room every one begins alike, under every name (docs/spec/elevate.md). */
export function elevationLine(text: string): string {
  return `${PREFIX}${printable(text)}\n`;
}

/** Several lines, from another command's stderr, with that command's own prefix taken off. */
export function elevationLines(text: string, foreignPrefix: string): string {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => elevationLine(line.startsWith(foreignPrefix) ? line.slice(foreignPrefix.length) : line))
    .join("");
}

/** Another command's failure as ours: its lines, its exit code. */
export function foreignError(stderr: string, foreignPrefix: string, exitCode: number): JigError {
  return new JigError(elevationLines(stderr, foreignPrefix), { exitCode, verbatim: true });
}

/** A failure before any model call, with the exit code of docs/spec/elevate.md section 1. */
export function elevationError(message: string, exitCode: number): JigError {
  return new JigError(elevationLine(message), { exitCode, verbatim: true });
}
