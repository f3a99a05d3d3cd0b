import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { gitText } from "../../../kernel/repository/git.ts";
import { look, type WorkTree } from "./work-tree.ts";

export const BRANCHES = "refs/heads/";

/** The commit a name stands for; undefined when there is none. */
export async function commitOf(host: Host, tree: WorkTree, name: string): Promise<string | undefined> {
  const result = await look(host, tree, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
  if (result.exitCode === 0) return gitText(result);
  if (result.exitCode === 1) return undefined;
  throw new JigError(`git rev-parse failed in ${tree.top}: ${result.stderr || `exit ${result.exitCode}`}`);
}

/** The commit of a branch, never of a tag of its name. */
export function tipOf(host: Host, tree: WorkTree, branch: string): Promise<string | undefined> {
  return commitOf(host, tree, `${BRANCHES}${branch}`);
}

/** What HEAD is on: the whole name of a ref; undefined when it is detached. */
export async function headRef(host: Host, tree: WorkTree): Promise<string | undefined> {
  const result = await look(host, tree, ["symbolic-ref", "--quiet", "HEAD"]);
  if (result.exitCode === 0) return gitText(result);
  if (result.exitCode === 1) return undefined;
  throw new JigError(`git symbolic-ref failed in ${tree.top}: ${result.stderr || `exit ${result.exitCode}`}`);
}

/** Whether a commit is contained in another. Throws `JigError` when git cannot tell. */
export async function isContained(
  host: Host,
  tree: WorkTree,
  inner: string,
  outer: string,
): Promise<boolean> {
  const result = await look(host, tree, ["merge-base", "--is-ancestor", inner, outer]);
  if (result.exitCode === 0) return true;
  if (result.exitCode === 1) return false;
  throw new JigError(`git merge-base failed in ${tree.top}: ${result.stderr || `exit ${result.exitCode}`}`);
}
