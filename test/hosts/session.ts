import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readProcess } from "../../src/kernel/process/linux.ts";
import { runJig, until } from "../support/run.ts";
import type { Recipe } from "./recipes.ts";

/** One turn of the scripted model (scripted-model.mjs says what each may be). */
export type Turn =
  | { say: string; after?: number }
  | { tool: "shell"; command: string; seconds?: number; after?: number }
  | { tool: "skill"; name: string };

/** A line of the model's log: what the host sent. */
interface LogLine {
  step: number | null;
  offered: string[];
  loaded: string[];
  results: string[];
}

export interface Session {
  /** The host's working directory. */
  work: string;
  /** What the host sent so far, of the requests that offered a shell. */
  log(): LogLine[];
  /** What the last request held. */
  last(): LogLine;
  /** The host's own processes that live, wrappers included. */
  processes(): number[];
  kill(signal: NodeJS.Signals): void;
  ended: Promise<void>;
  jig(words: string[]): ReturnType<typeof runJig>;
  /** End what still runs of it. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Seconds a call may last. */
  limit?: number;
  sandbox?: string;
}

/** Milliseconds one session of a host may take. */
const SESSION_MS = 420_000;

/** Start a host in a home of its own, with the skills installed, and its model beside it. */
export async function startSession(
  base: string,
  recipe: Recipe,
  bin: string,
  turns: readonly Turn[],
  options: SessionOptions = {},
): Promise<Session> {
  const [home, work] = [join(base, "home"), join(base, "work")];
  for (const path of [home, work]) mkdirSync(path, { recursive: true });
  const env: Record<string, string> = {
    HOME: home,
    PATH: `${bin}:${process.env["PATH"]}`,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    CE_PEER_JOBS_ROOT: join(work, "jobs"),
    CE_PEER_POLL_SECS: "0.5",
  };
  const jig = (words: string[]) => runJig(words, { cwd: work, env, timeout: 60_000 });
  const installed = await jig(["skills", "install", "--host", recipe.skillsHost]);
  if (installed.code !== 0) throw new Error(`skills install: ${installed.stderr}`);

  const [script, log] = [join(base, "script.json"), join(base, "log.jsonl")];
  writeFileSync(script, JSON.stringify(turns));
  writeFileSync(log, "");
  const model = spawn(
    process.execPath,
    [
      join(import.meta.dirname, "scripted-model.mjs"),
      ...["--script", script, "--log", log, "--skills", join(home, recipe.skillsDirectory)],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let printed = "";
  model.stdout!.on("data", (piece: Buffer) => {
    printed += piece;
  });
  const url = await until("the scripted model", () => /^http\S+/.exec(printed)?.[0]);
  const place = { home, url };
  recipe.configure(place, options.limit);
  const call = recipe.call(place, bin, options.sandbox);
  const host = startHost(call.words, { ...env, ...call.env }, work, join(base, "host.log"));
  const ended = new Promise<void>((resolve) => {
    host.on("exit", () => resolve());
  });
  const timer = setTimeout(() => killAll("SIGKILL"), SESSION_MS);
  const processes = followHost(host.pid!, recipe.programs);
  const killAll = (signal: NodeJS.Signals) => {
    for (const pid of processes()) signalTo(pid, signal);
  };
  const lines = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LogLine)
      .filter(({ step }) => typeof step === "number");
  return {
    work,
    log: lines,
    last: () => lines().at(-1) ?? { step: null, offered: [], loaded: [], results: [] },
    processes,
    kill: killAll,
    ended,
    jig,
    async close() {
      clearTimeout(timer);
      killAll("SIGKILL");
      model.kill();
      if (existsSync(join(work, "show"))) await jig(["web", "stop", "--root", join(work, "show")]);
    },
  };
}

function startHost(words: string[], env: Record<string, string>, cwd: string, log: string): ChildProcess {
  // The words of the shell are the redirection only: the host replaces it.
  const script = `exec "$@" </dev/null >'${log}' 2>&1`;
  return spawn("sh", ["-c", script, "sh", ...words], { env, cwd, stdio: "ignore", detached: true });
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended first.
  }
}

/** A process as its number alone does not name it: numbers are used again within minutes on a busy machine. */
interface Known {
  pid: number;
  startTicks: number;
}

/**
 * Follows a host's own processes: the one started here and those below it that run one of its programs. A tool's shell and
 * what that started are not the host. Those seen once are remembered, since they outlive a wrapper that was killed.
 */
function followHost(root: number, programs: readonly string[]): () => number[] {
  const known = new Map<number, Known>();
  const rootStart = readProcess(root)?.startTicks;
  return () => {
    const children = new Map<number, number[]>();
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      const parent = pid > 0 ? readProcess(pid)?.parent : undefined;
      if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
    }
    const walk = (pid: number) => {
      const startTicks = readProcess(pid)?.startTicks;
      if (startTicks === undefined || !programs.includes(programOf(pid) ?? "")) return;
      known.set(pid, { pid, startTicks });
      for (const child of children.get(pid) ?? []) walk(child);
    };
    if (rootStart !== undefined && readProcess(root)?.startTicks === rootStart) walk(root);
    return [...known.values()].filter(isSame).map(({ pid }) => pid);
  };
}

function isSame({ pid, startTicks }: Known): boolean {
  const now = readProcess(pid);
  return now?.zombie === false && now.startTicks === startTicks;
}

function programOf(pid: number): string | undefined {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return undefined;
  }
}
