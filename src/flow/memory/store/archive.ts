import { dirname } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import { appendRecords } from "../../../kernel/files/append.ts";
import { syncDirectory } from "../../../kernel/files/file-io.ts";
import { insideProject } from "../../common/state-file.ts";
import { ensureDirectory } from "./directory.ts";
import { readMemory } from "./memory-file.ts";

/**
 * Keep what was evicted: its lines are appended to an archive, made when missing, and flushed before the file they come
 * from is trimmed (docs/spec/flow.md 9.5). What the archive holds already, as after a failed try, is not repeated.
 */
export function appendArchive(base: string, path: string, evicted: readonly string[]): void {
  const lines = evicted.flatMap((entry) => entry.split("\n"));
  if (lines.length === 0) return;
  try {
    ensureDirectory(base, dirname(path));
    const there = new Set(readMemory(base, path)?.split("\n"));
    const fresh = lines.filter((line) => !there.has(line));
    if (fresh.length === 0) return;
    const real = insideProject(base, path);
    appendRecords(real, fresh, { create: 0o644, undo: true });
    syncDirectory(dirname(real));
  } catch (error) {
    const why = error instanceof JigError ? error.message : String(error);
    throw new JigError(`the archive was not written, and so nothing was evicted: ${why}`, { cause: error });
  }
}
