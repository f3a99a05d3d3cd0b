import { join } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import { isDirectory, isRegularFile } from "../../../kernel/files/look.ts";
import { gitText } from "../../../kernel/repository/git.ts";
import { latin1 } from "./byte-path.ts";
import { commitOf } from "./refs.ts";
import { namesIn } from "./walk.ts";
import { ask, look, namedTree, type WorkTree } from "./work-tree.ts";

/** Names of the repositories of submodules that a git directory holds, populated or not: `lib`, `lib/modules/inner`. */
export function moduleNames(gitDirectory: string): string[] {
  const found: string[] = [];
  const visit = (name: string) => {
    const place = join(gitDirectory, "modules", name);
    if (isRegularFile(join(place, "HEAD")) && isDirectory(join(place, "objects"))) {
      found.push(name);
      if (isDirectory(join(place, "modules"))) visit(join(name, "modules"));
      return;
    }
    for (const one of namesIn(Buffer.from(place))) {
      const inner = join(name, Buffer.from(one, "latin1").toString());
      if (isDirectory(join(gitDirectory, "modules", inner))) visit(inner);
    }
  };
  if (isDirectory(join(gitDirectory, "modules"))) visit("");
  return found;
}

/**
 * A commit that would go with a submodule's repository: named by a ref, by HEAD or by a stash of it, on none of its
 * remotes, and not in the clone that stays (docs/spec/flow-worktree.md 6.1). `top` is any directory.
 */
export async function strandedCommit(
  host: Host,
  top: string,
  repository: string,
  clone: string | undefined,
): Promise<string | undefined> {
  const tree = namedTree(top, repository);
  const head = (await commitOf(host, tree, "HEAD")) === undefined ? [] : ["HEAD"];
  const named = await ask(host, tree, ["rev-list", "--all", ...head, "--not", "--remotes"]);
  const commits = new Set(gitText(named).split("\n").filter(Boolean));
  if ((await commitOf(host, tree, "refs/stash")) !== undefined) {
    const stashed = await ask(host, tree, ["rev-list", "--walk-reflogs", "refs/stash"]);
    for (const commit of gitText(stashed).split("\n").filter(Boolean)) commits.add(commit);
  }
  if (commits.size === 0) return undefined;
  if (clone === undefined || !isDirectory(clone)) return [...commits][0];
  return missingIn(host, namedTree(top, clone), [...commits]);
}

async function missingIn(
  host: Host,
  tree: WorkTree,
  commits: readonly string[],
): Promise<string | undefined> {
  const result = await look(host, tree, ["cat-file", "--batch-check"], { input: `${commits.join("\n")}\n` });
  if (result.exitCode !== 0) return commits[0];
  const lines = latin1(result.stdout).split("\n");
  return commits.find((commit, at) => lines[at] !== `${commit} commit ${lines[at]?.split(" ")[2]}`);
}
