import {
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import {
  closeQuietly,
  FileError,
  syncDirectory,
  uninterrupted,
  writeAll,
} from "../../kernel/files/file-io.ts";
import { compactSeconds } from "../../kernel/text/time.ts";
import { stateDirectory } from "../agents/state-directory.ts";

const MOST_BACKUPS_A_SECOND = 1000;

/**
 * Copy a whole skill directory, links as links, into a new directory of its own, and flush it; returns that directory.
 * Backups are never removed. Throws `FileError`, and then the caller replaces nothing.
 */
export function backUp(
  directory: string,
  name: string,
  host: Pick<Host, "env" | "home" | "platform" | "now">,
): string {
  const parent = join(stateDirectory(host), "skill-backups");
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    const target = claim(parent, `${compactSeconds(host.now())}-${name}`);
    copyContent(directory, target);
    syncDirectory(parent);
    return target;
  } catch (error) {
    throw new FileError("cannot back up", directory, error);
  }
}

function claim(parent: string, stem: string): string {
  for (let number = 1; ; number++) {
    const target = join(parent, number === 1 ? stem : `${stem}-${number}`);
    try {
      mkdirSync(target, { mode: 0o700 });
      return target;
    } catch (error) {
      if (errorCode(error) !== "EEXIST" || number === MOST_BACKUPS_A_SECOND) throw error;
    }
  }
}

function copyContent(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const stat = lstatSync(source);
    if (stat.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (stat.isDirectory()) {
      mkdirSync(target, { mode: 0o700 });
      copyContent(source, target);
    } else if (stat.isFile()) {
      copyFlushed(source, target, stat.mode & 0o777);
    }
  }
  syncDirectory(to);
}

/** Copy one file and flush it through the descriptor it was written by: Windows flushes no other. */
function copyFlushed(source: string, target: string, mode: number): void {
  const from = openSync(source, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const to = openSync(target, "wx", mode);
    try {
      const piece = new Uint8Array(65_536);
      for (;;) {
        const count = uninterrupted(() => readSync(from, piece, 0, piece.length, null));
        if (count === 0) break;
        writeAll(to, piece.subarray(0, count));
      }
      fchmodSync(to, mode);
      uninterrupted(() => fsyncSync(to));
    } finally {
      closeQuietly(to);
    }
  } finally {
    closeQuietly(from);
  }
}
