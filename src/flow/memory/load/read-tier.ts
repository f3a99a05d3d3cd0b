import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { isDirectory } from "../../../kernel/files/look.ts";
import { Refused } from "../../../kernel/files/owned-file.ts";
import { type Layout, MEMORY_FILES, type MemoryFile } from "../../common/layout.ts";
import { withMemoryLock } from "../../common/lock.ts";
import { ensureDirectory } from "../store/directory.ts";
import { beginningOf, type HealedFile, healFile } from "../store/healed-file.ts";
import { readMemory } from "../store/memory-file.ts";
import { flatPath, type Tier } from "../store/tier.ts";
import { MEMORY_FORMS } from "../text/files.ts";
import { healText, missingSections } from "../text/heal.ts";

export type FileStatus =
  | "ok"
  | "created"
  | "healed"
  | "from_flat"
  | "missing"
  | "unreadable"
  | "not_utf8"
  | "skipped";

/** One memory file as it was loaded. */
export interface LoadedFile {
  path: string | null;
  status: FileStatus;
  bytes: number;
  /** Sections that were added. */
  healed: string[];
  /** What counts for the session; undefined when nothing does. */
  text: string | undefined;
}

export interface LoadedTier {
  files: Record<MemoryFile, LoadedFile>;
  notes: string[];
}

export const SKIPPED: LoadedFile = { path: null, status: "skipped", bytes: 0, healed: [], text: undefined };

export function skippedTier(): LoadedTier {
  return { files: everyFile(() => SKIPPED), notes: [] };
}

export function everyFile<T>(make: (file: MemoryFile) => T): Record<MemoryFile, T> {
  return Object.fromEntries(MEMORY_FILES.map((file) => [file, make(file)])) as Record<MemoryFile, T>;
}

/**
 * A tier whose files are made and healed where that is possible; where it is not, they count as they were read, with a
 * note (docs/spec/flow.md 9.3). `layout` is the project's, whose root-flat files stand in for missing ones.
 */
export async function loadHealed(
  host: Host,
  tier: Tier,
  layout: Layout | undefined,
  heal: boolean,
): Promise<LoadedTier> {
  const notes: string[] = [];
  const files = everyFile(() => SKIPPED);
  for (const file of MEMORY_FILES) files[file] = await loadFile(host, tier, file, layout, heal, notes);
  return { files, notes };
}

async function loadFile(
  host: Host,
  tier: Tier,
  file: MemoryFile,
  layout: Layout | undefined,
  heal: boolean,
  notes: string[],
): Promise<LoadedFile> {
  const path = tier.path(file);
  try {
    const found = readMemory(tier.base, path);
    const isWhole = found !== undefined && missingSections(found, MEMORY_FORMS[file].sections).length === 0;
    if (isWhole && found.trim() !== "") return loaded(path, "ok", found, []);
    const flat = layout === undefined ? undefined : readMemory(layout.root, flatPath(layout, file));
    if (heal) {
      const done = await healed(host, tier, file, flat, notes);
      if (done !== undefined) return done;
    }
    const { text } = beginningOf(tier, file, found, flat);
    const status = found === undefined ? "missing" : "ok";
    return {
      ...loaded(path, status, healText(text, MEMORY_FORMS[file].sections).text, []),
      bytes: bytesOf(found),
    };
  } catch (error) {
    return unreadable(path, error, notes);
  }
}

/** Undefined, with a note, when the file cannot be written. */
async function healed(
  host: Host,
  tier: Tier,
  file: MemoryFile,
  flat: string | undefined,
  notes: string[],
): Promise<LoadedFile | undefined> {
  const path = tier.path(file);
  let done: HealedFile;
  try {
    done = await withMemoryLock(host, tier.state, () => healFile(tier, file, flat));
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    notes.push(`${tier.name} ${file} was not healed: ${error.message}`);
    return undefined;
  }
  return loaded(path, done.did === "nothing" ? "ok" : done.did, readMemory(tier.base, path), done.added);
}

/** The tier of a workflow: its directory is made, no file is made or changed. */
export function loadAsIs(tier: Tier, make: boolean): LoadedTier {
  const notes: string[] = [];
  if (make && !isDirectory(tier.directory)) {
    try {
      ensureDirectory(tier.base, tier.directory);
    } catch (error) {
      if (!(error instanceof JigError)) throw error;
      notes.push(`${tier.name} directory was not made: ${error.message}`);
    }
  }
  const files = everyFile((file) => {
    const path = tier.path(file);
    try {
      const text = readMemory(tier.base, path);
      return loaded(path, text === undefined ? "missing" : "ok", text, []);
    } catch (error) {
      return unreadable(path, error, notes);
    }
  });
  return { files, notes };
}

function loaded(path: string, status: FileStatus, text: string | undefined, healed: string[]): LoadedFile {
  return { path, status, bytes: bytesOf(text), healed, text };
}

function unreadable(path: string, error: unknown, notes: string[]): LoadedFile {
  if (!(error instanceof JigError)) throw error;
  notes.push(error.message);
  const notText = error.cause instanceof Refused && error.cause.reason === "not-utf8";
  return { path, status: notText ? "not_utf8" : "unreadable", bytes: 0, healed: [], text: undefined };
}

function bytesOf(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text);
}
