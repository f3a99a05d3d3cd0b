import { join } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import { lookAt } from "../../../kernel/files/look.ts";
import {
  type GitArguments,
  GitError,
  type GitOptions,
  type GitResult,
  git,
} from "../../../kernel/repository/git.ts";
import { sleep } from "../../../kernel/text/time.ts";
import type { GitDirectories, WorkTree } from "./work-tree.ts";

/** A lock file of git's own that stands in the way; jig never deletes one. */
export interface LockFile {
  path: string;
  ageSeconds: number;
}

/** What became of a command that writes. */
export interface Written {
  /** Undefined when it was not run, for a lock file that did not go away. */
  result: GitResult | undefined;
  /** The lock file it stopped at. */
  lock: LockFile | undefined;
}

/** Milliseconds waited for git's lock files, each up to a fifth longer (docs/spec/flow-worktree.md 1). */
const WAITS_MS = [200, 400, 800];

/** The lock files of a working tree that a command which moves a ref can meet. */
export function lockFiles({ own, common }: GitDirectories, refs: readonly string[]): string[] {
  const inTree = ["index", "HEAD", "ORIG_HEAD", "AUTO_MERGE"].map((name) => join(own, `${name}.lock`));
  return [...inTree, ...refs.map((ref) => join(common, `${ref}.lock`)), join(common, "packed-refs.lock")];
}

/** The first of these that is there. */
export function standingLock(host: Pick<Host, "now">, paths: readonly string[]): LockFile | undefined {
  for (const path of paths) {
    const stat = lookAt(path);
    if (stat !== undefined) {
      return { path, ageSeconds: Math.max(0, Math.round((host.now() - stat.mtimeMs) / 1000)) };
    }
  }
  return undefined;
}

/**
 * Run a command that writes: git's lock files are waited for before it, and when it fails on one, which may have changed
 * something already (`settle` puts that back before the next try). A failure to end in time is a result.
 */
export async function write(
  host: Host,
  tree: WorkTree,
  args: GitArguments,
  options: Omit<GitOptions, "cwd"> & { locks: readonly string[]; settle?: () => Promise<boolean> },
): Promise<Written> {
  const { locks, settle, ...rest } = options;
  for (let tries = 0; ; tries++) {
    let result: GitResult | undefined;
    let lock = standingLock(host, locks);
    if (lock === undefined) {
      result = await attempt(host, tree, args, rest);
      if (result.exitCode === 0 || !stoppedAtLock(result)) return { result, lock: undefined };
      lock = standingLock(host, locks);
    }
    if (tries === WAITS_MS.length) return { result, lock };
    if (result !== undefined && settle !== undefined && !(await settle())) return { result, lock };
    await sleep(WAITS_MS[tries]! * (1 + Math.random() / 5));
  }
}

async function attempt(
  host: Host,
  tree: WorkTree,
  args: GitArguments,
  options: Omit<GitOptions, "cwd">,
): Promise<GitResult> {
  try {
    return await git(host, args, { ...options, cwd: tree.top, env: { ...tree.env, ...options.env } });
  } catch (error) {
    if (!(error instanceof GitError) || error.failure !== "timeout") throw error;
    return { exitCode: 124, stdout: new Uint8Array(), stderr: error.message };
  }
}

/** git's own words, which stay English here. */
function stoppedAtLock({ stderr }: GitResult): boolean {
  return /\.lock'?: File exists/.test(stderr);
}

/** A lock file for a message. */
export function lockText({ path, ageSeconds }: LockFile): string {
  return `${path} (${ageSeconds} s old) is in the way; remove it only after making sure that no git is running`;
}
