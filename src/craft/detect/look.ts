import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { decodeUtf8, Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import type { DirectoryLook } from "./ecosystem.ts";

/** Larger manifests of a package manager are passed over. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A directory of the file system, each file read once at most; what cannot be read counts as absent. */
export function lookIn(directory: string): DirectoryLook {
  const texts = new Map<string, string | undefined>();
  return {
    has: (file) => statSync(join(directory, file), { throwIfNoEntry: false })?.isFile() ?? false,
    read(file) {
      if (!texts.has(file)) texts.set(file, readText(join(directory, file)));
      return texts.get(file);
    },
  };
}

function readText(path: string): string | undefined {
  try {
    return decodeUtf8(readOwnedFile(path, { uid: undefined, allowSymlink: true, maxBytes: MAX_BYTES }));
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Names of a directory's entries, sorted; none when it cannot be listed. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    // No such directory, or one we may not list: it shows nothing.
    return [];
  }
}
