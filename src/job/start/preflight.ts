import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { findExecutable, isExecutableFile } from "../../kernel/process/executable.ts";

/** A worker checked: the argv to record, and why it cannot be started, if so. */
export interface Preflight {
  argv: string[];
  problem?: string;
  /** Windows: the POSIX shell that was chosen. */
  windowsPosixShell?: string;
  /** Windows: what is executed, when it is not the recorded argv: a script is given to its shell. */
  launch?: string[];
}

/** Check argv[0] before anything is detached, and make it absolute (docs/spec/jobs.md 2.2.1; Windows 12.5). */
export async function preflight(
  host: Pick<Host, "cwd" | "env" | "platform">,
  argv: readonly string[],
): Promise<Preflight> {
  if (host.platform === "win32")
    return (await import("../windows/preflight.ts")).preflightOnWindows(host, argv);
  const [program = "", ...words] = argv;
  if (program.includes("/")) {
    const path = resolve(host.cwd, program);
    const absolute = [path, ...words];
    if (!isRegularFile(path)) return { argv: absolute, problem: "does not exist or is not a regular file" };
    return isExecutableFile(path) ? { argv: absolute } : { argv: absolute, problem: "is not executable" };
  }
  const found = program === "" ? undefined : findExecutable(program, host.env, { cwd: host.cwd });
  return found === undefined
    ? { argv: [...argv], problem: "was not found on PATH" }
    : { argv: [found, ...words] };
}

/** A regular file after following links. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
