import type { Host } from "../../kernel/call/host.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { GitError, git, gitText } from "../../kernel/repository/git.ts";

/** How long git may take to name the branch, milliseconds. */
const PATIENCE_MS = 5_000;

/** The branch that is checked out in the first of these directories where git can name one; undefined when in none. */
export async function currentBranch(host: Host, directories: readonly string[]): Promise<string | undefined> {
  for (const cwd of directories) {
    const branch = await branchIn(host, cwd);
    if (branch !== undefined) return branch;
  }
  return undefined;
}

async function branchIn(host: Host, cwd: string): Promise<string | undefined> {
  if (!isDirectory(cwd)) return undefined;
  try {
    const result = await git(host, ["rev-parse", "--abbrev-ref", "HEAD"], { cwd, timeoutMs: PATIENCE_MS });
    return result.exitCode === 0 ? gitText(result) : undefined;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
