import type { Host } from "../../kernel/call/host.ts";
import { realOrPlain } from "../../kernel/files/contain.ts";
import { git, gitOrThrow, gitRecords, gitText } from "../../kernel/repository/git.ts";

/** A worktree as git lists it. */
export interface ListedWorktree {
  path: string;
  /** Without `refs/heads/`; undefined when HEAD is detached. */
  branch: string | undefined;
}

/** Every worktree of a repository, the main one first. */
export async function listWorktrees(host: Host, main: string): Promise<ListedWorktree[]> {
  const result = await gitOrThrow(host, ["worktree", "list", "--porcelain", "-z"], { cwd: main });
  const found: ListedWorktree[] = [];
  for (const record of gitRecords(result.stdout)) {
    if (record.startsWith("worktree "))
      found.push({ path: record.slice("worktree ".length), branch: undefined });
    else if (record.startsWith("branch refs/heads/"))
      found.at(-1)!.branch = record.slice("branch refs/heads/".length);
  }
  return found;
}

/** The listed worktree at a path, however it is spelled. */
export function listedAt(worktrees: readonly ListedWorktree[], path: string): ListedWorktree | undefined {
  const real = realOrPlain(path);
  return worktrees.find((one) => one.path === path || realOrPlain(one.path) === real);
}

/** The repository's default branch, from what its remote says; undefined when none does. */
export async function defaultBranch(host: Host, main: string): Promise<string | undefined> {
  const words = ["--quiet", "--short", "refs/remotes/origin/HEAD"];
  const result = await git(host, ["symbolic-ref", ...words], { cwd: main });
  return result.exitCode === 0 ? gitText(result).replace(/^origin\//, "") : undefined;
}
