import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Host } from "../call/host.ts";
import { isInside, realOrPlain } from "../files/contain.ts";

/**
 * The nearest ancestor of a directory (itself included) that holds a `.git` entry, by walking up the path. Nothing is
 * run and the entry's contents are not looked at, so a broken checkout or a missing git binary makes no difference.
 * `dangling` decides whether a symlink that leads nowhere counts: it does for config and packs (docs/spec/packs.md
 * section 2), it does not for base-dir (docs/spec/base-dir.md section 3). An entry that another user put into a
 * directory where everybody may (`/tmp/.git`) is passed over; `uid` is the caller.
 */
export function findGitAncestor(
  start: string,
  { dangling, uid }: { dangling: boolean; uid: number | undefined },
): string | undefined {
  return ancestorWith(start, (directory) => {
    const entry = join(directory, ".git");
    (dangling ? lstatSync : statSync)(entry);
    return !isPlanted(entry, directory, uid);
  });
}

/** The nearest ancestor the look answers yes for; one that throws has answered no. */
function ancestorWith(start: string, look: (directory: string) => boolean): string | undefined {
  let directory = start;
  for (;;) {
    try {
      if (look(directory)) return directory;
    } catch {
      // Absent, dangling or out of reach: the answer may still be further up.
    }
    const parent = dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
}

/** In a directory of one user, or of a group, whoever may write already decides what is below it. */
function isPlanted(entry: string, directory: string, uid: number | undefined): boolean {
  const owner = lstatSync(entry).uid;
  if (uid === undefined || owner === uid || owner === 0) return false;
  const holder = statSync(directory);
  return (holder.mode & 0o002) !== 0 && owner !== holder.uid;
}

/** Whether a real path is a repository's `.git` or below it, also when that is a link. `root` is a real path. */
export function isInGitDirectory(root: string, path: string): boolean {
  const git = join(root, ".git");
  return isInside(git, path) || isInside(realOrPlain(git), path);
}

/** What finding a repository looks at. */
export type RepositoryHost = Pick<Host, "cwd" | "env" | "platform" | "uid">;

export interface Repository {
  /** Real path of the working tree's top directory; undefined outside a repository. */
  root: string | undefined;
  /** Whether git could be run at all. */
  git: "available" | "missing";
  /** Set when there is a repository that is not obeyed: another user owns it, or it is a bare one found on the way up. */
  refused?: "foreign-owner" | "bare";
}

/** What to do about a repository that was refused; undefined when none was. */
export function refusalHint({ refused, git }: Repository): string | undefined {
  if (refused === undefined) return undefined;
  if (refused === "bare") {
    return "this directory lies in a bare repository, which may have come with what surrounds it; change to a work tree";
  }
  return git === "missing"
    ? "another user owns this repository and git is not on PATH to say whether you trust it; install git"
    : "git refuses this directory because another user owns it; if you trust it, add it to git's safe.directory setting";
}

/**
 * The repository of the working directory: what `git rev-parse --show-toplevel` prints, so a linked worktree is its own
 * repository; the nearest ancestor with a `.git` entry of any kind when git is not on PATH (docs/spec/config.md section 1).
 * A git that cannot be started, is killed or does not answer counts as missing. Another user's repository is refused,
 * with git or without.
 */
export async function findRepository(host: RepositoryHost): Promise<Repository> {
  const { GitError, git, gitText } = await import("./git.ts");
  try {
    const result = await git(host, ["rev-parse", "--show-toplevel"]);
    const path = gitText(result);
    if (result.exitCode === 0 && path !== "") return { root: realPath(path), git: "available" };
    if (result.exitCode > KILLED) return withoutGit(host);
    const refused = refusalIn(result.stderr);
    return { root: undefined, git: "available", ...(refused === undefined ? {} : { refused }) };
  } catch (error) {
    if (!(error instanceof GitError) || error.failure === "directory") throw error;
    return withoutGit(host);
  }
}

/** Git's reason in its own words, which stay English here. */
function refusalIn(said: string): Repository["refused"] {
  if (said.includes("safe.directory")) return "foreign-owner";
  return said.includes("safe.bareRepository") ? "bare" : undefined;
}

/** Exit codes above this mean that a signal ended git; 129 is also its answer to a usage error. */
const KILLED = 129;

function withoutGit(host: RepositoryHost): Repository {
  const root = ancestorWith(host.cwd, (directory) => lstatSync(join(directory, ".git")) !== undefined);
  if (root === undefined) return { root, git: "missing" };
  if (isForeign(root, host)) return { root: undefined, git: "missing", refused: "foreign-owner" };
  return { root: realPath(root), git: "missing" };
}

/** Git's own test without git: the tree, its `.git` entry and what that leads to are all the caller's. */
function isForeign(root: string, { uid, env }: RepositoryHost): boolean {
  if (uid === undefined) return false;
  const trusted = [uid];
  // As git does: whoever called sudo owns the repositories they call it in.
  if (uid === 0 && /^\d+$/.test(env["SUDO_UID"] ?? "")) trusted.push(Number(env["SUDO_UID"]));
  const entry = join(root, ".git");
  const stats = [lstatSync(entry), statSync(root), statSync(entry, { throwIfNoEntry: false })];
  return stats.some((stat) => stat !== undefined && !trusted.includes(stat.uid));
}

function realPath(path: string): string {
  return realpathSync.native(resolve(path));
}
