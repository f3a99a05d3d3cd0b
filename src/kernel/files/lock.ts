import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { tryLockFile } from "../../runtime/lock.ts";
import { errorCode, JigError } from "../call/errors.ts";
import { randomHex } from "../text/random.ts";
import { sleep } from "../text/time.ts";
import { writeFileAtomic } from "./atomic.ts";
import { FileError } from "./file-io.ts";

/** The kernel lock was held by someone else for the whole time; nothing was done. */
export class LockTimeout extends JigError {
  readonly path: string;

  constructor(path: string, timeoutMs: number) {
    super(`${path} is locked by another jig process (waited ${timeoutMs / 1000} s)`, {
      hint: "try again when the other process is done",
    });
    this.name = "LockTimeout";
    this.path = path;
  }
}

/**
 * Do something while holding the exclusive kernel lock on a file (made when missing, never removed). The kernel lets
 * go of it when the process ends, however it ends, so there is no stale case. For state only jig writes. Throws
 * `LockTimeout` after `timeoutMs`, `FileError` when the lock file cannot be made.
 */
export async function withKernelLock<T>(
  path: string,
  action: () => T | Promise<T>,
  options: { timeoutMs: number },
): Promise<T> {
  const lock = await takeKernelLock(path, options.timeoutMs);
  try {
    return await action();
  } finally {
    lock.release();
  }
}

async function takeKernelLock(path: string, timeoutMs: number): Promise<{ release(): void }> {
  const deadline = performance.now() + timeoutMs;
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    try {
      const lock = await tryLockFile(path);
      if (lock !== undefined) return lock;
    } catch (error) {
      throw new FileError("cannot lock", path, error);
    }
    const left = deadline - performance.now();
    if (left <= 0) throw new LockTimeout(path, timeoutMs);
    await sleep(Math.min(wait, left));
  }
}

/** What a lock directory looked like at one moment. */
export interface LockSighting {
  /** The holder's metadata, byte for byte; undefined in the moment before it is written, or when it is unreadable. */
  metadata: Uint8Array | undefined;
  /** Modification time of the lock directory, milliseconds since the epoch; undefined when it cannot be looked at. */
  modifiedMs: number | undefined;
}

/** A lock directory we hold. */
export interface DirectoryLock {
  readonly path: string;
  readonly token: string;
  /** Whether the directory still carries our token: look again right before what the lock protects. */
  isOurs(): boolean;
  /** Take our own lock away; `lost` when it is gone or carries another token, which is left alone. */
  release(): "released" | "lost";
}

export interface DirectoryLockOptions {
  /** Name of the metadata file inside; `owner.json` without. */
  metadataName?: string;
}

/**
 * Try once to take a lock made of a directory, the form shared with tools that do not know our kernel locks: creating
 * it is atomic. `holder` says who we are (pid, process identity, host …); a `token` of our own is added to it.
 * Returns the lock, or what is there instead. Throws `FileError` for any other reason.
 */
export function tryDirectoryLock(
  path: string,
  holder: Readonly<Record<string, unknown>>,
  options: DirectoryLockOptions = {},
): DirectoryLock | LockSighting {
  const name = options.metadataName ?? "owner.json";
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    if (errorCode(error) === "EEXIST") return sightLock(path, name);
    throw new FileError("cannot lock", path, error);
  }
  const token = randomHex(16);
  try {
    writeFileAtomic(join(path, name), `${JSON.stringify({ ...holder, token }, null, 2)}\n`);
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    throw error;
  }
  const isOurs = () => tokenOf(readMetadata(join(path, name))) === token;
  return {
    path,
    token,
    isOurs,
    release() {
      if (!isOurs()) return "lost";
      return moveAside(path, (aside) => tokenOf(readMetadata(join(aside, name))) === token)
        ? "released"
        : "lost";
    },
  };
}

/** Whether an attempt took the lock. */
export function isHeld(attempt: DirectoryLock | LockSighting): attempt is DirectoryLock {
  return "release" in attempt;
}

/** Look at a lock directory without touching it. */
export function sightLock(path: string, metadataName = "owner.json"): LockSighting {
  return {
    metadata: readMetadata(join(path, metadataName)),
    modifiedMs: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs,
  };
}

/**
 * Remove a lock whose holder was proven gone, only while it is still the very one that was seen: its metadata is
 * compared before it is moved aside in one rename, and again before it is deleted; a wrong one is put back. False when
 * something changed meanwhile or the move failed. The caller then tries to take the lock like everybody else.
 */
export function reclaimDirectoryLock(
  path: string,
  seen: LockSighting,
  options: DirectoryLockOptions = {},
): boolean {
  const name = options.metadataName ?? "owner.json";
  const now = sightLock(path, name);
  if (!sameBytes(now.metadata, seen.metadata)) return false;
  // Without metadata only the directory's time can show that it is not a newer lock.
  if (seen.metadata === undefined && now.modifiedMs !== seen.modifiedMs) return false;
  return moveAside(path, (aside) => sameBytes(readMetadata(join(aside, name)), seen.metadata));
}

function moveAside(path: string, isTheOne: (aside: string) => boolean): boolean {
  const aside = join(dirname(path), `${basename(path)}.${randomHex(8)}.gone`);
  try {
    renameSync(path, aside);
  } catch {
    return false;
  }
  if (!isTheOne(aside)) {
    putBack(aside, path);
    return false;
  }
  try {
    rmSync(aside, { recursive: true, force: true });
  } catch {
    // The lock itself is free; the leftover has a name nobody waits for.
  }
  return true;
}

/** Only onto a free name: rename would replace an empty directory, which is a lock being taken. */
function putBack(aside: string, path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  try {
    renameSync(aside, path);
  } catch {
    // Somebody took the lock in between; theirs counts.
  }
}

const LARGEST_METADATA = 65_536;

function readMetadata(path: string): Uint8Array | undefined {
  try {
    const stat = lstatSync(path);
    return stat.isFile() && stat.size <= LARGEST_METADATA ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function tokenOf(metadata: Uint8Array | undefined): unknown {
  if (metadata === undefined) return undefined;
  try {
    return (JSON.parse(new TextDecoder().decode(metadata)) as { token?: unknown }).token;
  } catch {
    return undefined;
  }
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
