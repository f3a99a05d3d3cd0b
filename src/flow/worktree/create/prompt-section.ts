/** What every builder and verifier task is told of the worktree (docs/spec/flow-worktree.md 3). */
export function promptSection(path: string): string {
  return [
    "## Worktree",
    `WORKTREE_PATH: ${path}`,
    "",
    "All work of this task happens in that directory. Read, search, edit, write and run commands with absolute paths below",
    "WORKTREE_PATH. Modify nothing outside it: the main working tree is merged by the workflow when the work is verified.",
    "",
  ].join("\n");
}
