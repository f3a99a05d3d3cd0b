import { statSync } from "node:fs";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Writer } from "../../kernel/call/outcome.ts";
import { absoluteFrom, realOrPlain, samePath } from "../../kernel/files/contain.ts";
import { git, gitOrThrow, gitText } from "../../kernel/repository/git.ts";
import { printable } from "../../kernel/text/printable.ts";
import { reasonOf } from "../common/fail.ts";
import { shown } from "../common/run-words.ts";
import { defaultBranch, listedAt, listWorktrees } from "./repository.ts";
import { removeRunLock, runLockOf } from "./run-lock.ts";
import { runScript } from "./run-program.ts";

const PREFIX = "craft-teardown: ";

/** A validation run still works in the worktree; nothing was touched. */
const REFUSED = 3;

/** Fetching from a remote that does not answer must not hold the teardown up for ever. */
const FETCH_LIMIT_MS = 120_000;

export interface TeardownOptions {
  main: string;
  worktree: string;
  preTeardown: string | undefined;
  force: boolean;
  keepChanges: boolean;
}

/**
 * Remove a run's worktree and its local branch. Never the main checkout, never another entry, never the default branch;
 * a living validation run is not pulled the ground from under (docs/spec/craft-run.md 10.2).
 */
export async function teardown(host: Host, options: TeardownOptions, out: Writer): Promise<number> {
  const say = (text: string) => out.write(`${PREFIX}${text}\n`);
  const main = absoluteFrom(host.cwd, options.main);
  const worktree = absoluteFrom(host.cwd, options.worktree);
  const isThere = statSync(worktree, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const worktrees = await worktreesOf(host, main);
  const listed = listedAt(worktrees, worktree);
  const isMain = samePath(realOrPlain(main), realOrPlain(worktree));
  if (!isThere && listed === undefined) throw failure(`no such worktree: ${shown(options.worktree)}`);
  // A stranger's directory, one inside a worktree, the main checkout: git would refuse it only after the stash.
  if (!isMain && (listed === undefined || listed === worktrees[0])) {
    throw failure(
      `${shown(options.worktree)} is no linked worktree of ${shown(options.main)}; nothing was touched`,
    );
  }
  if (isThere) {
    const refused = await passRunLock(host, worktree, options.force, say);
    if (refused) return REFUSED;
  }
  const branch = isThere ? await branchOf(host, worktree) : listed?.branch;
  if (isThere && options.preTeardown !== undefined) {
    const script = absoluteFrom(host.cwd, options.preTeardown);
    const code = await runScript(host, script, options.worktree, host.cwd);
    if (code !== 0) {
      host.stderr(
        `${PREFIX}pre-teardown script failed (exit ${code}): ${shown(options.preTeardown)}; nothing was removed\n`,
      );
      return code;
    }
    say(`pre-teardown script ran: ${shown(options.preTeardown)}`);
  }
  await fetchPruned(host, main, say);
  if (!isMain) {
    if (isThere && options.keepChanges) await keepChanges(host, worktree, branch, say);
    // Kept changes: git looks once more itself, and refuses what appeared since or sits in a submodule.
    const force = options.keepChanges ? [] : ["--force", "--force"];
    await gitOrThrow(host, ["worktree", "remove", ...force, listed?.path ?? worktree], { cwd: main });
    say(`worktree removed: ${printable(options.worktree)}`);
  }
  await deleteBranch(host, main, branch, options.keepChanges, say);
  return 0;
}

function failure(message: string): JigError {
  return new JigError(`${PREFIX}${message}`, { verbatim: true });
}

async function worktreesOf(host: Host, main: string) {
  try {
    return await listWorktrees(host, main);
  } catch (error) {
    throw failure(reasonOf(error));
  }
}

/** True when a living validation run forbids it. */
async function passRunLock(
  host: Host,
  worktree: string,
  force: boolean,
  say: (text: string) => void,
): Promise<boolean> {
  const lock = await runLockOf(worktree);
  if (lock.kind === "none") return false;
  if (lock.kind === "alive" && !force) {
    host.stderr(
      `${PREFIX}REFUSED — validation run alive (pid=${lock.pid} since ${lock.since}); wait for it, or --force\n`,
    );
    return true;
  }
  if (lock.kind === "alive") say(`FORCED past live validation run (pid=${lock.pid} since ${lock.since})`);
  else say("stale lock of a validation run auto-cleared");
  removeRunLock(worktree);
  return false;
}

async function branchOf(host: Host, worktree: string): Promise<string | undefined> {
  const result = await git(host, ["symbolic-ref", "--quiet", "--short", "HEAD"], { cwd: worktree });
  return result.exitCode === 0 ? gitText(result) : undefined;
}

async function fetchPruned(host: Host, main: string, say: (text: string) => void): Promise<void> {
  const remotes = await git(host, ["remote"], { cwd: main });
  if (remotes.exitCode !== 0 || remotes.stdout.length === 0) return;
  try {
    await gitOrThrow(host, ["fetch", "--prune", "--quiet"], { cwd: main, timeoutMs: FETCH_LIMIT_MS });
  } catch (error) {
    say(`fetch --prune failed, going on: ${printable(reasonOf(error))}`);
  }
}

/** Put what is not committed into the repository's stash, and name it. */
async function keepChanges(
  host: Host,
  worktree: string,
  branch: string | undefined,
  say: (text: string) => void,
): Promise<void> {
  const status = await gitOrThrow(host, ["status", "--porcelain", "-z"], { cwd: worktree });
  // A folder that git could not look into makes a clean status, with a warning beside it.
  if (status.stderr !== "") throw failure(`git cannot tell what is uncommitted: ${printable(status.stderr)}`);
  if (status.stdout.length === 0) return;
  const message = `craft-teardown of ${branch ?? "a detached HEAD"}`;
  const identity = { "user.name": "craft", "user.email": "craft@localhost" };
  const stash = ["push", "--include-untracked", "--quiet", "--message", message];
  await gitOrThrow(host, ["stash", ...stash], {
    cwd: worktree,
    config: await fallbackIdentity(host, worktree, identity),
  });
  const commit = gitText(await gitOrThrow(host, ["rev-parse", "refs/stash"], { cwd: worktree }));
  say(`uncommitted changes kept as stash ${commit} (${printable(message)})`);
}

/** Settings of an author only where the user has none. */
async function fallbackIdentity(
  host: Host,
  cwd: string,
  identity: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const result = await git(host, ["config", "--get", "user.email"], { cwd });
  return result.exitCode === 0 ? {} : identity;
}

async function deleteBranch(
  host: Host,
  main: string,
  branch: string | undefined,
  keepsCommits: boolean,
  say: (text: string) => void,
): Promise<void> {
  if (branch === undefined) return say("branch kept: HEAD was detached");
  const keeps =
    branch === "main" ||
    branch === "master" ||
    branch === (await defaultBranch(host, main)) ||
    (await listWorktrees(host, main)).some((one) => one.branch === branch);
  if (keeps) return say(`branch kept: ${printable(branch)}`);
  const tip = await git(host, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { cwd: main });
  if (tip.exitCode !== 0) return say(`branch is gone already: ${printable(branch)}`);
  const lost = keepsCommits ? await commitsOnlyOn(host, main, branch) : 0;
  if (lost > 0) {
    const commits = lost === 1 ? "1 commit is" : `${lost} commits are`;
    return say(`branch kept: ${printable(branch)} (${commits} on no other branch, remote branch or tag)`);
  }
  say(`branch tip was ${gitText(tip)}`);
  await gitOrThrow(host, ["branch", "-D", "--", branch], { cwd: main });
  say(`local branch deleted: ${printable(branch)}`);
}

/** How many commits only this branch holds: what was merged by squashing counts too, its own commits are nowhere else. */
async function commitsOnlyOn(host: Host, main: string, branch: string): Promise<number> {
  const others = ["--not", `--exclude=${branch}`, "--branches", "--remotes", "--tags"];
  const words = ["--count", `refs/heads/${branch}`, ...others] as const;
  return Number(gitText(await gitOrThrow(host, ["rev-list", ...words], { cwd: main })));
}
