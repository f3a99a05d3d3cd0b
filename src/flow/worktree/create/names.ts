import { UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { look, type WorkTree } from "../tree/work-tree.ts";

/** What a worktree is called. */
export interface WorktreeNames {
  /** The segment below `.claude/worktrees/`. */
  directory: string;
  branch: string;
}

const MINTED = /^wf-(.+)-\d{8}-\d{6}-([0-9a-f]{8})$/;
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Names from an id that `jig flow id` made; undefined for any other. */
export function namesOf(wf: string): WorktreeNames | undefined {
  const [, slug, hex] = MINTED.exec(wf) ?? [];
  return slug === undefined ? undefined : { directory: `${slug}-${hex}`, branch: `wf-${slug}-${hex}` };
}

/** The names given, else those of the id; a text that says what is missing otherwise. Throws `UsageError` for a bad one. */
export async function chosenNames(
  host: Host,
  tree: WorkTree,
  wf: string,
  given: { dir?: string | undefined; branch?: string | undefined },
): Promise<WorktreeNames | string> {
  if (given.dir !== undefined && !SEGMENT.test(given.dir)) {
    throw new UsageError(
      `--dir ${printable(given.dir)}: expected one segment of letters, digits, '.', '_' and '-', at most 100`,
    );
  }
  if (given.branch !== undefined && !(await isBranchName(host, tree, given.branch))) {
    throw new UsageError(`--branch ${printable(given.branch)}: not a name for a branch`);
  }
  const own = namesOf(wf);
  const directory = given.dir ?? own?.directory;
  const branch = given.branch ?? own?.branch;
  if (directory === undefined || branch === undefined) {
    return `${wf} is not an id of the form wf-SLUG-DATE-TIME-HEX, so --dir and --branch are needed`;
  }
  return { directory, branch };
}

/** Whether git takes a name for a branch. */
export async function isBranchName(host: Host, tree: WorkTree, name: string): Promise<boolean> {
  if (name === "" || name.startsWith("-") || name.includes("\0")) return false;
  return (await look(host, tree, ["check-ref-format", `refs/heads/${name}`])).exitCode === 0;
}
