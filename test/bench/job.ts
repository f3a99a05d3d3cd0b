import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JobPid } from "../../src/job/schema.ts";
import { compareWithEmpty, measureInTurns, median } from "./measure.ts";
import type { Bench, BenchContext, BenchRow } from "./types.ts";

const SETTLE_MS = 5_000;
const REST_MS = 30_000;

/** The environment of a fresh jobs root. */
function jobsRoot(tempDir: string, name: string): { root: string; env: Record<string, string> } {
  const root = join(tempDir, name);
  return { root, env: { CE_PEER_JOBS_ROOT: root, HOME: tempDir } };
}

function jig(context: BenchContext, env: Record<string, string>, ...words: string[]): string {
  const run = Bun.spawnSync([context.jig, "job", ...words], { env: { ...process.env, ...env } });
  if (run.exitCode !== 0) throw new Error(`jig job ${words.join(" ")} exits ${run.exitCode}: ${run.stderr}`);
  return run.stdout.toString().trim();
}

const calls: Bench = {
  name: "job calls",
  async run(context) {
    const { env } = jobsRoot(context.tempDir, "calls");
    const result = join(context.tempDir, "result");
    const words = ["--skill", "bench", "--run-id", "r", "--no-sweep"];
    const worker = ["sh", "-c", `echo small > ${result}`];
    const id = jig(context, env, "start", ...words, "--result-path", result, "--", ...worker);
    jig(context, env, "wait", "--max-secs", "10", id);
    const { jig: binary } = context;
    return compareWithEmpty(
      context.empty,
      [
        ["job status", [binary, "job", "status", id]],
        ["job reap (settled)", [binary, "job", "reap", id]],
        ["job result (small)", [binary, "job", "result", id]],
        ["job wait (settled)", [binary, "job", "wait", id]],
        ["job start", [binary, "job", "start", ...words, "--", "true"]],
        // The same call: what an engine costs is paid by those who name one.
        ["job start --on local", [binary, "job", "start", ...words, "--on", "local", "--", "true"]],
      ],
      { env },
    );
  },
};

/** Memory of a process in KiB, and the CPU time all its threads have used in milliseconds. */
interface Usage {
  anonymous: number;
  proportional: number;
  resident: number;
  cpu: number;
}

function usageOf(pid: number): Usage {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)![1]);
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  }
  return {
    anonymous: field("Anonymous"),
    proportional: field("Pss"),
    resident: field("Rss"),
    cpu: nanoseconds / 1e6,
  };
}

/** What upstream's supervisor is: Python that wakes ten times a second. */
const PYTHON_IDLE = ["python3", "-c", "import time, json, os, subprocess\nwhile True: time.sleep(0.1)"];

const supervisor: Bench = {
  name: "job supervisor at rest",
  async run(context) {
    if (process.platform !== "linux") return [];
    const { root, env } = jobsRoot(context.tempDir, "rest");
    const ids: string[] = [];
    const begin = () => {
      const words = ["start", "--skill", "bench", "--run-id", "r", "--no-sweep", "--", "sleep", "300"];
      ids.push(jig(context, env, ...words));
    };
    const pids = () =>
      ids.map((id) => {
        const text = readFileSync(join(root, "bench/r/jobs", id, "pid"), "utf8");
        return (JSON.parse(text) as JobPid).supervisor_pid;
      });
    const python = Bun.which("python3") === null ? undefined : Bun.spawn(PYTHON_IDLE, { stdout: "ignore" });
    try {
      begin();
      await Bun.sleep(SETTLE_MS);
      const one = usageOf(pids()[0]!);
      while (ids.length < 10) begin();
      await Bun.sleep(SETTLE_MS);
      const before = pids().map(usageOf);
      const pythonBefore = python && usageOf(python.pid);
      await Bun.sleep(REST_MS);
      const after = pids().map(usageOf);
      const pythonAfter = python && usageOf(python.pid);
      const perSecond = (first: Usage, last: Usage) => (last.cpu - first.cpu) / (REST_MS / 1000);
      const row = (
        figure: string,
        value: number,
        unit: string,
        baselineValue: number | undefined,
      ): BenchRow =>
        baselineValue === undefined
          ? { figure, value, unit }
          : { figure, value, unit, baseline: "python3, ten wake-ups a second", baselineValue };
      const middle = (pick: (usage: Usage) => number) => median(after.map(pick));
      return [
        row("one: anonymous", one.anonymous, "KiB", pythonAfter?.anonymous),
        row("one: proportional", one.proportional, "KiB", pythonAfter?.proportional),
        row("one: resident", one.resident, "KiB", pythonAfter?.resident),
        row(
          "each of ten: anonymous",
          middle((usage) => usage.anonymous),
          "KiB",
          pythonAfter?.anonymous,
        ),
        row(
          "each of ten: proportional",
          middle((usage) => usage.proportional),
          "KiB",
          pythonAfter?.proportional,
        ),
        row(
          "each of ten: resident",
          middle((usage) => usage.resident),
          "KiB",
          pythonAfter?.resident,
        ),
        row(
          "CPU at rest, per second",
          median(after.map((last, index) => perSecond(before[index]!, last))),
          "ms",
          pythonBefore && pythonAfter && perSecond(pythonBefore, pythonAfter),
        ),
      ];
    } finally {
      python?.kill();
      jig(context, env, "reap", ...ids);
    }
  },
};

const list: Bench = {
  name: "job list",
  async run(context) {
    const rows: BenchRow[] = [];
    for (const count of [1_000, 10_000]) {
      const { root, env } = jobsRoot(context.tempDir, `list-${count}`);
      placeJobs(root, count);
      const [walk, listed] = measureInTurns(
        [
          ["find", root, "-type", "f", "-size", "+0"],
          [context.jig, "job", "list"],
        ],
        { env },
        5,
      );
      const baseline = "find over the same files";
      const figure = `${count} jobs`;
      rows.push(
        { figure: `${figure}, CPU`, value: listed!.cpu, unit: "ms", baseline, baselineValue: walk!.cpu },
        { figure: `${figure}, wall`, value: listed!.wall, unit: "ms", baseline, baselineValue: walk!.wall },
      );
    }
    return rows;
  },
};

/** Settled jobs made of files alone, a hundred to a run. */
function placeJobs(root: string, count: number): void {
  const meta = JSON.stringify({ started_at: "2026-01-01T00:00:00Z", label: "bench", supervision: {} });
  for (let index = 0; index < count; index++) {
    const directory = join(root, "bench", `r${Math.floor(index / 100)}`, "jobs", `20260101T000000Z-${index}`);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, "meta.json"), meta);
    writeFileSync(join(directory, "out.log"), "line\n");
    writeFileSync(join(directory, "reason"), "worker exited 0\n");
    writeFileSync(join(directory, "status"), "done\n");
  }
}

export const benches: Bench[] = [calls, supervisor, list];
