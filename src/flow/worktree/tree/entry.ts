import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { errorCode } from "../../../kernel/call/errors.ts";
import { FileError, uninterrupted } from "../../../kernel/files/file-io.ts";

/** What stands at a place: the entry itself, never what a link leads to. */
export type EntryKind = "absent" | "file" | "link" | "directory" | "other";

/** An entry's whole state as far as git and a user see it: its kind, its permission bits, its content. */
export interface EntryState {
  kind: EntryKind;
  /** Permission bits of a file. */
  mode?: number;
  /** SHA-256 of a file's content or of a link's target. */
  hash?: string;
}

export const ABSENT: EntryState = { kind: "absent" };

const BUFFER_BYTES = 1 << 18;

/** What stands at a place. Throws `FileError` when the system does not let one look, or read. */
export function entryAt(place: Buffer): EntryState {
  const stat = statAt(place);
  const kind = kindOf(stat);
  if (stat === undefined || kind === "absent") return ABSENT;
  if (kind === "link") return { kind, hash: hashOf(linkTarget(place)) };
  if (kind !== "file") return { kind };
  return fileState(place);
}

/** The look alone; undefined when there is nothing. A file on the way is nothing, too. */
export function statAt(place: Buffer): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === "ENOTDIR" || errorCode(error) === "ENOENT") return undefined;
    throw new FileError("cannot look at", place.toString(), error);
  }
}

export function kindAt(place: Buffer): EntryKind {
  return kindOf(statAt(place));
}

function kindOf(stat: Stats | undefined): EntryKind {
  if (stat === undefined) return "absent";
  if (stat.isSymbolicLink()) return "link";
  if (stat.isFile()) return "file";
  return stat.isDirectory() ? "directory" : "other";
}

/** A link's target, byte for byte. */
export function linkTarget(place: Buffer): Buffer {
  try {
    return readlinkSync(place, { encoding: "buffer" });
  } catch (error) {
    throw new FileError("cannot read the link", place.toString(), error);
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function fileState(place: Buffer): EntryState {
  try {
    const descriptor = openForReading(place);
    try {
      const { mode } = fstatSync(descriptor);
      const hash = createHash("sha256");
      eachPiece(descriptor, (piece) => void hash.update(piece));
      return { kind: "file", mode: mode & 0o7777, hash: hash.digest("hex") };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new FileError("cannot read", place.toString(), error);
  }
}

/** Open a file itself, no link; a FIFO that took its place does not block. */
export function openForReading(place: Buffer): number {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  return uninterrupted(() => openSync(place, flags));
}

/** A file's content in pieces, each valid until the next. */
export function eachPiece(descriptor: number, take: (piece: Uint8Array) => void): void {
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (;;) {
    const count = uninterrupted(() => readSync(descriptor, buffer, 0, buffer.length, null));
    if (count === 0) return;
    take(buffer.subarray(0, count));
  }
}

/** Whether two states are the same to git: kind, content, and of the mode the executable bit. */
export function isSameEntry(a: EntryState, b: EntryState): boolean {
  return a.kind === b.kind && a.hash === b.hash && isExecutable(a) === isExecutable(b);
}

export function isExecutable({ mode }: EntryState): boolean {
  return process.platform !== "win32" && mode !== undefined && (mode & 0o100) !== 0;
}
