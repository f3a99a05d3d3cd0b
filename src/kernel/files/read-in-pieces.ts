import { fstatSync, readSync } from "node:fs";
import { osReason } from "../call/errors.ts";
import { closeQuietly, uninterrupted } from "./file-io.ts";
import {
  type OwnedFile,
  openOwnedFile,
  type ReadOptions,
  Refused,
  readOpenFile,
  tooLarge,
} from "./owned-file.ts";

/** What is read before any of it is given out, so that a refusal gives out nothing. */
const WHOLE_BYTES = 1 << 23;
const PIECE_BYTES = 1 << 16;

/**
 * The content of a regular file of ours, whole when it is small, else in pieces as they are asked for: a cap may be
 * larger than memory. Owner, type and size are checked before the first piece; of a large file that still grows what was
 * there at that moment is given. Throws `Refused`; also while giving out, when a large file shrinks or cannot be read on.
 */
export function readInPieces(path: string, options: ReadOptions): Uint8Array | Iterable<Uint8Array> {
  const file = openOwnedFile(path, options);
  let isHandedOn = false;
  try {
    const whole = Math.min(options.maxBytes, WHOLE_BYTES);
    const small = file.stat.size <= whole ? readIfWithin(file, whole) : undefined;
    if (small !== undefined) return small;
    const { size } = fstatSync(file.descriptor);
    if (size > options.maxBytes) {
      throw tooLarge(path, `${size}`, options.maxBytes);
    }
    isHandedOn = true;
    return pieces(file, size);
  } finally {
    if (!isHandedOn) closeQuietly(file.descriptor);
  }
}

/** Undefined for one that has grown over the limit since it was opened. */
function readIfWithin(file: OwnedFile, limit: number): Uint8Array | undefined {
  try {
    return readOpenFile(file, limit);
  } catch (error) {
    if (error instanceof Refused && error.reason === "too-large") return undefined;
    throw error;
  }
}

function* pieces({ path, descriptor }: OwnedFile, size: number): Generator<Uint8Array> {
  try {
    for (let at = 0; at < size; ) {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, size - at));
      const count = readAt(path, descriptor, piece, at);
      if (count === 0)
        throw new Refused(path, "unreadable", `ended at ${at} of ${size} bytes: it was cut meanwhile`);
      yield piece.subarray(0, count);
      at += count;
    }
  } finally {
    closeQuietly(descriptor);
  }
}

function readAt(path: string, descriptor: number, piece: Uint8Array, at: number): number {
  try {
    return uninterrupted(() => readSync(descriptor, piece, 0, piece.length, at));
  } catch (error) {
    throw new Refused(path, "unreadable", osReason(error), error);
  }
}
