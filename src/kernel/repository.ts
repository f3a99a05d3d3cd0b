import { lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The nearest ancestor of a directory (itself included) that holds a `.git` entry, by walking up the path. Nothing is
 * run and the entry's contents are not looked at, so a broken checkout or a missing git binary makes no difference.
 * `dangling` decides whether a symlink that leads nowhere counts: it does for config and packs (spec/packs.md
 * section 2), it does not for base-dir (spec/base-dir.md section 3).
 */
export function findGitAncestor(start: string, options: { dangling: boolean }): string | undefined {
  const look = options.dangling ? lstatSync : statSync;
  let directory = start;
  for (;;) {
    try {
      look(join(directory, ".git"));
      return directory;
    } catch {
      // Absent, dangling or out of reach: the answer may still be further up.
    }
    const parent = dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
}
