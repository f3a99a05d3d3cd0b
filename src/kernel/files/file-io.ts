import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { errorCode, JigError, osReason } from "../call/errors.ts";

/**
 * A file operation the operating system refused: `<what> <path>: <reason>`, exit 1.
 * `code` is the system's (`ENOSPC`, `EACCES` …), so `errorCode` and `osReason` work on it too.
 */
export class FileError extends JigError {
  readonly path: string;
  readonly code: string | undefined;

  constructor(what: string, path: string, cause: unknown) {
    super(`${what} ${path}: ${osReason(cause)}`, { cause });
    this.name = "FileError";
    this.path = path;
    this.code = errorCode(cause);
  }
}

/** The call repeated while a signal interrupts it: not every runtime retries reads and writes by itself. */
export function uninterrupted<T>(call: () => T): T {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (errorCode(error) !== "EINTR") throw error;
    }
  }
}

/** Write every byte, however short the single writes are. Throws the operating system's error. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let rest = bytes;
  while (rest.length > 0) {
    const part = rest;
    rest = rest.subarray(uninterrupted(() => writeSync(descriptor, part, 0, part.length)));
  }
}

/** Close once: after an interrupted close the descriptor is gone already, and its number may be someone else's. */
export function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Nothing a caller could do; data was flushed before where it matters.
  }
}

const CANNOT_SYNC_DIRECTORIES = new Set([
  "EINVAL",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EPERM",
  "EACCES",
  "EISDIR",
  "EBADF",
]);

/**
 * Make a rename or a new name in a directory survive a power cut. Quiet where the system cannot do it (Windows, some
 * network file systems); throws the operating system's error otherwise.
 */
export function syncDirectory(path: string): void {
  let descriptor: number;
  try {
    descriptor = uninterrupted(() => openSync(path, "r"));
  } catch (error) {
    if (CANNOT_SYNC_DIRECTORIES.has(errorCode(error) ?? "")) return;
    throw error;
  }
  try {
    uninterrupted(() => fsyncSync(descriptor));
  } catch (error) {
    if (!CANNOT_SYNC_DIRECTORIES.has(errorCode(error) ?? "")) throw error;
  } finally {
    closeQuietly(descriptor);
  }
}

/** Text as UTF-8; bytes as they are. */
export function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** Block this thread for a few milliseconds: for retries inside an operation that has to stay synchronous. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
