/** One memory file on disk (docs/spec/flow.md 1.7): read whole, replaced whole, never repaired when it is no text. */
import { writeFileAtomic } from "../../../kernel/files/atomic.ts";
import { statIfThere } from "../../../kernel/files/look.ts";
import { printable } from "../../../kernel/text/printable.ts";
import {
  insideProject,
  MAX_MEMORY_BYTES,
  readStateBytes,
  StateFileError,
  stateText,
} from "../../common/state-file.ts";

/** What others did between our reading and our writing was seen this often in a row. */
const MOST_TRIES = 5;

/**
 * The text of a memory file below `base` (a project or a workspace); undefined when it is missing. Throws
 * `StateFileError`: over 8 MiB, not UTF-8, no file, or a link that leads out of `base`.
 */
export function readMemory(base: string, path: string): string | undefined {
  const bytes = bytesIfThere(base, path);
  return bytes === undefined ? undefined : stateText(path, bytes);
}

/**
 * Replace a memory file by what `change` makes of its text (undefined: it is missing), or leave it when that is the
 * same. The caller holds the memory lock; a tool without it that writes in between is seen, and `change` called again.
 * True when it was written.
 */
export function changeMemory(
  base: string,
  path: string,
  change: (text: string | undefined) => string | undefined,
): boolean {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = bytesIfThere(base, path);
    const text = before === undefined ? undefined : stateText(path, before);
    const changed = change(text);
    if (changed === undefined || changed === text) return false;
    if (writeIfUnchanged(base, path, changed, before)) return true;
  }
  throw new StateFileError(path, "keeps changing underneath; it was not written", {
    hint: "another program writes it without jig's lock; try again when that is done",
  });
}

function writeIfUnchanged(base: string, path: string, text: string, before: Uint8Array | undefined): boolean {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_MEMORY_BYTES) {
    throw new StateFileError(path, `would be ${bytes.length} bytes; ${MAX_MEMORY_BYTES} are the limit`, {
      hint: `move older notes of ${printable(path)} to a file of their own`,
    });
  }
  return writeFileAtomic(insideProject(base, path), bytes, {
    keepMode: true,
    stillWanted: () => sameBytes(bytesIfThere(base, path), before),
  });
}

function bytesIfThere(base: string, path: string): Uint8Array | undefined {
  // A link that leads nowhere is something, and refused when it is read.
  if (statIfThere(path, "cannot read") === undefined) return undefined;
  return readStateBytes(base, path, MAX_MEMORY_BYTES);
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
