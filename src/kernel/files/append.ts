import { constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { EXIT, JigError } from "../call/errors.ts";
import { closeQuietly, FileError, uninterrupted } from "./file-io.ts";
import { type OpenOptions, openOwnedFile, Refused } from "./owned-file.ts";

const NEWLINE = 0x0a;

export interface AppendOptions {
  /** Make the file with exactly this mode when it is missing; without, a missing file is an error (`ENOENT`). */
  create?: number;
  /** The caller holds the file's lock: a failed or short write is undone by cutting the file back. */
  undo?: boolean;
  /** No flush to disk is attempted: for notes that a power cut may take. */
  unflushed?: boolean;
}

export interface Appended {
  /** The file did not end in a newline (a crash in the middle of a write); a newline was put before the records. */
  tornTail: boolean;
  /** Bytes written, with that newline. */
  bytes: number;
}

/**
 * Append records (one line each, without their newline) in a single O_APPEND write, so that concurrent appenders never
 * mix within a line and the records of one call stay together. Never follows a symlink. The data is in the file when
 * this returns; a flush to disk is attempted. Throws `FileError`, or `JigError` (exit 4) for a symlink or a non-file.
 */
export function appendRecords(
  path: string,
  records: readonly string[],
  options: AppendOptions = {},
): Appended {
  for (const record of records) {
    if (record.includes("\n")) throw new TypeError("a record must not contain a newline");
  }
  const descriptor = openForAppending(path, options.create);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new Refused(path, "not-regular", "is not a regular file");
    const tornTail = stat.size > 0 && byteAt(descriptor, stat.size - 1) !== NEWLINE;
    const text = (tornTail ? "\n" : "") + records.map((record) => `${record}\n`).join("");
    const bytes = new TextEncoder().encode(text);
    writeOnce(descriptor, bytes, options.undo ? stat.size : undefined);
    if (!options.unflushed) flushQuietly(descriptor);
    return { tornTail, bytes: bytes.length };
  } catch (error) {
    throw error instanceof JigError ? error : new FileError("cannot append to", path, error);
  } finally {
    closeQuietly(descriptor);
  }
}

function flushQuietly(descriptor: number): void {
  try {
    fsyncSync(descriptor);
  } catch {
    // The bytes are in the file; a disk that cannot flush does not unwrite them.
  }
}

function openForAppending(path: string, create: number | undefined): number {
  const flags =
    constants.O_RDWR |
    constants.O_APPEND |
    (constants.O_NOFOLLOW ?? 0) |
    (constants.O_NONBLOCK ?? 0) |
    (create === undefined ? 0 : constants.O_CREAT);
  try {
    return uninterrupted(() => openSync(path, flags, create ?? 0));
  } catch (error) {
    const failure = new FileError("cannot append to", path, error);
    if (failure.code !== "ELOOP" && failure.code !== "EMLINK") throw failure;
    throw new JigError(`cannot append to ${path}: is a symlink`, { exitCode: EXIT.refused, cause: error });
  }
}

function byteAt(descriptor: number, offset: number): number | undefined {
  const byte = new Uint8Array(1);
  return uninterrupted(() => readSync(descriptor, byte, 0, 1, offset)) === 1 ? byte[0] : undefined;
}

/** One write call. A short one cannot be continued: another appender may already have followed it. */
function writeOnce(descriptor: number, bytes: Uint8Array, restoreSize: number | undefined): void {
  if (bytes.length === 0) return;
  let written = 0;
  let failure: unknown;
  try {
    written = uninterrupted(() => writeSync(descriptor, bytes, 0, bytes.length));
  } catch (error) {
    failure = error;
  }
  if (written === bytes.length) return;
  if (restoreSize !== undefined) ftruncateSync(descriptor, restoreSize);
  // A regular file takes less than asked only when the disk is full.
  throw failure ?? Object.assign(new Error("short write"), { code: "ENOSPC" });
}

/** One line of a record file. */
export interface RecordLine {
  /** Without its newline. Only valid during the visit: the buffer is reused. */
  bytes: Uint8Array;
  /** Of its first byte in the file. */
  offset: number;
}

export interface ReadRecordsOptions extends OpenOptions {
  /** Where to start, a line's first byte; 0 without. */
  from?: number;
  /** Longest line given out, in bytes; longer ones are skipped and counted. 1 MiB without. */
  maxRecordBytes?: number;
}

export interface RecordsEnd {
  /** First byte not consumed: the end of the last terminated line. A later read can go on from here. */
  next: number;
  /** Bytes after the last newline: a record cut by a crash, or one being written. Never given out. */
  tornTail: number;
  /** Lines skipped because they were longer than `maxRecordBytes`. */
  oversize: number;
}

/**
 * Visit the terminated lines of a file in order, cut on byte `\n` alone, in bounded memory; empty lines are passed
 * over. The visitor ends it early by returning false. Throws `Refused` (an absent file too).
 */
export function readRecords(
  path: string,
  options: ReadRecordsOptions,
  visit: (line: RecordLine) => unknown,
): RecordsEnd {
  const file = openOwnedFile(path, options);
  try {
    return scan(file.descriptor, options.from ?? 0, options.maxRecordBytes ?? 1 << 20, visit);
  } finally {
    closeQuietly(file.descriptor);
  }
}

function scan(
  descriptor: number,
  from: number,
  maxRecordBytes: number,
  visit: (line: RecordLine) => unknown,
): RecordsEnd {
  let buffer = new Uint8Array(65_536);
  let bufferOffset = from; // Of buffer[0] in the file.
  let filled = 0;
  let skipping = false; // Inside a line that is already too long.
  const end: RecordsEnd = { next: from, tornTail: 0, oversize: 0 };
  for (;;) {
    const position = bufferOffset + filled;
    const room = buffer;
    const count = uninterrupted(() => readSync(descriptor, room, filled, room.length - filled, position));
    if (count === 0) break;
    let start = 0;
    let newline = buffer.indexOf(NEWLINE, filled);
    filled += count;
    while (newline !== -1 && newline < filled) {
      const bytes = buffer.subarray(start, newline);
      end.next = bufferOffset + newline + 1;
      if (skipping || bytes.length > maxRecordBytes) {
        end.oversize++;
        skipping = false;
      } else if (bytes.length > 0 && visit({ bytes, offset: bufferOffset + start }) === false) {
        return end;
      }
      start = newline + 1;
      newline = buffer.indexOf(NEWLINE, start);
    }
    // Keep the unfinished line at the front; drop it when it is too long to be given out.
    if (skipping || filled - start > maxRecordBytes) {
      skipping = true;
      start = filled;
    }
    buffer.copyWithin(0, start, filled);
    bufferOffset += start;
    filled -= start;
    if (filled === buffer.length) {
      const larger = new Uint8Array(buffer.length * 2);
      larger.set(buffer);
      buffer = larger;
    }
  }
  end.tornTail = bufferOffset + filled - end.next;
  return end;
}
