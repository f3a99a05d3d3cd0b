/** A job handed to an engine: whatever is the last or the failing call, it is submitted once at most, and never both ways. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type FakeSlurm, fakeSlurm } from "../job/engine/fake-slurm.ts";
import { JIG } from "../support/paths.ts";
import { runJig, testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { faults, type Scene } from "./harness.ts";

interface EngineScene extends Scene {
  slurm: FakeSlurm;
  env: Record<string, string>;
}

function scene(): EngineScene {
  const work = tempDir("jig-fault-");
  const slurm = fakeSlurm(work);
  const directory = join(work, "root");
  const env = { CE_PEER_JOBS_ROOT: directory, PATH: `${slurm.bin}:${process.env["PATH"]}` };
  const command = [
    JIG,
    "job",
    "start",
    "--on",
    "slurm",
    "--skill",
    "s",
    "--run-id",
    "r",
    "--no-sweep",
    "--",
    "true",
  ];
  return { command, directory, env, slurm };
}

const jobsOf = (directory: string): string[] => {
  const jobs = join(directory, "s/r/jobs");
  return existsSync(jobs) ? readdirSync(jobs).map((id) => join(jobs, id)) : [];
};

/** Let a minute pass for what was never answered, and the half minute of what has ended. */
function letTimePass(job: string): void {
  const then = Date.now() / 1000 - 61;
  for (const name of ["engine.json", ".ended"]) {
    if (existsSync(join(job, name))) utimesSync(join(job, name), then, then);
  }
}

const queued = ({ queue }: FakeSlurm) => readFileSync(queue, "utf8").split("\n").filter(Boolean);

faults({
  what: "job start --on an engine",
  least: 10,
  skip: /^(?:link|fchmodat|utimensat)$/,
  prepare: scene,
  async holds({ directory, env, slurm }, { code, killed }) {
    const jobs = jobsOf(directory);
    expect(jobs.length).toBeLessThanOrEqual(1);
    const [job] = jobs;
    const submitted = queued(slurm).length;
    expect(submitted).toBeLessThanOrEqual(1);
    if (!killed && code === 0) expect(submitted).toBe(1);
    if (job === undefined) return expect(submitted).toBe(0);
    const state = async () => (await runJig(["job", "status", job], { env })).stdout.trim();
    await state();
    letTimePass(job);
    const found = await state();
    // Exit 1 means that nothing will run: what a batch job would begin with is gone.
    if (!killed && code === 1) {
      expect(found).toBe("never-started");
      if (submitted === 1) expect(existsSync(join(job, ".spawn.json"))).toBe(false);
    }
    if (killed) {
      if (submitted === 1) expect(found).toBe("running");
      else expect(found).toBe("never-started");
    }
  },
});

faults({
  what: "job status that settles a job that its engine has lost",
  least: 4,
  prepare() {
    const { command, directory, env, slurm } = scene();
    const run = spawnSync(command[0]!, command.slice(1), { env: testEnv(env) });
    expect(run.status).toBe(0);
    const [job] = jobsOf(directory);
    writeFileSync(slurm.queue, "");
    writeFileSync(join(job!, ".ended"), "{}\n", { mode: 0o600 });
    letTimePass(job!);
    return { command: [JIG, "job", "status", job!], directory: job!, env, slurm };
  },
  async holds({ directory, env }) {
    const status = async () => (await runJig(["job", "status", directory], { env })).stdout.trim();
    // A claim of a killed reader is given up when it is proven gone.
    expect(["running", "failed"]).toContain(await status());
    letTimePass(directory);
    expect(await status()).toBe("failed");
    expect(readFileSync(join(directory, "status"), "utf8")).toBe("failed\n");
    expect(existsSync(join(directory, ".spawn.json"))).toBe(false);
  },
});
