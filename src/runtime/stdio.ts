import { fstatSync, statSync, writevSync } from "node:fs";

/** The reader of our output has gone: end quietly. */
export class ClosedPipe extends Error {
  override readonly name = "ClosedPipe";
}

const STDOUT = 1;
const STDERR = 2;

/**
 * Write all bytes to a descriptor before returning, so that a process exit can never cut a result short.
 * Throws `ClosedPipe` when the reader has gone, the operating system's error otherwise.
 */
function writeAll(descriptor: number, chunk: string | Uint8Array): void {
  let rest: Uint8Array = typeof chunk === "string" ? encode(chunk) : chunk;
  let waits = 0;
  while (rest.length > 0) {
    try {
      // Not `writeSync`: its first call in a Bun process makes 50 KB of objects.
      rest = rest.subarray(writevSync(descriptor, [rest.subarray(0, 1 << 20)]));
      waits = 0;
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (code === "EPIPE") throw new ClosedPipe("the reader closed the pipe");
      // A parent may have made the shared pipe non-blocking; wait for the slow reader instead of losing bytes.
      if (code === "EAGAIN") pause(Math.min(50, 1 << Math.min(waits++, 5)));
      else if (code !== "EINTR") throw error;
    }
  }
}

/** UTF-8. A short ASCII text without the runtime's encoder, whose first use costs a short command 3 % of its CPU. */
function encode(text: string): Uint8Array {
  if (text.length > 1_024) return new TextEncoder().encode(text);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return new TextEncoder().encode(text);
    bytes[at] = code;
  }
  return bytes;
}

/** Block this thread; made on first need, since a short command never waits. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

export function writeStdout(chunk: string | Uint8Array): void {
  writeAll(STDOUT, chunk);
}

/** Diagnostics never make a command fail: a closed or full stderr is ignored. */
export function writeStderr(text: string): void {
  try {
    writeAll(STDERR, text);
  } catch {
    // Nobody is listening.
  }
}

/** Whether a standard stream is a terminal. Loads `node:tty` (12 ms) only when the descriptor could be one. */
export function isTerminal(stream: "stdin" | "stdout" | "stderr"): boolean {
  const descriptor = { stdin: 0, stdout: STDOUT, stderr: STDERR }[stream];
  if (!mayBeTerminal(descriptor)) return false;
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}

function mayBeTerminal(descriptor: number): boolean {
  try {
    const stream = fstatSync(descriptor);
    return stream.isCharacterDevice() && !isNullDevice(stream);
  } catch {
    return false;
  }
}

/** The usual character device that is no terminal: `> /dev/null`. */
function isNullDevice({ rdev }: { rdev: number }): boolean {
  return process.platform !== "win32" && statSync("/dev/null").rdev === rdev;
}

/** Columns of the terminal behind a stream; 80 when unknown. Touches the process stream, so only ask on a terminal. */
export function terminalWidth(stream: "stdout" | "stderr"): number {
  return process[stream].columns || 80;
}
