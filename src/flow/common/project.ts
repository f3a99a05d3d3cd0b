/**
 * The project a state command works on (docs/spec/flow.md 1.3). It is found by looking at files alone, as git would find
 * it: nothing is started, so that hooks and short commands stay cheap.
 */
import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { absoluteFrom, isSameDirectory } from "../../kernel/files/contain.ts";
import { isDirectory, isRegularFile } from "../../kernel/files/look.ts";
import { findGitAncestor } from "../../kernel/repository/repository.ts";
import { printable } from "../../kernel/text/printable.ts";
import { STATE } from "./layout.ts";

export type ProjectHost = Pick<Host, "cwd" | "home" | "uid">;

/** The root for a state command: `--project`, else what the working directory says. Throws `UsageError`. */
export function projectRoot(host: ProjectHost, project: string | undefined): string {
  return project === undefined ? projectOf(host.cwd, host) : givenProject(host, project);
}

/** `--project DIR` as an absolute path. Throws `UsageError` unless it is an existing directory. */
export function givenProject(host: ProjectHost, project: string): string {
  const root = absoluteFrom(host.cwd, project);
  if (project === "" || !isDirectory(root)) {
    throw new UsageError(`--project ${printable(project)}: not an existing directory`);
  }
  return root;
}

/** The project of a directory: items 3 to 6 of the page. */
export function projectOf(directory: string, host: Pick<Host, "home" | "uid">): string {
  const top = topOf(directory, host.uid);
  if (top !== undefined) return mainTreeOf(top) ?? top;
  return ancestorWithState(directory, host.home) ?? directory;
}

/**
 * The top of the git working tree a directory is in, as `git rev-parse --show-toplevel` prints it. What another user put
 * where everybody may write is passed over.
 */
export function topOf(directory: string, uid: number | undefined): string | undefined {
  let start: string;
  try {
    start = realpathSync.native(directory);
  } catch {
    return undefined;
  }
  for (;;) {
    const found = findGitAncestor(start, { dangling: false, uid });
    if (found === undefined || gitDirectoryOf(found) !== undefined) return found;
    if (dirname(found) === found) return undefined;
    start = dirname(found);
  }
}

/** The git directory a working tree's `.git` is or leads to; undefined when there is none that git would take. */
export function gitDirectoryOf(top: string): string | undefined {
  const entry = join(top, ".git");
  if (isDirectory(entry)) return isRegularFile(join(entry, "HEAD")) ? entry : undefined;
  if (!isRegularFile(entry)) return undefined;
  const target = firstLine(entry)?.match(/^gitdir: (.+)$/)?.[1];
  if (target === undefined) return undefined;
  const directory = resolve(top, target);
  return isRegularFile(join(directory, "HEAD")) ? directory : undefined;
}

/**
 * The main working tree when a tree is a worktree of this tool's, `{main}/.claude/worktrees/{one segment}` with state in
 * the main tree: state belongs there.
 */
export function mainTreeOf(top: string): string | undefined {
  const folder = dirname(top);
  if (basename(folder) !== "worktrees" || basename(dirname(folder)) !== ".claude") return undefined;
  const main = dirname(dirname(folder));
  const common = commonDirectoryOf(top);
  const mainGit = gitDirectoryOf(main);
  if (common === undefined || mainGit === undefined || !isSameDirectory(common, mainGit)) return undefined;
  return isDirectory(join(main, STATE)) ? main : undefined;
}

/** The repository a linked worktree belongs to; undefined for a main working tree. */
function commonDirectoryOf(top: string): string | undefined {
  const own = gitDirectoryOf(top);
  if (own === undefined || own === join(top, ".git")) return undefined;
  const common = firstLine(join(own, "commondir"));
  return common === undefined ? undefined : resolve(own, common);
}

export function ancestorWithState(directory: string, home: string | undefined): string | undefined {
  for (let current = directory; ; current = dirname(current)) {
    if (dirname(current) === current) return undefined;
    const isHome = home !== undefined && isSameDirectory(current, home);
    if (!isHome && isDirectory(join(current, STATE, "workflows"))) return current;
  }
}

/** The first line of a small file; undefined when it cannot be read. */
function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").split(/\r?\n/, 1)[0];
  } catch {
    return undefined;
  }
}
