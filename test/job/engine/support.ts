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

/** Jobs of a cluster, in a root of their own. */
export function engineJobs(
  cluster: Pick<Cluster, "env" | "run">,
  overrides: Record<string, string | undefined> = {},
): EngineJobs {
  let bin: string | undefined;
  const env: Record<string, string | undefined> = { ...cluster.env, ...overrides };
  const job = jobs(env);
  const state = join(job.work, "state");
  job.env["XDG_STATE_HOME"] = state;
  onTestFinished(() => void cluster.run(["scancel", `--comment=${job.work}`]));
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
