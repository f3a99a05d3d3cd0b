import { JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import { windowsTrap } from "../kernel/files/windows-names.ts";
import { hasControlCharacter, printable } from "../kernel/text/printable.ts";
import { oneLine } from "./render.ts";

/** A failure printed without any prefix (lines marked P in docs/spec/base-dir.md section 8), exit 1. */
export function plainFatal(message: string): JigError {
  return new JigError(oneLine(message), { verbatim: true });
}

/** A failure printed as `Error: …` (lines marked E), exit 1. */
export function fatal(message: string, cause?: unknown): JigError {
  return new JigError(oneLine(`Error: ${message}`), { verbatim: true, cause });
}

/** Run a verb; what the kernel reports (permission, disk full …) becomes an `Error: …` line like the room's own. */
export async function withErrorLines<T>(verb: () => T | Promise<T>): Promise<T> {
  try {
    return await verb();
  } catch (error) {
    if (error instanceof JigError && !error.verbatim) throw fatal(error.message, error);
    throw error;
  }
}

/**
 * Refuse a name or path that could forge an output line, that was not UTF-8 when it was typed, or that Windows would
 * take for another (docs/spec/base-dir.md section 9).
 */
export function checkArgument({ platform }: Pick<Host, "platform">, what: string, value: string): void {
  if (hasControlCharacter(value)) {
    throw fatal(`${what} '${printable(value)}' contains a control character`);
  }
  // The runtime decodes broken bytes to this character, so it cannot name what the caller meant.
  if (value.includes("\ufffd")) throw fatal(`${what} '${printable(value)}' is not valid UTF-8`);
  const trap = platform === "win32" ? windowsTrap(value) : undefined;
  if (trap !== undefined) {
    throw fatal(
      `${what} '${printable(value)}': Windows takes '${printable(trap)}' for a device, a stream or another name`,
    );
  }
}
