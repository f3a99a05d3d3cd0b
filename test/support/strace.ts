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
  /** Leave the programs alone that it runs: they are another machine's. */
  alone?: boolean | undefined;
}

const followed = ({ alone }: TraceOptions) => (alone ? ["-f", "-b", "execve"] : ["-f"]);

/** The durable calls of a program that touch a directory, in order: run it once and look. */
export function callsTouching(
  directory: string,
  command: readonly string[],
  options: TraceOptions = {},
): SystemCall[] {
  const work = mkdtempSync(join(tmpdir(), "jig-strace-"));
  try {
    const log = join(work, "log");
    const words = [
      ...followed(options),
      "-qq",
      "-y",
      "-s",
      "4096",
      "-o",
      log,
      "-e",
      `trace=${DURABLE}`,
      ...command,
    ];
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

const LOOKS = "openat,stat,lstat,newfstatat,statx,access,faccessat2";

/**
 * Run a program for which a file is missing until the program has made something in the file's directory, as where a network
 * file system remembers that it was missing: `rehearse` is the same command over a directory in which it really is.
 */
export function runWithLateName(
  name: string,
  { command, directory }: { command: readonly string[]; directory: string },
  rehearse: { command: readonly string[]; directory: string },
  options: TraceOptions,
): { looks: number; stdout: string; stderr: string } {
  const trace = (words: readonly string[], [program, ...rest]: readonly string[]) => {
    const all = [...followed(options), "-qq", "-s", "4096", ...words, "--", program!, ...rest];
    const run = spawnSync("strace", all, { cwd: options.cwd, env: testEnv(options.env), encoding: "utf8" });
    if (run.error !== undefined) throw run.error;
    return run;
  };
  const work = mkdtempSync(join(tmpdir(), "jig-strace-"));
  try {
    const log = join(work, "log");
    trace(["-o", log, "-e", `trace=${LOOKS}`], rehearse.command);
    const lines = readFileSync(log, "utf8").split("\n");
    const made = lines.findIndex((line) => line.includes(rehearse.directory) && line.includes("O_CREAT"));
    const path = `"${join(rehearse.directory, name)}"`;
    const looks = lines.slice(0, made).filter((line) => line.includes(path)).length;
    const late = `inject=${LOOKS}:error=ENOENT:when=1..${looks}`;
    const words = ["-o", "/dev/null", "-P", join(directory, name), "-e", `trace=${LOOKS}`, "-e", late];
    const { stdout, stderr } = trace(words, command);
    return { looks, stdout, stderr };
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
  const words = [
    ...followed(options),
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    `trace=${call.name}`,
    "-e",
    inject,
    ...command,
  ];
  const run = spawnSync("strace", words, { cwd: options.cwd, env: testEnv(options.env), encoding: "utf8" });
  if (run.error !== undefined) throw run.error;
  return { code: run.status, signal: run.signal, stdout: run.stdout, stderr: run.stderr };
}
