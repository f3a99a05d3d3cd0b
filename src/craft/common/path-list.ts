import { repoRelative } from "./repo-path.ts";

/** Most paths that a phase's touched set may have (docs/spec/craft-run.md 7.1). */
export const MOST_PATHS = 10_000;

/** Largest list of paths, in bytes. */
export const MAX_PATH_LIST_BYTES = 8 << 20;

/** Repository-relative paths, one a line: duplicates, blank lines and what leads out of the repository left out. */
export function pathsOf(root: string, text: string): string[] {
  const paths = text.split("\n").flatMap((line) => {
    const path = line.trim();
    return path === "" ? [] : (repoRelative(root, path) ?? []);
  });
  return [...new Set(paths)].slice(0, MOST_PATHS);
}
