import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { gitText } from "../../../kernel/repository/git.ts";
import { BRANCHES, isContained, tipOf } from "../tree/refs.ts";
import { statusOf } from "../tree/status.ts";
import { ask, linkedTree, look, type WorkTree } from "../tree/work-tree.ts";

/** How a worktree stands to the main tree; null for what git cannot tell. */
export interface Measures {
  ahead: number | null;
  behind: number | null;
  uncommitted: number | null;
}

export async function measure(
  host: Host,
  main: WorkTree,
  worktree: { path: string; branch: string | null; usable: boolean },
): Promise<Measures> {
  return {
    ...(await distance(host, main, worktree.branch)),
    uncommitted: worktree.usable ? await uncommitted(host, worktree.path) : null,
  };
}

async function distance(
  host: Host,
  main: WorkTree,
  branch: string | null,
): Promise<{ ahead: number | null; behind: number | null }> {
  const unknown = { ahead: null, behind: null };
  const tip = branch === null ? undefined : await orUndefined(tipOf(host, main, branch));
  if (tip === undefined) return unknown;
  const words = ["--left-right", "--count", `HEAD...${tip}`];
  const result = await look(host, main, ["rev-list", ...words]);
  const [, behind, ahead] = /^(\d+)\s+(\d+)$/.exec(gitText(result)) ?? [];
  return ahead === undefined ? unknown : { ahead: Number(ahead), behind: Number(behind) };
}

async function uncommitted(host: Host, path: string): Promise<number | null> {
  return (await orUndefined(statusOf(host, linkedTree(path))))?.length ?? null;
}

/** Branches of the form that worktrees have, and whether the main tree has their commits. */
export async function leftBranches(
  host: Host,
  main: WorkTree,
): Promise<{ branch: string; merged: boolean | null }[]> {
  const words = ["--format=%(refname)%00%(objectname)%00", `${BRANCHES}wf-*`];
  const records = gitText(await ask(host, main, ["for-each-ref", ...words])).split("\0");
  const found: { branch: string; merged: boolean | null }[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const branch = records[at]!.replace(/^\n/, "").slice(BRANCHES.length);
    const merged = await orUndefined(isContained(host, main, records[at + 1]!, "HEAD"));
    found.push({ branch, merged: merged ?? null });
  }
  return found;
}

/** A question that git cannot answer leaves a gap in the report, no more. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof JigError) return undefined;
    throw error;
  }
}
