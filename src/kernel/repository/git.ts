import { JigError, osReason } from "../call/errors.ts";
import type { Host } from "../call/host.ts";
import { isDirectory } from "../files/look.ts";
import { type Captured, CaptureError, type CaptureFailure, capture } from "../process/capture.ts";
import { findExecutable } from "../process/executable.ts";
import { gitEnvironment } from "./git-environment.ts";
import {
  areInForce,
  type GitCommand,
  INERT,
  overridesFor,
  settingsOf,
  traitsOf,
  transportVariables,
} from "./git-programs.ts";

/** A command git has, and its words. */
export type GitArguments = readonly [command: GitCommand, ...words: string[]];

export interface GitOptions {
  /** Directory git runs in; the host's without. */
  cwd?: string;
  /** Milliseconds until git and its children are killed; 60,000 without. */
  timeoutMs?: number;
  /** Milliseconds between asking git to end and killing it; 1,000 without. */
  killAfterMs?: number;
  /** Bytes of stdout that are accepted; 64 MiB without. */
  maxBytes?: number;
  /** Bytes for stdin, which is the null device without. */
  input?: Uint8Array | string;
  /** Variables set, or removed when undefined, on top of the environment made by `gitEnvironment`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Configuration for this call alone, as `git -c` would set it but out of the argument list. */
  config?: Readonly<Record<string, string>>;
  /**
   * Whose programs git may run besides itself. `user` (the default): what the user's own configuration names, such as a
   * credential helper or a filter, and nothing the repository's does. `none`: not the user's filters either.
   * `repository`: all that a git command of the user's own in that repository would run, hooks, filters, merge drivers
   * and signing programs included; only for what the user would otherwise do by hand. Without it, in a repository with
   * filters of its own, `status` may call a file changed that is not, and `add` refuses a file that one applies to;
   * submodules are looked at from outside.
   */
  programs?: "none" | "user" | "repository";
  /** Ends the call: git and its children are killed and `GitError` is thrown. */
  signal?: AbortSignal;
}

export type GitResult = Captured;

/** Why git gave no exit code. `missing`: not on PATH; `too-old`: before 2.31; `directory`: the working directory is none. */
export type GitFailure = CaptureFailure | "missing" | "too-old" | "directory";

export class GitError extends JigError {
  readonly failure: GitFailure;

  constructor(failure: GitFailure, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options);
    this.name = "GitError";
    this.failure = failure;
  }
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_BYTES = 64 << 20;

type GitHost = Pick<Host, "cwd" | "env" | "platform">;

/**
 * Run git with an argument list, never through a shell: no prompt, pager, editor or optional lock, C locale, in a
 * process group of its own so that a Ctrl-C on the terminal does not reach it, for a bounded time and output. Nothing
 * that the repository's configuration names is run (`GitOptions.programs`). A non-zero exit is a result, not an error.
 * Throws `GitError` when there is no exit code to report.
 */
export async function git(host: GitHost, args: GitArguments, options: GitOptions = {}): Promise<GitResult> {
  const [command, ...words] = args;
  const own = Object.entries(options.config ?? {});
  if (options.programs === "repository") return call(host, command, args, own, options);
  const { readsFirst, flags = [] } = traitsOf(command);
  const overrides = readsFirst ? await readOverrides(host, command, options) : { config: [], env: {} };
  const config = [...INERT, ...overrides.config, ...own];
  return call(host, command, [command, ...flags, ...words], config, {
    ...options,
    env: { ...transportVariables(command, host.env), ...overrides.env, ...options.env },
  });
}

/** What has to be overridden in the repository the call is for; reading settings runs nothing. */
async function readOverrides(host: GitHost, command: GitCommand, options: GitOptions) {
  const { input: _, maxBytes: __, config: ___, ...rest } = options;
  const result = await call(host, command, ["config", "--list", "--show-scope", "-z"], INERT, rest);
  const settings = result.exitCode === 0 ? settingsOf(gitRecords(result.stdout)) : [];
  if (result.exitCode === USAGE_ERROR || (result.exitCode === 0 && !areInForce(settings))) {
    throw new GitError("too-old", "this git cannot be kept from running what a repository names", {
      hint: "install git 2.31 or later",
    });
  }
  // Settings that cannot be read stop the call itself, with the same words.
  return overridesFor(command, settings, options.programs === "none" ? "none" : "user");
}

const USAGE_ERROR = 129;

/** One process of git; `command` is what it is for, in messages. */
async function call(
  host: GitHost,
  command: GitCommand,
  args: readonly string[],
  config: readonly (readonly [string, string])[],
  options: GitOptions,
): Promise<GitResult> {
  const cwd = options.cwd ?? host.cwd;
  const program = findExecutable("git", host.env);
  if (program === undefined) {
    throw new GitError("missing", "git was not found on PATH", { hint: "install git, or add it to PATH" });
  }
  // A missing directory and a missing program are the same ENOENT to the operating system.
  if (!isDirectory(cwd)) {
    const why = cwd.includes("\ufffd") ? "its name is not valid UTF-8" : "not a directory";
    throw new GitError("directory", `cannot run git in ${cwd}: ${why}`);
  }
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const env = { ...gitEnvironment(host, config), ...options.env };
  const { input, signal, killAfterMs } = options;
  try {
    return await capture([program, ...args], { cwd, env, input, timeoutMs, maxBytes, signal, killAfterMs });
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    const { failure, cause } = error;
    const said = {
      "cannot-start": `cannot run ${program} in ${cwd}: ${osReason(cause)}`,
      timeout: `git ${command} timed out after ${timeoutMs / 1000}s`,
      cancelled: `git ${command} was interrupted`,
      "output-too-large": `git ${command} printed more than ${maxBytes} bytes`,
    };
    throw new GitError(failure, said[failure], { cause });
  }
}

/** As `git`, but a non-zero exit is a `JigError` with git's own words. */
export async function gitOrThrow(
  host: GitHost,
  args: GitArguments,
  options: GitOptions = {},
): Promise<GitResult> {
  const result = await git(host, args, options);
  if (result.exitCode === 0) return result;
  const said = result.stderr === "" ? `exit ${result.exitCode}` : result.stderr;
  throw new JigError(`git ${args[0]} failed in ${options.cwd ?? host.cwd}: ${said}`);
}

/** Stdout as text without its final newline. */
export function gitText(result: GitResult): string {
  return new TextDecoder().decode(result.stdout).replace(/\r?\n$/, "");
}

/** The records of `-z` output: cut on NUL alone, so a name may hold anything else. */
export function gitRecords(stdout: Uint8Array): string[] {
  if (stdout.length === 0) return [];
  const records = new TextDecoder().decode(stdout).split("\0");
  if (records.at(-1) === "") records.pop();
  return records;
}
