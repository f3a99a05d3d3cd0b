/** A job handed to an engine: whatever is the last or the failing call, it is submitted once at most, and never both ways. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FakeSlurm, fakeSlurm } from "../job/engine/fake-slurm.ts";
import { type FakeSsh, fakeSsh } from "../job/engine/fake-ssh.ts";
import { JIG } from "../support/paths.ts";
import { runJig, testEnv } from "../support/run.ts";
import { canTrace, runWithLateName } from "../support/strace.ts";
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

interface SshScene extends Scene {
  ssh: FakeSsh;
  env: Record<string, string>;
}

function sshScene(): SshScene & { work: string } {
  const work = tempDir("jig-fault-");
  const ssh = fakeSsh(work);
  const directory = join(work, "root");
  const env = { CE_PEER_JOBS_ROOT: directory, PATH: `${ssh.bin}:${process.env["PATH"]}` };
  const words = ["--on", "ssh:box", "--skill", "s", "--run-id", "r", "--no-sweep"];
  const result = ["--result-path", join(ssh.home, "result")];
  const worker = ["--", "sh", "-c", `echo said; echo result > ${ssh.home}/result`];
  const command = [JIG, "job", "start", ...words, ...result, ...worker];
  return { command, directory, env, ssh, work, alone: true };
}

const thereOf = ({ root }: FakeSsh): string[] => {
  const jobs = join(root, "s/r/jobs");
  return existsSync(jobs) ? readdirSync(jobs) : [];
};

const wholeHere = (job: string) => {
  expect(readFileSync(join(job, "status"), "utf8")).toBe("done\n");
  // A disk that refuses the reason alone does not keep the state away (docs/spec/jobs.md 4.3).
  const reason = join(job, "reason");
  if (existsSync(reason)) expect(readFileSync(reason, "utf8")).toBe("worker exited 0\n");
  expect(readFileSync(join(job, "result"), "utf8")).toBe("result\n");
  expect(readFileSync(join(job, "out.log"), "utf8")).toBe("said\n");
};

faults({
  what: "job start --on another machine",
  least: 8,
  most: 8,
  prepare: sshScene,
  async holds({ directory, env, ssh }, { code, killed }) {
    await ssh.quiet();
    const jobs = jobsOf(directory);
    const there = thereOf(ssh);
    expect(jobs.length).toBeLessThanOrEqual(1);
    expect(there.length).toBeLessThanOrEqual(1);
    const [job] = jobs;
    if (job === undefined) return expect(there).toEqual([]);
    const id = job.slice(job.lastIndexOf("/") + 1);
    // Exit 1 means that nothing runs and nothing will; a job that runs is the one that is known here.
    if (!killed) expect(there).toEqual(code === 0 ? [id] : []);
    letTimePass(job);
    const state = (await runJig(["job", "status", job], { env })).stdout.trim();
    const again = (await runJig(["job", "status", job], { env })).stdout.trim();
    expect(there).toEqual(again === "never-started" ? [] : [id]);
    if (there.length === 1) {
      expect(state).toBe("done");
      wholeHere(job);
    }
  },
});

faults({
  what: "job status that brings a job from another machine",
  least: 8,
  most: 6,
  prepare() {
    const { command, directory, env, ssh } = sshScene();
    const run = spawnSync(command[0]!, command.slice(1), { env: testEnv(env), encoding: "utf8" });
    expect(run.status).toBe(0);
    const [job] = jobsOf(directory);
    spawnSync(JIG, ["job", "wait", run.stdout.trim()], {
      env: testEnv({ ...env, CE_PEER_JOBS_ROOT: ssh.root }),
    });
    return { command: [JIG, "job", "status", job!], directory: job!, env, ssh, alone: true };
  },
  async holds({ directory, env }) {
    const status = async () => (await runJig(["job", "status", directory], { env })).stdout.trim();
    const state = await status();
    // The record is the last to come; the claim of a killed reader is given up when it is proven gone.
    expect(["running", "done"]).toContain(state);
    letTimePass(directory);
    expect(await status()).toBe("done");
    wholeHere(directory);
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

test.skipIf(!canTrace)("a record that a name cache hides for a while is found before another is made", () => {
  const { command, directory, env, slurm } = scene();
  const [there, rehearsed] = [0, 1].map(() => {
    const before = jobsOf(directory);
    expect(spawnSync(command[0]!, command.slice(1), { env: testEnv(env) }).status).toBe(0);
    const job = jobsOf(directory).find((path) => !before.includes(path))!;
    writeFileSync(join(job, ".ended"), "{}\n", { mode: 0o600 });
    letTimePass(job);
    return { directory: job, command: [JIG, "job", "status", job] };
  }) as [Look, Look];
  writeFileSync(slurm.queue, "");
  writeFileSync(join(there.directory, "reason"), "worker exited 0\n", { mode: 0o600 });
  writeFileSync(join(there.directory, "status"), "done\n", { mode: 0o600 });
  const run = runWithLateName("status", there, rehearsed, { env, alone: true });
  expect(run.looks).toBeGreaterThan(0);
  expect(run).toMatchObject({ stdout: "done\n", stderr: "" });
  // The rehearsal had no record to find.
  expect(readFileSync(join(rehearsed.directory, "status"), "utf8")).toBe("failed\n");
  expect(readFileSync(join(there.directory, "status"), "utf8")).toBe("done\n");
  expect(readFileSync(join(there.directory, "reason"), "utf8")).toBe("worker exited 0\n");
  expect(existsSync(join(there.directory, ".settle"))).toBe(false);
});

interface Look {
  directory: string;
  command: string[];
}
