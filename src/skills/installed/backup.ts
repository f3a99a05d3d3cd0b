import {
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { closeQuietly, FileError, syncDirectory } from "../../kernel/files/file-io.ts";
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
      copyFileSync(source, target, constants.COPYFILE_EXCL);
      flush(target);
    }
  }
  syncDirectory(to);
}

function flush(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeQuietly(descriptor);
  }
}
