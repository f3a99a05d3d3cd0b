import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { resolveReal } from "../../kernel/files/contain.ts";
import { statIfThere } from "../../kernel/files/look.ts";
import { GitError, git, gitText } from "../../kernel/repository/git.ts";
import { printable } from "../../kernel/text/printable.ts";
import { reasonOf } from "../common/fail.ts";
import { ledgerFailure } from "./fail.ts";

/** The directory of all runs of a repository: the same for the main checkout and every linked worktree. */
export interface RunDirectory {
  /** Absolute, without symlinks up to the git directory. */
  path: string;
  state: "absent" | "symlink" | "directory";
}

/**
 * The run directory of the repository of a directory, the working directory unless given (docs/spec/craft-run.md 2.1); undefined when it is in no work
 * tree, or inside a git directory. Throws (exit 1) when git cannot be run.
 */
export async function findRunDirectory(host: Host, cwd?: string): Promise<RunDirectory | undefined> {
  const common = await commonDirectory(host, cwd);
  if (common === undefined) return undefined;
  const path = join(common, "craft-runs");
  const found = statIfThere(path);
  if (found?.isSymbolicLink()) return { path, state: "symlink" };
  if (found !== undefined && !found.isDirectory()) throw ledgerFailure(`${path} is not a directory`);
  return { path, state: found === undefined ? "absent" : "directory" };
}

/** As `findRunDirectory`, for verbs that cannot go on without one or behind a link. */
export async function requireRunDirectory(host: Host): Promise<RunDirectory> {
  const directory = await findRunDirectory(host);
  if (directory === undefined) throw await noWorkTree(host);
  if (directory.state === "symlink") {
    throw ledgerFailure(`refusing a symlinked run directory: ${directory.path}`);
  }
  return directory;
}

/** Why there is no run directory, with git's own reason when it found a repository and refuses it, or cannot look. */
export async function noWorkTree(host: Host): Promise<JigError> {
  const said = await refusalOf(host);
  return ledgerFailure(
    `not inside a git repository's work tree${said === "" ? "" : ` (${printable(said)})`}`,
  );
}

async function refusalOf(host: Host): Promise<string> {
  try {
    const { exitCode, stderr } = await git(host, ["rev-parse", "--git-common-dir"]);
    const [first = ""] = stderr.split("\n");
    return exitCode === 0 || first.startsWith("fatal: not a git repository") ? "" : first;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The real path of the repository's common git directory, when the working directory is a valid place. */
export async function commonDirectory(host: Host, cwd?: string): Promise<string | undefined> {
  try {
    const words = ["--path-format=absolute", "--git-common-dir", "--is-inside-git-dir"];
    const result = await git(host, ["rev-parse", ...words], cwd === undefined ? {} : { cwd });
    const [common, inside] = gitText(result).split("\n");
    if (result.exitCode !== 0 || common === undefined || common === "" || inside !== "false")
      return undefined;
    return resolveReal(common);
  } catch (error) {
    if (error instanceof GitError && error.failure === "missing")
      throw ledgerFailure("git not found on PATH");
    if (error instanceof JigError) return undefined;
    throw error;
  }
}

/** The files of one run. */
export interface RunFiles {
  ledger: string;
  pointer: string;
  impacts: string;
}

export function runFiles(directory: string, runId: string): RunFiles {
  const base = join(directory, runId);
  return { ledger: `${base}.md`, pointer: `${base}.pointer`, impacts: `${base}.impacts.md` };
}

/** The lock of all that changes runs; it stays. */
export function runLock(directory: string): string {
  return join(directory, ".lock");
}
