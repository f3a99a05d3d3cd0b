/** Making a worktree, and taking back what was made of it when something fails (docs/spec/flow-worktree.md 3). */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { lookAt, statIfThere } from "../../../kernel/files/look.ts";
import { git } from "../../../kernel/repository/git.ts";
import { BRANCHES, tipOf } from "../tree/refs.ts";
import { registrationAt, registrationsOf } from "../tree/registrations.ts";
import { repositoryOf, type WorkTree } from "../tree/work-tree.ts";

const ADD_TIMEOUT_MS = 600_000;

export interface Addition {
  path: string;
  branch: string;
  commit: string;
}

/** What stood there before, and is not ours to take back. */
interface Before {
  path: boolean;
  branch: boolean;
  registered: boolean;
}

/**
 * `git worktree add` of a new branch, with the user's own hooks and filters. `undo` takes away what this call made. Throws
 * `JigError` with git's message, everything made taken away again.
 */
export async function addWorktree(
  host: Host,
  main: WorkTree,
  addition: Addition,
): Promise<{ undo(): Promise<void> }> {
  const { path, branch, commit } = addition;
  const before: Before = {
    path: lookAt(path) !== undefined,
    branch: (await tipOf(host, main, branch)) !== undefined,
    registered: registrationAt(await registrationsOf(host, main), path) !== undefined,
  };
  const undo = () => takeBack(host, main, addition, before);
  try {
    await runAdd(host, main, ["--no-track", "-b", branch, path, commit]);
  } catch (error) {
    await undo();
    throw error;
  }
  return { undo };
}

/** Check an existing branch out again at a place that is gone; its registration may still be there. */
export function checkOutAgain(host: Host, main: WorkTree, path: string, branch: string): Promise<void> {
  return runAdd(host, main, ["--force", path, branch]);
}

async function runAdd(host: Host, main: WorkTree, words: readonly string[]): Promise<void> {
  const result = await git(host, ["worktree", "add", ...words], {
    cwd: main.top,
    timeoutMs: ADD_TIMEOUT_MS,
    programs: "repository",
  });
  if (result.exitCode === 0) return;
  throw new JigError(result.stderr === "" ? `git worktree add: exit ${result.exitCode}` : result.stderr);
}

async function takeBack(host: Host, main: WorkTree, addition: Addition, before: Before): Promise<void> {
  const { path, branch, commit } = addition;
  if (!before.registered) await dropHalfMade(host, main, path);
  const registered = registrationAt(await registrationsOf(host, main), path) !== undefined;
  if (registered && !before.registered) {
    await git(host, ["worktree", "remove", "--force", "--force", path], { cwd: main.top });
  }
  if (!before.path) rmSync(path, { recursive: true, force: true });
  if (!before.branch && (await tipOf(host, main, branch)) === commit) {
    await git(host, ["update-ref", "-d", `${BRANCHES}${branch}`, commit], { cwd: main.top });
  }
}

/**
 * What a killed git left of a worktree's registration. git makes it file by file, and with one that lacks `commondir` no
 * `git worktree` works in the repository any more. It says whose it is before that, in `gitdir`.
 */
async function dropHalfMade(host: Host, main: WorkTree, path: string): Promise<void> {
  const repository = await repositoryOf(host, main);
  if ("missing" in repository) return;
  const worktrees = join(repository.directories.common, "worktrees");
  if (lookAt(worktrees) === undefined) return;
  for (const name of readdirSync(worktrees)) {
    const text = (file: string) => textIfThere(join(worktrees, name, file)).trim();
    if (text("gitdir") !== join(path, ".git") || text("commondir") !== "") continue;
    rmSync(join(worktrees, name), { recursive: true, force: true });
  }
}

function textIfThere(path: string): string {
  return statIfThere(path)?.isFile() === true ? readFileSync(path, "utf8") : "";
}
