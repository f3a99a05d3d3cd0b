import { type Child, spawn } from "../../runtime/spawn.ts";
import { JigError, osReason } from "../call/errors.ts";
import type { Host } from "../call/host.ts";
import { isDirectory } from "../files/look.ts";
import { findExecutable } from "../process/executable.ts";
import { sleep } from "../text/time.ts";
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
   * and signing programs included; only for what the user would otherwise do by hand. Without it a `status` in a
   * repository with filters of its own may call a file changed that is not, and submodules are looked at from outside.
   */
  programs?: "none" | "user" | "repository";
  /** Ends the call: git and its children are killed and `GitError` is thrown. */
  signal?: AbortSignal;
}

export interface GitResult {
  /** 128+n when git was ended by signal n. */
  exitCode: number;
  stdout: Uint8Array;
  /** At most 64 KiB, trimmed at the end. */
  stderr: string;
}

/** Why git gave no exit code. `missing`: not on PATH; `too-old`: before 2.31; `directory`: the working directory is none. */
export type GitFailure =
  | "missing"
  | "too-old"
  | "directory"
  | "cannot-start"
  | "timeout"
  | "output-too-large"
  | "cancelled";

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
const MAX_STDERR_BYTES = 64 << 10;
/** Between asking git to end (it removes its lock files then) and killing it. */
const KILL_AFTER_MS = 1_000;

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
  return overridesFor(settings, options.programs === "none" ? "none" : "user");
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
  const env = { ...gitEnvironment(host, config), ...options.env };
  const child = await start(program, args, cwd, env, options.input);
  return supervise(child, `git ${command}`, options, host);
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

async function start(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  input: Uint8Array | string | undefined,
): Promise<Child> {
  // A missing directory and a missing program are the same ENOENT to the operating system.
  if (!isDirectory(cwd)) {
    const why = cwd.includes("\ufffd") ? "its name is not valid UTF-8" : "not a directory";
    throw new GitError("directory", `cannot run git in ${cwd}: ${why}`);
  }
  try {
    return await spawn([program, ...args], {
      cwd,
      env,
      ...(input === undefined
        ? {}
        : { input: typeof input === "string" ? new TextEncoder().encode(input) : input }),
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
  } catch (error) {
    throw new GitError("cannot-start", `cannot run ${program} in ${cwd}: ${osReason(error)}`, {
      cause: error,
    });
  }
}

async function supervise(child: Child, name: string, options: GitOptions, host: GitHost): Promise<GitResult> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  let stop: (failure: GitFailure, message: string) => void = () => {};
  let stopping = false;
  // A process outside the group may hold the pipes open for ever, so a stopped call does not wait for their end.
  const stopped = new Promise<never>((_, reject) => {
    stop = (failure, message) => {
      if (stopping) return;
      stopping = true;
      void killGroup(child, host).then(() => reject(new GitError(failure, message)));
    };
  });
  const timer = setTimeout(() => stop("timeout", `${name} timed out after ${timeoutMs / 1000}s`), timeoutMs);
  const cancel = () => stop("cancelled", `${name} was interrupted`);
  options.signal?.addEventListener("abort", cancel);
  if (options.signal?.aborted) cancel();
  const tooLarge = () => stop("output-too-large", `${name} printed more than ${maxBytes} bytes`);
  try {
    const ended = Promise.all([
      collect(child.stdout, maxBytes, tooLarge),
      collect(child.stderr, MAX_STDERR_BYTES, () => {}),
      child.exited,
    ]);
    const [stdout, stderr, exit] = await Promise.race([ended, stopped]);
    if (stopping) return await stopped;
    return {
      exitCode: "code" in exit ? exit.code : 128 + (await signalNumber(exit.signal)),
      stdout: stdout.bytes,
      stderr: new TextDecoder().decode(stderr.bytes).trimEnd(),
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", cancel);
  }
}

/** The first `maxBytes` of a stream; what comes after is read and dropped, so that the writer does not block. */
async function collect(
  stream: AsyncIterable<Uint8Array> | undefined,
  maxBytes: number,
  tooLarge: () => void,
): Promise<{ bytes: Uint8Array }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream ?? []) {
    if (size + part.length > maxBytes) tooLarge();
    const kept = part.subarray(0, maxBytes - size);
    if (kept.length > 0) parts.push(kept);
    size += kept.length;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes };
}

async function signalNumber(signal: string | number): Promise<number> {
  if (typeof signal === "number") return signal;
  const { constants } = await import("node:os");
  return constants.signals[signal as NodeJS.Signals] ?? 0;
}

/** End git and its children: ask first, so that lock files are removed, then kill. */
async function killGroup(child: Child, host: GitHost): Promise<void> {
  if (host.platform === "win32") {
    const { taskkillTree } = await import("../process/taskkill.ts");
    return taskkillTree(child.pid, host.env);
  }
  signalGroup(child.pid, "SIGTERM");
  await exitedWithin(child, KILL_AFTER_MS);
  signalGroup(child.pid, "SIGKILL");
  await exitedWithin(child, KILL_AFTER_MS);
}

async function exitedWithin(child: Child, milliseconds: number): Promise<void> {
  const exited = new AbortController();
  void child.exited.then(() => exited.abort());
  await sleep(milliseconds, exited.signal);
}

// The group lasts as long as one member does, so this also reaches children of a git that has already ended.
function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Everyone is gone.
  }
}
