import { statSync } from "node:fs";
import { dirname } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import {
  type GitArguments,
  type GitOptions,
  type GitResult,
  git,
  gitText,
} from "../../../kernel/repository/git.ts";
import { byteRecords } from "./byte-path.ts";

/** A working tree as git is asked about it. */
export interface WorkTree {
  /** Absolute path of its top directory. */
  readonly top: string;
  /** What git's environment has to say besides. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where git keeps what belongs to a working tree. */
export interface GitDirectories {
  /** Of this working tree alone: its index, its HEAD. */
  own: string;
  /** Of the whole repository. */
  common: string;
}

/** Most that is read of one answer: a listing of every path of a large repository. */
const LARGEST_ANSWER = 1 << 30;

/** The main tree, or any other whose repository is found the usual way. */
export function treeAt(top: string): WorkTree {
  return { top, env: {} };
}

/**
 * A linked worktree: git never looks above it, where without the worktree's own `.git` it would silently find the main
 * tree (docs/spec/flow-worktree.md 1).
 */
export function linkedTree(top: string): WorkTree {
  return { top, env: { GIT_CEILING_DIRECTORIES: dirname(top) } };
}

/**
 * A working tree that is not where its repository expects it. Named outright, because git would otherwise note the new
 * place in its registration.
 */
export function namedTree(top: string, gitDirectory: string): WorkTree {
  return { top, env: { ...linkedTree(top).env, GIT_DIR: gitDirectory, GIT_WORK_TREE: top } };
}

/** Run a git command that only reads; none of the repository's programs runs. A non-zero exit is a result. */
export function look(
  host: Host,
  tree: WorkTree,
  args: GitArguments,
  options: Omit<GitOptions, "cwd"> = {},
): Promise<GitResult> {
  return git(host, args, {
    maxBytes: LARGEST_ANSWER,
    ...options,
    cwd: tree.top,
    env: { ...tree.env, ...options.env },
  });
}

/** As `look`, but a non-zero exit is a `JigError` with git's own words. */
export async function ask(
  host: Host,
  tree: WorkTree,
  args: GitArguments,
  options: Omit<GitOptions, "cwd"> = {},
): Promise<GitResult> {
  const result = await look(host, tree, args, options);
  if (result.exitCode === 0) return result;
  const said = result.stderr === "" ? `exit ${result.exitCode}` : result.stderr;
  throw new JigError(`git ${args[0]} failed in ${tree.top}: ${said}`);
}

/** The `-z` records of an answer, byte for byte. */
export async function askRecords(
  host: Host,
  tree: WorkTree,
  args: GitArguments,
  options: Omit<GitOptions, "cwd"> = {},
): Promise<string[]> {
  return byteRecords((await ask(host, tree, args, options)).stdout);
}

/** Whether the repository's configuration says yes to a switch. */
export async function isConfigured(host: Host, tree: WorkTree, name: string): Promise<boolean> {
  const result = await look(host, tree, ["config", "--type=bool", "--get", name]);
  return result.exitCode === 0 && gitText(result) === "true";
}

/** Where git finds the tree's repository, and the top it takes; undefined when it finds none. */
export async function repositoryOf(
  host: Host,
  tree: WorkTree,
): Promise<{ top: string; directories: GitDirectories } | { missing: string }> {
  const words = ["--path-format=absolute", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"];
  const result = await look(host, tree, ["rev-parse", ...words]);
  const [own, common, top] = gitText(result).split("\n");
  if (result.exitCode !== 0 || own === undefined || common === undefined || top === undefined) {
    return { missing: result.stderr };
  }
  return { top, directories: { own, common } };
}

/** Whether two paths lead to one directory, by file identity; false when one of them is none. */
export function isOneDirectory(a: string, b: string): boolean {
  const [first, second] = [a, b].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  if (first?.isDirectory() !== true || second?.isDirectory() !== true) return false;
  return first.ino === second.ino && first.dev === second.dev;
}
