import { constants, fstatSync, openSync, readvSync, type Stats } from "node:fs";
import { EXIT, errorCode, JigError, osReason } from "../call/errors.ts";
import { closeQuietly, uninterrupted } from "./file-io.ts";
import { lookAt } from "./look.ts";
import { isForeignDescriptorOnWindows, isForeignOnWindows } from "./windows-owner.ts";

/** Why a file was not read; callers branch on it, never on text. */
export type RefusalReason =
  | "absent"
  | "symlink"
  | "not-regular"
  | "foreign-owner"
  | "too-large"
  | "unreadable"
  | "not-utf8";

/** A read that was refused; none of the content was given out. The message is `<path>: <why>`, exit 4. */
export class Refused extends JigError {
  readonly path: string;
  readonly reason: RefusalReason;
  /** A phrase without the path: `is a symlink`, `permission denied`. */
  readonly why: string;

  constructor(path: string, reason: RefusalReason, why: string, cause?: unknown) {
    super(`${path}: ${why}`, { exitCode: EXIT.refused, cause });
    this.name = "Refused";
    this.path = path;
    this.reason = reason;
    this.why = why;
  }
}

export interface OpenOptions {
  /** The only owner accepted; undefined accepts every owner (also the case on Windows, where owners are not numbers). */
  uid: number | undefined;
  /** On Windows accept the caller's files alone (docs/spec/jobs.md 12.1). */
  oursOnWindows?: boolean;
  /** Follow a symlink in the last component; the checks then apply to what it leads to. */
  allowSymlink?: boolean;
}

export interface ReadOptions extends OpenOptions {
  /** Largest content accepted, in bytes. */
  maxBytes: number;
}

/** A descriptor whose owner and type were checked on the descriptor itself. The caller closes it. */
export interface OwnedFile {
  readonly path: string;
  readonly descriptor: number;
  readonly stat: Stats;
}

/**
 * Open a regular file of ours for reading, without following a symlink in the last component and without blocking on
 * a FIFO (docs/spec/jobs.md 4.2). Throws `Refused`.
 */
export function openOwnedFile(path: string, options: OpenOptions): OwnedFile {
  const descriptor = openForReading(path, options.allowSymlink ?? false);
  try {
    const stat = fstatSync(descriptor);
    // The owner first: nothing else about another user's file is told.
    if (options.uid !== undefined && stat.uid !== options.uid) {
      throw new Refused(path, "foreign-owner", `is owned by uid ${stat.uid}, not by uid ${options.uid}`);
    }
    if (options.oursOnWindows && process.platform === "win32" && isForeignDescriptorOnWindows(descriptor)) {
      throw new Refused(path, "foreign-owner", "is owned by another user");
    }
    if (!stat.isFile()) throw new Refused(path, "not-regular", "is not a regular file");
    return { path, descriptor, stat };
  } catch (error) {
    closeQuietly(descriptor);
    throw error instanceof Refused ? error : new Refused(path, "unreadable", osReason(error), error);
  }
}

function openForReading(path: string, allowSymlink: boolean): number {
  // Windows has none of these flags; undefined counts as 0 there. Both runtimes open close-on-exec by themselves.
  const noFollow = allowSymlink ? 0 : (constants.O_NOFOLLOW ?? 0);
  try {
    return uninterrupted(() => openSync(path, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0)));
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw new Refused(path, "absent", osReason(error), error);
    if ((code === "ELOOP" || code === "EMLINK") && !allowSymlink) {
      throw new Refused(path, "symlink", "is a symlink", error);
    }
    // A socket or a device without a driver; on Windows a directory.
    if (code === "ENXIO" || code === "ENODEV" || code === "EISDIR" || code === "EOPNOTSUPP") {
      throw new Refused(path, "not-regular", "is not a regular file", error);
    }
    throw new Refused(path, "unreadable", osReason(error), error);
  }
}

/**
 * The whole content of a regular file of ours, at most `maxBytes`: the size is looked at before reading, and reading
 * stops when more arrives than that. Throws `Refused` and gives out nothing otherwise.
 */
export function readOwnedFile(path: string, options: ReadOptions): Uint8Array {
  const file = openOwnedFile(path, options);
  try {
    return readOpenFile(file, options.maxBytes);
  } finally {
    closeQuietly(file.descriptor);
  }
}

/** As `readOwnedFile`, decoded as strict UTF-8 (a byte-order mark stays in the text). */
export function readOwnedText(path: string, options: ReadOptions): string {
  const text = decodeUtf8(readOwnedFile(path, options));
  if (text === undefined) throw new Refused(path, "not-utf8", "is not valid UTF-8");
  return text;
}

/** Whether a path is a real directory, not a link to one, of this owner (undefined accepts every owner). */
export function isOwnDirectory(path: string, uid: number | undefined): boolean {
  const stat = lookAt(path);
  return stat?.isDirectory() === true && (uid === undefined || stat.uid === uid);
}

/** Whether a directory, given with its `lstat`, is ours: by its uid, on Windows by its owner (docs/spec/jobs.md 12.1). */
export function isOurs(path: string, stat: Stats, uid: number | undefined): boolean {
  return (
    (uid === undefined || stat.uid === uid) && !(process.platform === "win32" && isForeignOnWindows(path))
  );
}

/** The text of bytes that are valid UTF-8, undefined otherwise. A byte-order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Most that is ever read into memory at once, whatever cap a caller was given. */
const LARGEST_READ = 1 << 28;

/** All of an opened file from its start, at most `maxBytes` and 256 MiB. Throws `Refused`. */
export function readOpenFile(file: OwnedFile, cap: number): Uint8Array {
  const { path, descriptor, stat } = file;
  const maxBytes = Math.min(cap, LARGEST_READ);
  if (stat.size > maxBytes) throw tooLarge(path, `${stat.size}`, maxBytes);
  // One byte more than expected, to see the end of the file in the first read.
  let buffer = new Uint8Array(stat.size + 1);
  let filled = 0;
  for (;;) {
    if (filled === buffer.length) {
      if (filled > maxBytes) throw tooLarge(path, "more", maxBytes);
      const larger = new Uint8Array(Math.min(maxBytes + 1, buffer.length * 2 + 4096));
      larger.set(buffer);
      buffer = larger;
    }
    const count = readSome(file, buffer, filled);
    filled += count;
    // Short of what was asked for, at the very size expected: the end, without another call to be told so.
    if (count === 0 || (filled === stat.size && filled < buffer.length)) break;
  }
  if (filled > maxBytes) throw tooLarge(path, "more", maxBytes);
  // A view makes the runtime move a small buffer out of its heap first, which costs more than the copy.
  return filled < SMALL_BYTES ? buffer.slice(0, filled) : buffer.subarray(0, filled);

  function readSome(from: OwnedFile, into: Uint8Array, at: number): number {
    try {
      // Not `readSync`: its first call in a Bun process makes 50 KB of objects.
      return uninterrupted(() => readvSync(descriptor, [into.subarray(at)]));
    } catch (error) {
      throw new Refused(from.path, "unreadable", osReason(error), error);
    }
  }
}

const SMALL_BYTES = 4_096;

/** The refusal of a file over its cap. */
export function tooLarge(path: string, size: string, maxBytes: number): Refused {
  return new Refused(path, "too-large", `is too large (${size} > ${maxBytes} bytes)`);
}
