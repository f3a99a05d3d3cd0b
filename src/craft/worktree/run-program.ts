import { accessSync, constants, existsSync } from "node:fs";
import { errorCode } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { findExecutable } from "../../kernel/process/executable.ts";
import { type Child, spawn } from "../../runtime/spawn.ts";

/** What a program that was not found, or could not be executed, counts as. */
export const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

const STDOUT = 1;
const STDERR = 2;

export interface Program {
  argv: readonly [program: string, ...words: string[]];
  cwd: string;
}

/**
 * Run a program on this process's own stdout and stderr, so that what it leaves running in the background is neither
 * waited for nor cut off; gives its exit code, 128+n for a signal, 127 when it is missing.
 */
export async function runProgram(host: Host, { argv, cwd }: Program): Promise<number> {
  const [name, ...words] = argv;
  const program = name.includes("/") || name.includes("\\") ? name : findExecutable(name, host.env);
  if (program === undefined) return NOT_FOUND;
  let child: Child;
  try {
    child = await spawn([program, ...words], { cwd, env: host.env, stdout: STDOUT, stderr: STDERR });
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return NOT_FOUND;
    if (code === "EACCES" || code === "ENOEXEC") return NOT_EXECUTABLE;
    throw error;
  }
  const exit = await child.exited;
  if ("code" in exit) return exit.code;
  return 128 + (typeof exit.signal === "number" ? exit.signal : (SIGNALS[exit.signal] ?? 1));
}

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGPIPE: 13,
  SIGTERM: 15,
};

/** A hook script of the manifest: executed directly when it may be, through bash otherwise, with one argument. */
export async function runScript(host: Host, script: string, argument: string, cwd: string): Promise<number> {
  if (!existsSync(script)) return NOT_FOUND;
  const direct = isExecutable(script)
    ? await runProgram(host, { argv: [script, argument], cwd })
    : NOT_EXECUTABLE;
  // Without an interpreter line the system refuses it; a shell would have run it.
  return direct === NOT_EXECUTABLE ? runProgram(host, { argv: ["bash", script, argument], cwd }) : direct;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
