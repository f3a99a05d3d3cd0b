import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Host } from "../call/host.ts";
import { isInside, realOrPlain } from "../files/contain.ts";

/**
 * The nearest ancestor of a directory (itself included) that holds a `.git` entry, by walking up the path. Nothing is
 * run and the entry's contents are not looked at, so a broken checkout or a missing git binary makes no difference.
 * `dangling` decides whether a symlink that leads nowhere counts: it does for config and packs (docs/spec/packs.md
 * section 2), it does not for base-dir (docs/spec/base-dir.md section 3).
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

/** Whether a real path is a repository's `.git` or below it, also when that is a link. `root` is a real path. */
export function isInGitDirectory(root: string, path: string): boolean {
  const git = join(root, ".git");
  return isInside(git, path) || isInside(realOrPlain(git), path);
}

export interface Repository {
  /** Real path of the working tree's top directory; undefined outside a repository. */
  root: string | undefined;
  /** Whether git could be run at all. */
  git: "available" | "missing";
  /** Set when git found a repository and refused it because another user owns it. */
  refused?: "foreign-owner";
}

/** What to do about `Repository.refused`. */
export const FOREIGN_OWNER_HINT =
  "git refuses this directory because another user owns it; if you trust it, add it to git's safe.directory setting";

/**
 * The repository of the working directory: what `git rev-parse --show-toplevel` prints, so a linked worktree is its own
 * repository; the nearest ancestor with a `.git` entry of any kind when git is not on PATH (docs/spec/config.md section 1).
 * A git that cannot be started, is killed or does not answer counts as missing.
 */
export async function findRepository(host: Pick<Host, "cwd" | "env" | "platform">): Promise<Repository> {
  const { GitError, git, gitText } = await import("./git.ts");
  try {
    const result = await git(host, ["rev-parse", "--show-toplevel"]);
    const path = gitText(result);
    if (result.exitCode === 0 && path !== "") return { root: realPath(path), git: "available" };
    if (result.exitCode > KILLED) return withoutGit(host);
    const refused = result.stderr.includes("safe.directory") ? { refused: "foreign-owner" as const } : {};
    return { root: undefined, git: "available", ...refused };
  } catch (error) {
    if (!(error instanceof GitError) || error.failure === "directory") throw error;
    return withoutGit(host);
  }
}

/** Exit codes above this mean that a signal ended git; 129 is also its answer to a usage error. */
const KILLED = 129;

function withoutGit({ cwd }: Pick<Host, "cwd">): Repository {
  const root = findGitAncestor(cwd, { dangling: true });
  return { root: root === undefined ? undefined : realPath(root), git: "missing" };
}

function realPath(path: string): string {
  return realpathSync.native(resolve(path));
}
