import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { until } from "../../support/run.ts";
import { type Jobs, jobs } from "../support.ts";
import type { Cluster } from "./cluster.ts";

export interface EngineJobs extends Jobs {
  /** `XDG_STATE_HOME`. */
  state: string;
  /** `job start --on slurm` of a worker; the id, when nothing else was printed. */
  on(argv: readonly string[], flags?: readonly string[]): Promise<string>;
  /** Slurm's number of a job. */
  number(id: string): string;
  phase(id: string): Promise<{ state: string; phase: string | null; node: string | null }>;
  /** Wait for the worker's first line, `up`, and its pid. */
  isUp(id: string): Promise<unknown>;
  /** A program on `PATH` before the real ones; the body is a shell script, `$REAL` the real one. */
  program(name: string, body: string): void;
  /** Let the time pass after which a job that ended without a record is settled. */
  ageEnded(id: string): void;
}

/** Wait for all, and fail with the first failure only then: what goes on would make its test's directory again. */
export async function sideBySide(tasks: readonly Promise<void>[]): Promise<void> {
  for (const task of await Promise.allSettled(tasks)) {
    if (task.status === "rejected") throw task.reason;
  }
}

/** Jobs of a cluster, in a root of their own. */
export function engineJobs(
  cluster: Pick<Cluster, "env" | "run" | "directory">,
  overrides: Record<string, string | undefined> = {},
): EngineJobs {
  let bin: string | undefined;
  // Slurm makes a batch job's TMPDIR where it is missing. One that starts late, or once more since its controller lost its
  // last minute, would make the test's directory again; the cluster's goes when nothing of it lives.
  const env: Record<string, string | undefined> = { ...cluster.env, TMPDIR: cluster.directory, ...overrides };
  const job = jobs(env);
  const state = join(job.work, "state");
  job.env["XDG_STATE_HOME"] = state;
  // What a failed test has left in the queue is not the next one's.
  onTestFinished(() => void cluster.run(["scancel", "--user=root"]));
  return {
    ...job,
    state,
    on: (argv, flags = []) => job.start(argv, ["--on", "slurm", ...flags]),
    number: (id) => JSON.parse(job.file(id, "engine.json")).id,
    async phase(id) {
      const run = await job.jig(["status", "--json", id]);
      expect(run.code).toBe(0);
      return JSON.parse(run.stdout)[0];
    },
    isUp: (id) =>
      until("the worker", () => {
        const file = (name: string) => join(job.directory(id), name);
        return existsSync(file("pid")) && readFileSync(file("out.log"), "utf8").startsWith("up\n");
      }),
    program(name, body) {
      bin ??= join(job.work, "bin");
      mkdirSync(bin, { recursive: true });
      const path = join(bin, name);
      writeFileSync(path, `#!/bin/sh\nREAL=/usr/bin/${name}\n${body}\n`);
      chmodSync(path, 0o755);
      job.env["PATH"] = `${bin}:${process.env["PATH"]}`;
    },
    ageEnded(id) {
      const path = join(job.directory(id), ".ended");
      const then = Date.now() / 1000 - 31;
      utimesSync(path, then, then);
    },
  };
}
