import { accessSync, constants, existsSync } from "node:fs";
import { errorCode } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Writer } from "../../kernel/call/outcome.ts";
import { findExecutable } from "../../kernel/process/executable.ts";
import { type Child, spawn } from "../../runtime/spawn.ts";

/** What a program that was not found, or could not be executed, counts as. */
export const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

export interface Program {
  argv: readonly [program: string, ...words: string[]];
  cwd: string;
}

/** Run a program and pass its output through unchanged; gives its exit code, 128+n for a signal, 127 when it is missing. */
export async function runProgram(host: Host, { argv, cwd }: Program, out: Writer): Promise<number> {
  const [name, ...words] = argv;
  const program = name.includes("/") || name.includes("\\") ? name : findExecutable(name, host.env);
  if (program === undefined) return NOT_FOUND;
  let child: Child;
  try {
    child = await spawn([program, ...words], { cwd, env: host.env, stdout: "pipe", stderr: "pipe" });
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return NOT_FOUND;
    if (code === "EACCES" || code === "ENOEXEC") return NOT_EXECUTABLE;
    throw error;
  }
  const decoder = new TextDecoder();
  const [exit] = await Promise.all([
    child.exited,
    pass(child.stdout, (part) => out.write(part)),
    pass(child.stderr, (part) => host.stderr(decoder.decode(part, { stream: true }))),
  ]);
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

async function pass(
  stream: AsyncIterable<Uint8Array> | undefined,
  to: (part: Uint8Array) => void,
): Promise<void> {
  for await (const part of stream ?? []) to(part);
}

/** A hook script of the manifest: executed directly when it may be, through bash otherwise, with one argument. */
export async function runScript(
  host: Host,
  script: string,
  argument: string,
  cwd: string,
  out: Writer,
): Promise<number> {
  if (!existsSync(script)) return NOT_FOUND;
  const direct = isExecutable(script)
    ? await runProgram(host, { argv: [script, argument], cwd }, out)
    : NOT_EXECUTABLE;
  // Without an interpreter line the system refuses it; a shell would have run it.
  return direct === NOT_EXECUTABLE
    ? runProgram(host, { argv: ["bash", script, argument], cwd }, out)
    : direct;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
