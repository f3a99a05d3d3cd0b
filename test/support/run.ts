import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { JIG } from "./paths.ts";

export interface RunOptions {
  cwd?: string;
  /** Added to a minimal environment (PATH, HOME, LANG); undefined removes a name. */
  env?: Record<string, string | undefined>;
  stdin?: string | Uint8Array;
  /** Milliseconds after which the child is killed and the run fails. */
  timeout?: number;
  /** Another program than the binary under test. */
  program?: string;
  /** argv[0], when it must differ from the program. */
  argv0?: string;
}

export interface RunOutput {
  /** Exit code; null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** stdout as bytes. */
  bytes: Buffer;
}

/**
 * The environment every child of a test gets: nothing of the developer's own configuration, and a place for the
 * per-user roots that does not exist (vitest.config.ts). A test that needs them names its own.
 */
export function testEnv(extra: Record<string, string | undefined> = {}): Record<string, string> {
  const { PATH, HOME, JIG_TMP_ROOT } = process.env;
  const base = { PATH, HOME, JIG_TMP_ROOT, LANG: "C.UTF-8", TZ: "UTC", ...extra };
  return Object.fromEntries(
    Object.entries(base).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Run the compiled jig as a user would and collect what it prints. Never throws for an exit code. */
export function runJig(args: readonly string[], options: RunOptions = {}): Promise<RunOutput> {
  return new Promise((resolve, reject) => {
    const child = startJig(args, options);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout!.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr!.on("data", (chunk: Buffer) => err.push(chunk));
    const limit = options.timeout ?? 30_000;
    let expired = false;
    const timer = setTimeout(() => {
      expired = true;
      child.kill("SIGKILL");
    }, limit);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const bytes = Buffer.concat(out);
      const stderr = Buffer.concat(err).toString();
      if (expired)
        return reject(new Error(`jig ${args.join(" ")} ran over ${limit} ms\n${bytes}\n${stderr}`));
      resolve({ code, signal, stdout: bytes.toString(), stderr, bytes });
    });
    child.stdin!.on("error", () => {});
    child.stdin!.end(options.stdin);
  });
}

/** Start the compiled jig with pipes and leave it running; the caller ends it. */
export function startJig(args: readonly string[], options: RunOptions = {}): ChildProcess {
  return spawn(options.program ?? JIG, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: testEnv(options.env),
    stdio: "pipe",
    ...(options.argv0 === undefined ? {} : { argv0: options.argv0 }),
  });
}

/** Wait until a process has a handler of its own for a signal, so that sending it does not just end it (Linux). */
export async function catches(pid: number, signal: NodeJS.Signals): Promise<void> {
  const bit = 1n << BigInt(constants.signals[signal] - 1);
  await until(`a handler for ${signal}`, () => {
    const mask = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]!;
    return (BigInt(`0x${mask}`) & bit) !== 0n;
  });
}

/** Let time pass, milliseconds: only where nothing can be waited for, or to show that nothing happens meanwhile. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Ask a condition until it holds; fails with `what` after `timeout` milliseconds. */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  timeout = 30_000,
): Promise<T> {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${timeout} ms for ${what}`);
    await sleep(20);
  }
}
