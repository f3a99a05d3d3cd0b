import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { JobMeta, JobPid } from "../../src/job/schema.ts";
import { readProcess } from "../../src/kernel/process/linux.ts";
import { type RunOptions, type RunOutput, runJig, until } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

type Env = Record<string, string | undefined>;

export interface Jobs {
  /** Fresh directory for the test's own files. */
  work: string;
  root: string;
  env: Env;
  jig(args: readonly string[], options?: RunOptions): Promise<RunOutput>;
  /** `job start --skill s --run-id r … -- argv`; the id, after checking that nothing else was printed. */
  start(argv: readonly string[], flags?: readonly string[], env?: Env): Promise<string>;
  directory(id: string, skill?: string, run?: string): string;
  file(id: string, name: string): string;
  meta(id: string): JobMeta;
  pid(id: string): JobPid;
  status(id: string): Promise<string>;
  /** Wait until the job has settled; the state. */
  settled(id: string): Promise<string>;
  reap(...ids: string[]): Promise<RunOutput>;
  /** A worker script; its path. */
  script(name: string, body: string): string;
}

/** A private jobs root and a quick supervisor. When the test ends no process of any of its jobs may be left. */
export function jobs(overrides: Env = {}): Jobs {
  const work = tempDir("jig-job-");
  const root = join(work, "root");
  const env: Env = {
    CE_PEER_JOBS_ROOT: root,
    CE_PEER_POLL_SECS: "0.2",
    CE_PEER_GRACE_SECS: "2",
    TMPDIR: work,
    ...overrides,
  };
  onTestFinished(async () => {
    try {
      await expectNobodyLeft(work);
    } finally {
      for (const pid of processesOf(work)) process.kill(pid, "SIGKILL");
    }
  });
  const jig: Jobs["jig"] = (args, options = {}) =>
    runJig(["job", ...args], { cwd: work, ...options, env: { ...env, ...options.env } });
  const directory: Jobs["directory"] = (id, skill = "s", run = "r") => join(root, skill, run, "jobs", id);
  const file: Jobs["file"] = (id, name) => readFileSync(join(directory(id), name), "utf8");
  return {
    work,
    root,
    env,
    jig,
    directory,
    file,
    meta: (id) => JSON.parse(file(id, "meta.json")) as JobMeta,
    pid: (id) => JSON.parse(file(id, "pid")) as JobPid,
    async start(argv, flags = [], extra = {}) {
      const run = await jig(["start", "--skill", "s", "--run-id", "r", ...flags, "--", ...argv], {
        env: extra,
      });
      expect(run.stderr).toBe("");
      expect(run.code).toBe(0);
      expect(run.stdout).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{8}\n$/);
      return run.stdout.trim();
    },
    async status(id) {
      return (await jig(["status", id])).stdout.trim();
    },
    async settled(id) {
      return (await jig(["wait", "--max-secs", "25", id])).stdout.trim();
    },
    reap: (...ids) => jig(["reap", ...ids]),
    script(name, body) {
      const path = join(work, name);
      writeFileSync(path, `#!/bin/sh\n${body}\n`);
      chmodSync(path, 0o755);
      return path;
    },
  };
}

/**
 * Pids of living processes that belong to a directory's jobs: supervisors carry a job directory in their words, workers
 * and what they start in their environment. The commands a test is running right now do not count.
 */
export function processesOf(directory: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && belongsTo(pid, directory));
}

function belongsTo(pid: number, directory: string): boolean {
  try {
    if (readProcess(pid)?.zombie !== false) return false;
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (words.includes("__supervise") && words.some((word) => word.startsWith(directory))) return true;
    return readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .some((variable) => variable.startsWith(`JIG_JOB_DIR=${directory}`));
  } catch {
    return false;
  }
}

/** No supervisor, worker or descendant of any job below the directory lives. */
export async function expectNobodyLeft(directory: string): Promise<void> {
  await expect.poll(() => processesOf(directory).map(describeProcess)).toEqual([]);
}

function describeProcess(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`;
  } catch {
    return `${pid}`;
  }
}

/** The identity of a process of this boot that began so many ticks after it. */
export const ofThisBoot = (ticks: string): string =>
  `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${ticks}`;

/** Whether a process runs; a zombie does not. */
export const runs = (pid: number): boolean => readProcess(pid)?.zombie === false;

export const gone = (what: string, pid: number): Promise<true> => until(what, () => !runs(pid) as true);

/** Wait for a file a worker writes; its trimmed content. */
export async function contentOf(path: string): Promise<string> {
  return until(`${path} to have content`, () => existsSync(path) && readFileSync(path, "utf8").trim());
}

/** Kill a supervisor with signal 9 and wait until it is gone. */
export async function killSupervisor(of: Pick<Jobs, "pid">, id: string): Promise<void> {
  const { supervisor_pid: pid } = of.pid(id);
  process.kill(pid, "SIGKILL");
  await gone("the supervisor to be gone", pid);
}

/** An unrelated process with its own group, ended with the test. */
export async function bystander(script = "exec sleep 300"): Promise<number> {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" });
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  });
  await until("the bystander to run", () => runs(child.pid!));
  return child.pid!;
}

export function makeDirectory(path: string, mode = 0o700): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}
