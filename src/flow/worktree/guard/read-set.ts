import { join, relative } from "node:path";
import { isInside } from "../../../kernel/files/contain.ts";
import { checkDestinations } from "../apply/destinations.ts";
import { SetRefused, type UncommittedSet, uncommittedSet } from "../apply/uncommitted-set.ts";
import { KEPT, orGate, RERUN } from "../run/gate.ts";
import type { Looked } from "../run/run.ts";
import { shownPath } from "../tree/byte-path.ts";
import { moduleNames, strandedCommit } from "../tree/stranded.ts";
import { populatedIn, submoduleDirt } from "../tree/submodules.ts";
import { isConfigured } from "../tree/work-tree.ts";

/**
 * Step 7: the worktree's uncommitted work, and all that section 6 refuses of it. Whether it has a place in the main tree is
 * looked at here only when no merge comes first, which may change that.
 */
export function readSet(run: Looked, gitDirectory: string, isMerged: boolean): Promise<UncommittedSet> {
  const advice = `${KEPT} Commit it in the worktree, or take it away. ${RERUN}`;
  return orGate("worktree_copy_fallback_failed", advice, async () => {
    const { host, tree, main } = run;
    const set = await uncommittedSet(host, tree);
    await checkSubmodules(run, gitDirectory);
    if (isMerged) checkDestinations(main.top, set, await ignoresCase(run));
    return set;
  });
}

/** Whether the main tree's file system takes two names for one that differ in case alone, as git found out. */
export function ignoresCase({ host, main }: Looked): Promise<boolean> {
  return isConfigured(host, main, "core.ignoreCase");
}

/** A submodule's repository lies in the worktree's administrative directory and goes with it. */
async function checkSubmodules(
  { host, tree, main, directories }: Looked,
  gitDirectory: string,
): Promise<void> {
  const populated = await populatedIn(host, tree);
  for (const submodule of populated) {
    const dirt = await submoduleDirt(host, submodule);
    if (dirt !== undefined) {
      throw new SetRefused(`the submodule '${shownPath(submodule.path)}' ${dirt}`, [submodule.path]);
    }
  }
  const modules = join(gitDirectory, "modules");
  const inMain = new Map((await populatedIn(host, main)).map((one) => [one.path, one.gitDirectory]));
  const checked = new Set<string>();
  for (const { path, gitDirectory: repository } of populated) {
    const clone = inMain.get(path) ?? cloneOf(directories.own, modules, repository);
    checked.add(repository);
    await refuseStranded(repository, clone, shownPath(path));
  }
  for (const name of moduleNames(gitDirectory)) {
    const repository = join(modules, name);
    if (!checked.has(repository))
      await refuseStranded(repository, join(directories.own, "modules", name), name);
  }

  async function refuseStranded(repository: string, clone: string | undefined, name: string) {
    const commit = await strandedCommit(host, main.top, repository, clone);
    if (commit === undefined) return;
    throw new SetRefused(
      `commit ${commit} of the submodule '${name}' is on none of its remotes and not in the main tree's clone of it`,
    );
  }
}

/** A submodule that is not populated in the main tree may have a repository there all the same. */
function cloneOf(own: string, modules: string, repository: string): string | undefined {
  return isInside(modules, repository) ? join(own, "modules", relative(modules, repository)) : undefined;
}
