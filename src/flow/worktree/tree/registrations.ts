import type { Host } from "../../../kernel/call/host.ts";
import { isStrictlyInside, realOrPlain, samePath } from "../../../kernel/files/contain.ts";
import { gitRecords } from "../../../kernel/repository/git.ts";
import { BRANCHES } from "./refs.ts";
import { ask, type WorkTree } from "./work-tree.ts";

/** A worktree as git has it registered; its directory may be gone. */
export interface Registration {
  path: string;
  /** The commit of its HEAD; undefined for one without commits. */
  head: string | undefined;
  /** Without `refs/heads/`; undefined when HEAD is detached. */
  branch: string | undefined;
  /** Why it is locked, which may be empty; undefined when it is not. */
  locked: string | undefined;
}

/** Every registered worktree of a repository, the main one first. */
export async function registrationsOf(host: Host, tree: WorkTree): Promise<Registration[]> {
  const { stdout } = await ask(host, tree, ["worktree", "list", "--porcelain", "-z"]);
  const found: Registration[] = [];
  for (const record of gitRecords(stdout)) {
    const cut = record.indexOf(" ");
    const [key, value] = cut < 0 ? [record, ""] : [record.slice(0, cut), record.slice(cut + 1)];
    const last = found.at(-1);
    if (key === "worktree")
      found.push({ path: value, head: undefined, branch: undefined, locked: undefined });
    else if (last === undefined) continue;
    else if (key === "HEAD") last.head = value;
    else if (key === "branch" && value.startsWith(BRANCHES)) last.branch = value.slice(BRANCHES.length);
    else if (key === "locked") last.locked = value;
  }
  return found;
}

/** The one registered for a path, however it is spelled. */
export function registrationAt(
  registrations: readonly Registration[],
  path: string,
): Registration | undefined {
  const real = realOrPlain(path);
  return registrations.find((one) => samePath(one.path, path) || samePath(realOrPlain(one.path), real));
}

/** Those that lie inside a directory, and would go with it. */
export function registrationsInside(registrations: readonly Registration[], path: string): Registration[] {
  const real = realOrPlain(path);
  return registrations.filter((one) => isStrictlyInside(real, realOrPlain(one.path)));
}
