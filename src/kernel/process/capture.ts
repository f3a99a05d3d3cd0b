import { type Child, spawn } from "../../runtime/spawn.ts";
import { concatenate } from "../text/bytes.ts";
import { sleep } from "../text/time.ts";
import { send } from "./hold.ts";

export interface CaptureOptions {
  /** Working directory; the caller's without. */
  cwd?: string;
  /** The whole environment of the program. */
  env: Readonly<Record<string, string | undefined>>;
  /** Bytes for stdin, which is the null device without. */
  input?: Uint8Array | string | undefined;
  /** Milliseconds until the program and its children are killed. */
  timeoutMs: number;
  /** Milliseconds a program that is asked to end has for it (git removes its lock files then); 1,000 without. */
  killAfterMs?: number | undefined;
  /** Bytes of stdout that are accepted. */
  maxBytes: number;
  /** Ends the call. */
  signal?: AbortSignal | undefined;
  /** Which part of a long stderr is kept; the beginning without. */
  stderr?: "tail";
}

export interface Captured {
  /** 128+n when the program was ended by signal n. */
  exitCode: number;
  stdout: Uint8Array;
  /** At most 64 KiB, trimmed at the end. */
  stderr: string;
}

/** Why there is no exit code to report; `cannot-start` has the system's error as its cause. */
export type CaptureFailure = "cannot-start" | "timeout" | "output-too-large" | "cancelled";

/** The program was killed, or never ran. */
export class CaptureError extends Error {
  readonly failure: CaptureFailure;

  constructor(failure: CaptureFailure, cause?: unknown) {
    super(failure, { cause });
    this.name = "CaptureError";
    this.failure = failure;
  }
}

const MAX_STDERR_BYTES = 64 << 10;
const KILL_AFTER_MS = 1_000;

/**
 * Run a program to its end and take what it prints, for a bounded time and output: directly, never through a shell, and
 * in a process group of its own, so that a Ctrl-C on the terminal does not reach it. A non-zero exit is a result. Throws
 * `CaptureError`.
 */
export async function capture(argv: readonly string[], options: CaptureOptions): Promise<Captured> {
  const { cwd, env, input, timeoutMs, maxBytes, signal } = options;
  let child: Child;
  try {
    child = await spawn(argv, {
      ...(cwd === undefined ? {} : { cwd }),
      env,
      ...(input === undefined
        ? {}
        : { input: typeof input === "string" ? new TextEncoder().encode(input) : input }),
      stdout: "pipe",
      stderr: "pipe",
      grouped: true,
    });
  } catch (error) {
    throw new CaptureError("cannot-start", error);
  }
  let stop: (failure: CaptureFailure) => void = () => {};
  let stopping = false;
  // A process outside the group may hold the pipes open for ever, so a stopped call does not wait for their end.
  const stopped = new Promise<never>((_, reject) => {
    stop = (failure) => {
      if (stopping) return;
      stopping = true;
      void killGroup(child, env, options.killAfterMs ?? KILL_AFTER_MS).then(() =>
        reject(new CaptureError(failure)),
      );
    };
  });
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  const cancel = () => stop("cancelled");
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  try {
    const ended = Promise.all([
      collect(child.stdout, maxBytes, () => stop("output-too-large")),
      options.stderr === "tail"
        ? collectEnd(child.stderr, MAX_STDERR_BYTES)
        : collect(child.stderr, MAX_STDERR_BYTES, () => {}),
      child.exited,
    ]);
    const [stdout, stderr, exit] = await Promise.race([ended, stopped]);
    if (stopping) return await stopped;
    return {
      exitCode: "code" in exit ? exit.code : 128 + (await signalNumber(exit.signal)),
      stdout,
      stderr: new TextDecoder().decode(stderr).trimEnd(),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

/** What a program prints that has to end well; undefined when it does not, or cannot be run at all. */
export async function outputOf(
  argv: readonly string[],
  options: CaptureOptions,
): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await capture(argv, options);
    return exitCode === 0 ? new TextDecoder().decode(stdout) : undefined;
  } catch (error) {
    if (error instanceof CaptureError) return undefined;
    throw error;
  }
}

/** The first `maxBytes` of a stream; what comes after is read and dropped, so that the writer does not block. */
async function collect(
  stream: AsyncIterable<Uint8Array> | undefined,
  maxBytes: number,
  tooLarge: () => void,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream ?? []) {
    if (size + part.length > maxBytes) tooLarge();
    const kept = part.subarray(0, maxBytes - size);
    if (kept.length > 0) parts.push(kept);
    size += kept.length;
  }
  return concatenate(parts);
}

/** The last `maxBytes` of a stream. */
async function collectEnd(
  stream: AsyncIterable<Uint8Array> | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  let kept: Uint8Array = new Uint8Array();
  for await (const part of stream ?? []) {
    kept = concatenate([kept, part]).subarray(-maxBytes);
  }
  return kept;
}

async function signalNumber(signal: string | number): Promise<number> {
  if (typeof signal === "number") return signal;
  const { constants } = await import("node:os");
  return constants.signals[signal as NodeJS.Signals] ?? 0;
}

/** End a program and its children, which it was started `grouped` to hold together: ask first, then kill. */
export async function killGroup(
  child: Child,
  env: CaptureOptions["env"],
  killAfterMs: number = KILL_AFTER_MS,
): Promise<void> {
  if (process.platform === "win32") {
    const { taskkillTree } = await import("./taskkill.ts");
    return taskkillTree(child.pid, env);
  }
  // The group lasts as long as one member does, so this also reaches children of a program that has already ended.
  send(-child.pid, "SIGTERM");
  await exitedWithin(child, killAfterMs);
  send(-child.pid, "SIGKILL");
  await exitedWithin(child, KILL_AFTER_MS);
}

async function exitedWithin(child: Child, milliseconds: number): Promise<void> {
  const exited = new AbortController();
  void child.exited.then(() => exited.abort());
  await sleep(milliseconds, exited.signal);
}
