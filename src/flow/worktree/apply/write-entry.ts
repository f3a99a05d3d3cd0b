import { createHash } from "node:crypto";
import { closeSync, constants, fchmodSync, fsyncSync, openSync, symlinkSync } from "node:fs";
import { uninterrupted, writeAll } from "../../../kernel/files/file-io.ts";
import { type EntryState, eachPiece, hashOf, linkTarget, openForReading } from "../tree/entry.ts";

/**
 * Make a copy of a file or a link under a new name, and flush it; gives what was written. A link gets the target that
 * `targetOf` makes of its own. Throws the operating system's error.
 */
export function writeEntry(
  from: Buffer,
  to: Buffer,
  { kind, mode }: EntryState,
  targetOf: (own: Buffer) => Buffer = (own) => own,
): EntryState {
  if (kind === "link") {
    const target = targetOf(linkTarget(from));
    symlinkSync(target, to);
    return { kind, hash: hashOf(target) };
  }
  const source = openForReading(from);
  try {
    return writeFile(source, to, mode ?? 0o644);
  } finally {
    closeSync(source);
  }
}

function writeFile(source: number, to: Buffer, mode: number): EntryState {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const descriptor = uninterrupted(() => openSync(to, flags, 0o600));
  const hash = createHash("sha256");
  try {
    eachPiece(source, (piece) => {
      hash.update(piece);
      writeAll(descriptor, piece);
    });
    uninterrupted(() => fchmodSync(descriptor, mode));
    uninterrupted(() => fsyncSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
  return { kind: "file", mode, hash: hash.digest("hex") };
}

/** Permission bits of a file that gets another's content: its own, executable or not as the other; a new file gets all. */
export function modeFor(source: number, existing: number | undefined): number {
  if (existing === undefined) return source & 0o777;
  const bits = existing & 0o7777;
  return (source & 0o100) === 0 ? bits & ~0o111 : bits | ((bits & 0o444) >> 2) | 0o100;
}
