import { statSync } from "node:fs";
import { type Child, spawn } from "../../runtime/spawn.ts";
import { JigError, osReason } from "../call/errors.ts";
import type { Host } from "../call/host.ts";
import { findExecutable } from "../process/executable.ts";
import { sleep } from "../text/time.ts";

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

/** Why git gave no exit code. `missing`: not on PATH; `directory`: the working directory is none. */
export type GitFailure =
  | "missing"
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
 * process group of its own so that a Ctrl-C on the terminal does not reach it, for a bounded time and output.
 * A non-zero exit is a result, not an error. Throws `GitError` when there is no exit code to report.
 */
export async function git(
  host: GitHost,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const cwd = options.cwd ?? host.cwd;
  const program = findExecutable("git", host.env);
  if (program === undefined) {
    throw new GitError("missing", "git was not found on PATH", { hint: "install git, or add it to PATH" });
  }
  const env = { ...gitEnvironment(host, options.config), ...options.env };
  const child = await start(program, args, cwd, env, options.input);
  return supervise(child, args, options, host);
}

/** As `git`, but a non-zero exit is a `JigError` with git's own words. */
export async function gitOrThrow(
  host: GitHost,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const result = await git(host, args, options);
  if (result.exitCode === 0) return result;
  const said = result.stderr === "" ? `exit ${result.exitCode}` : result.stderr;
  throw new JigError(`git ${args[0] ?? ""} failed in ${options.cwd ?? host.cwd}: ${said}`);
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

// What makes git look at another repository, index, object store or configuration than the directory it runs in.
const REDIRECTING =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|PREFIX|GRAFT_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|SHALLOW_FILE|QUARANTINE_PATH|IMPLICIT_WORK_TREE|ATTR_SOURCE|REFLOG_ACTION|LITERAL_PATHSPECS|GLOB_PATHSPECS|NOGLOB_PATHSPECS|ICASE_PATHSPECS|EXTERNAL_DIFF|DIFF_OPTS|PAGER|PAGER_IN_USE|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_KEY_\d+|CONFIG_VALUE_\d+|TRACE.*|INTERNAL_.*)$/;
const REDIRECTING_KEY = /^(core\.(worktree|bare|gitdir|fsmonitor|pager|editor)|alias\.|pager\.)/i;

/**
 * The environment for git: the host's without what redirects the repository, and with what keeps git from asking,
 * paging, colouring, translating or taking optional locks. Injected settings (`GIT_CONFIG_COUNT`) that do not
 * redirect stay: containers pass `safe.directory` that way.
 */
export function gitEnvironment(
  host: Pick<Host, "env">,
  config: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(host.env)) {
    if (!REDIRECTING.test(name)) env[name] = value;
  }
  const ssh = env["GIT_SSH_COMMAND"] || "ssh";
  return Object.assign(
    env,
    {
      LC_ALL: "C",
      LANGUAGE: undefined,
      GIT_TERMINAL_PROMPT: "0",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_PAGER: "cat",
      GIT_EDITOR: ":",
      GIT_SEQUENCE_EDITOR: ":",
      GIT_MERGE_AUTOEDIT: "no",
      GCM_INTERACTIVE: "never",
      GIT_ASKPASS: env["GIT_ASKPASS"] || "true",
      GIT_SSH_COMMAND: ssh.includes("BatchMode") ? ssh : `${ssh} -o BatchMode=yes`,
    },
    configVariables([...inheritedConfig(host.env), ["color.ui", "never"], ...Object.entries(config)]),
  );
}

function inheritedConfig(env: Host["env"]): [string, string][] {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? "0");
  const pairs: [string, string][] = [];
  for (let index = 0; index < count && index < 1000; index++) {
    const key = env[`GIT_CONFIG_KEY_${index}`];
    const value = env[`GIT_CONFIG_VALUE_${index}`];
    if (key !== undefined && value !== undefined && !REDIRECTING_KEY.test(key)) pairs.push([key, value]);
  }
  return pairs;
}

function configVariables(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) };
  pairs.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
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

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function supervise(
  child: Child,
  args: readonly string[],
  options: GitOptions,
  host: GitHost,
): Promise<GitResult> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const name = `git ${args[0] ?? ""}`.trim();
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
