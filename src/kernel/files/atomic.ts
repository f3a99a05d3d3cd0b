import { constants, fchmodSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { EXIT, errorCode, JigError } from "../call/errors.ts";
import { randomHex } from "../text/random.ts";
import { resolveReal } from "./contain.ts";
import {
  closeQuietly,
  FileError,
  pause,
  syncDirectory,
  toBytes,
  uninterrupted,
  writeAll,
} from "./file-io.ts";
import { statIfThere } from "./look.ts";

export interface NewFileOptions {
  /** Exact permission bits whatever the umask; without it the umask decides. */
  mode?: number;
  /** Without `mode`: the bits the umask takes its part of; 0666 unless given. */
  requestedMode?: number;
  /** What the temporary name beside the target begins with; `.tmp-` without. */
  prefix?: string;
}

export interface ReplaceOptions extends NewFileOptions {
  /** An existing file's permission bits are given to the new one; `mode` then only counts for a new file. */
  keepMode?: boolean;
  /** A symlink at the target: `refuse` (exit 4, the default), write through it on purpose, or replace the link itself. */
  symlink?: "refuse" | "follow" | "replace";
  /** Asked right before the new content takes the name: a no leaves the old one (for files others change without a lock). */
  stillWanted?: () => boolean;
}

const WINDOWS_RENAME_PATIENCE_MS = 2000;

/**
 * Replace a file's content, or make the file. A reader sees the old content or the new, never a part, also across a
 * crash or a full disk; the directory is flushed before it returns. The temporary file is removed on any failure.
 * It does not stop lost updates: load, change and write under one lock. False when it was no longer wanted
 * (`stillWanted`). Throws `FileError`.
 */
export function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: ReplaceOptions = {},
): boolean {
  const target = options.symlink === "follow" ? resolveReal(path) : path;
  if ((options.symlink ?? "refuse") === "refuse" && statIfThere(target, "cannot write")?.isSymbolicLink()) {
    throw new JigError(`cannot write ${path}: is a symlink`, { exitCode: EXIT.refused });
  }
  const existing = options.keepMode ? statIfThere(target, "cannot write") : undefined;
  const mode = existing?.isFile() ? existing.mode & 0o7777 : options.mode;
  const temporary = writeTemporary(target, toBytes(content), mode, options);
  try {
    if (options.stillWanted?.() === false) {
      removeQuietly(temporary);
      return false;
    }
    renameOver(temporary, target);
  } catch (error) {
    removeQuietly(temporary);
    throw error instanceof JigError ? error : new FileError("cannot write", target, error);
  }
  flushDirectoryOf(target);
  return true;
}

/**
 * Make a file appear complete, or not at all, and never replace one: the atomic create-if-absent. True when this call
 * made it, false when something already had the name (a symlink counts, also a dangling one). Throws `FileError`.
 */
export function publishExclusive(
  path: string,
  content: string | Uint8Array,
  options: NewFileOptions = {},
): boolean {
  if (statIfThere(path, "cannot write") !== undefined) return false;
  const temporary = writeTemporary(path, toBytes(content), options.mode, options);
  try {
    linkSync(temporary, path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (!LINK_UNSUPPORTED.has(code ?? "")) throw new FileError("cannot write", path, error);
    if (!renameIfAbsent(temporary, path, options.prefix)) return false;
  } finally {
    removeQuietly(temporary);
  }
  flushDirectoryOf(path);
  return true;
}

const LINK_UNSUPPORTED = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EISDIR",
  "EMLINK",
  "EINVAL",
  "UNKNOWN",
]);

/** What is flushed to disk before a call returns; a later flush of the same directory covers the name. */
export type Flush = "all" | "content" | "nothing";

/**
 * Make a file under its final name, exclusively and without following links, with this content and mode (without one
 * the umask decides). A reader may see it unfinished; `publishExclusive` hides that. False when something already has
 * the name. Throws `FileError`.
 */
export function createExclusive(
  path: string,
  content: string | Uint8Array,
  mode?: number,
  flush: Flush = "all",
): boolean {
  let descriptor: number;
  try {
    descriptor = openExclusive(path, mode ?? 0o666);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw new FileError("cannot create", path, error);
  }
  try {
    fill(descriptor, toBytes(content), mode, flush !== "nothing");
  } catch (error) {
    removeQuietly(path);
    throw new FileError("cannot create", path, error);
  } finally {
    closeQuietly(descriptor);
  }
  if (flush === "all") flushDirectoryOf(path);
  return true;
}

function openExclusive(path: string, mode: number): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return uninterrupted(() => openSync(path, flags, mode));
}

/** Content, exact mode and flush; the descriptor stays open. */
function fill(descriptor: number, bytes: Uint8Array, mode: number | undefined, flush = true): void {
  writeAll(descriptor, bytes);
  if (mode !== undefined) uninterrupted(() => fchmodSync(descriptor, mode));
  if (flush) uninterrupted(() => fsyncSync(descriptor));
}

function writeTemporary(
  target: string,
  bytes: Uint8Array,
  mode: number | undefined,
  { prefix = ".tmp-", requestedMode = 0o666 }: NewFileOptions,
): string {
  const temporary = join(dirname(target), `${prefix}${randomHex(8)}`);
  let descriptor: number;
  try {
    descriptor = openExclusive(temporary, mode === undefined ? requestedMode : mode & 0o600);
  } catch (error) {
    throw new FileError("cannot write", target, error);
  }
  try {
    fill(descriptor, bytes, mode);
  } catch (error) {
    removeQuietly(temporary);
    throw new FileError("cannot write", target, error);
  } finally {
    closeQuietly(descriptor);
  }
  return temporary;
}

/** Rename; on Windows again for up to 2 s while a scanner or a reader holds the target open. */
function renameOver(from: string, to: string): void {
  const deadline = performance.now() + WINDOWS_RENAME_PATIENCE_MS;
  for (;;) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const passing = process.platform === "win32" && /^(EPERM|EACCES|EBUSY)$/.test(errorCode(error) ?? "");
      if (!passing || performance.now() > deadline) throw error;
      pause(25);
    }
  }
}

/**
 * The exclusive publication for file systems without hard links: the look and the rename happen under a guard file,
 * taken exclusively. A guard left by a crash is never removed by guess; the error names it.
 */
function renameIfAbsent(temporary: string, path: string, prefix = ".tmp-"): boolean {
  const guard = join(dirname(path), `${prefix}${basename(path)}.guard`);
  const deadline = performance.now() + WINDOWS_RENAME_PATIENCE_MS;
  for (;;) {
    if (statIfThere(path, "cannot write") !== undefined) return false;
    try {
      closeQuietly(openExclusive(guard, 0o600));
      break;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw new FileError("cannot write", path, error);
      if (performance.now() > deadline) {
        throw new JigError(`cannot write ${path}: another writer holds ${guard}`, {
          hint: `when no other jig is running, remove ${guard} and try again`,
        });
      }
      pause(10);
    }
  }
  try {
    if (statIfThere(path, "cannot write") !== undefined) return false;
    renameOver(temporary, path);
    return true;
  } catch (error) {
    throw new FileError("cannot write", path, error);
  } finally {
    removeQuietly(guard);
  }
}

function flushDirectoryOf(path: string): void {
  try {
    syncDirectory(dirname(path));
  } catch (error) {
    throw new FileError("cannot flush the directory of", path, error);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already renamed away, or the disk refuses: a leftover temporary is ignored by every reader.
  }
}
