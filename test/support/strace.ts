import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testEnv } from "./run.ts";

/** One system call of a program: its name, and how many of that name its thread had made. */
export interface SystemCall {
  name: string;
  when: number;
}

/** What a durable write is made of. */
const DURABLE =
  "openat,write,writev,pwrite64,pwritev,ftruncate,copy_file_range,fsync,fchmod,fchmodat,utimensat,rename,renameat,renameat2," +
  "link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,close";

/** Whether programs can be traced here. */
export const canTrace: boolean =
  process.platform === "linux" &&
  spawnSync("strace", ["-qq", "-o", "/dev/null", "true"], { stdio: "ignore" }).status === 0;

export interface TraceOptions {
  env?: Record<string, string | undefined> | undefined;
  cwd?: string | undefined;
}

/** The durable calls of a program that touch a directory, in order: run it once and look. */
export function callsTouching(
  directory: string,
  command: readonly string[],
  options: TraceOptions = {},
): SystemCall[] {
  const work = mkdtempSync(join(tmpdir(), "jig-strace-"));
  try {
    const log = join(work, "log");
    const words = ["-f", "-qq", "-y", "-s", "4096", "-o", log, "-e", `trace=${DURABLE}`, ...command];
    const run = spawnSync("strace", words, { cwd: options.cwd, env: testEnv(options.env), encoding: "utf8" });
    if (run.error !== undefined) throw run.error;
    const counts = new Map<string, number>();
    const calls: SystemCall[] = [];
    for (const line of readFileSync(log, "utf8").split("\n")) {
      const match = /^(\d+)\s+(\w+)\(/.exec(line);
      if (match === null) continue;
      const [, thread, name] = match as unknown as [string, string, string];
      const when = (counts.get(`${thread} ${name}`) ?? 0) + 1;
      counts.set(`${thread} ${name}`, when);
      if (line.includes(directory)) calls.push({ name, when });
    }
    return calls;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Run a program and meddle with one call: `signal=KILL` ends it there, `error=ENOSPC` makes the call fail. */
export function runInjected(
  command: readonly string[],
  call: SystemCall,
  effect: string,
  options: TraceOptions = {},
): { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string } {
  const inject = `inject=${call.name}:${effect}:when=${call.when}`;
  const words = ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${call.name}`, "-e", inject, ...command];
  const run = spawnSync("strace", words, { cwd: options.cwd, env: testEnv(options.env), encoding: "utf8" });
  if (run.error !== undefined) throw run.error;
  return { code: run.status, signal: run.signal, stdout: run.stdout, stderr: run.stderr };
}
