/** What there is already of a workflow's worktree (docs/spec/flow-worktree.md 3, the table). */
import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { lookAt } from "../../../kernel/files/look.ts";
import { printable } from "../../../kernel/text/printable.ts";
import type { Layout } from "../../common/layout.ts";
import { BRANCHES, headRef } from "../tree/refs.ts";
import { type Registration, registrationAt, registrationsOf } from "../tree/registrations.ts";
import { isOneDirectory, linkedTree, repositoryOf, type WorkTree } from "../tree/work-tree.ts";

/** Whether a recorded path has the only form a worktree of this project has. */
export function isWorktreePath({ worktrees }: Layout, path: string): boolean {
  const name = basename(path);
  return path === join(worktrees, name) && name !== "" && !name.startsWith(".");
}

/** Whether the place is taken by anything. Throws when it cannot be looked at. */
export function isThere(path: string): boolean {
  return lookAt(path) !== undefined;
}

/**
 * What keeps a directory from being the worktree that is registered for it, in a phrase; undefined when it is that
 * worktree.
 */
export async function whyNoWorktree(host: Host, main: WorkTree, path: string): Promise<string | undefined> {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return "it is a symlink";
  if (!stat.isDirectory()) return "it is not a directory";
  if (registrationAt(await registrationsOf(host, main), path) === undefined) {
    return "git has no worktree registered there";
  }
  const [found, own] = [await repositoryOf(host, linkedTree(path)), await repositoryOf(host, main)];
  if ("missing" in found) return "its .git is missing or leads nowhere";
  if ("missing" in own || !isOneDirectory(found.directories.common, own.directories.common)) {
    return "its .git leads to another repository";
  }
  return isOneDirectory(found.top, path) ? undefined : "git's top level there is another directory";
}

/** A warning when the worktree's HEAD is on another branch, or on none. */
export async function strayHead(host: Host, path: string, branch: string): Promise<string | undefined> {
  const head = await headRef(host, linkedTree(path));
  if (head === `${BRANCHES}${branch}`) return undefined;
  const where = head === undefined ? "is detached" : `is on ${printable(head.replace(BRANCHES, ""))}`;
  return `the HEAD of ${printable(path)} ${where}, not on ${printable(branch)}; commits made there would not be merged`;
}

/** Throws when the branch is checked out anywhere but at this path. */
export function refuseElsewhere(registrations: readonly Registration[], path: string, branch: string): void {
  const own = registrationAt(registrations, path);
  const other = registrations.find((one) => one.branch === branch && one !== own);
  if (other === undefined) return;
  throw new JigError(
    `${printable(path)} is gone, and its branch ${printable(branch)} is checked out at ${printable(other.path)}`,
    { hint: `move it back: git worktree move ${printable(other.path)} ${printable(path)}` },
  );
}

/** Throws when the registration of a path that is gone may not be replaced. */
export function refuseReplacing(registrations: readonly Registration[], path: string, branch: string): void {
  const own = registrationAt(registrations, path);
  if (own === undefined) return;
  if (own.locked !== undefined) {
    throw new JigError(`the worktree ${printable(path)} is locked by git (${printable(own.locked)})`, {
      hint: "git worktree unlock ends that, when nobody needs it",
    });
  }
  if (own.branch !== branch) {
    throw new JigError(
      `the registration of ${printable(path)} is at ${own.branch === undefined ? `commit ${own.head}` : printable(own.branch)}, not on ${printable(branch)}`,
      {
        hint: "what it names may be the last name of that work; look at it before removing the registration",
      },
    );
  }
}

/** The top of the root's working tree must be the root itself: below it git's paths and ours would differ. */
export async function whyNotTop(host: Host, main: WorkTree): Promise<string | undefined> {
  const found = await repositoryOf(host, main);
  if ("missing" in found) return found.missing === "" ? "not a git repository" : found.missing;
  return isOneDirectory(found.top, main.top)
    ? undefined
    : `${main.top} is not the top of its working tree, which is ${found.top}`;
}
