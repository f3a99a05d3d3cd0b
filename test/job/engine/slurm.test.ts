import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../support/run.ts";
import { contentOf } from "../support.ts";
import { type Cluster, startCluster, withSlurm } from "./cluster.ts";
import { engineJobs } from "./support.ts";

let cluster: Cluster;

withSlurm("jobs on Slurm", () => {
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.end());

  test("engines-1 runs on a node, its files below the state directory", async () => {
    const job = engineJobs(cluster, { CE_PEER_JOBS_ROOT: undefined });
    const began = Date.now();
    const start = await job.jig([
      "start",
      "--on",
      "slurm",
      "--skill",
      "s",
      "--run-id",
      "r",
      "--",
      "sh",
      "-c",
      "echo hi",
    ]);
    expect(Date.now() - began).toBeLessThan(3_000);
    expect(start).toMatchObject({ code: 0, stderr: "" });
    const id = start.stdout.trim();
    expect((await job.jig(["wait", id])).stdout).toBe("done\n");
    expect((await job.jig(["logs", id])).stdout).toBe("hi\n");
    const directory = join(job.state, "jig/jobs/s/r/jobs", id);
    expect(JSON.parse(await contentOf(join(directory, "pid")))).toMatchObject({
      host: expect.stringMatching(/^n[12]x/),
      engine_id: expect.stringMatching(/^\d+$/),
    });
    for (const name of readdirSync(directory)) {
      expect([name, statSync(join(directory, name)).mode & 0o7777]).toEqual([name, 0o600]);
    }
    for (const part of ["", "jig", "jig/jobs", "jig/jobs/s"]) {
      expect(statSync(join(job.state, part)).mode & 0o7777).toBe(0o700);
    }
    const root = JSON.parse((await job.jig(["root", "--json"])).stdout);
    expect(root.candidates.at(-1)).toBe(join(job.state, "jig/jobs"));
  });

  test("engines-2 engines-3 waits in the queue, says why, and runs when a node is free; or is reaped there", async () => {
    const job = engineJobs(cluster);
    await cluster.fill();
    const local = await job.start(["sleep", "60"]);
    const id = await job.on(["sh", "-c", "echo ran"]);
    const other = await job.on(["touch", join(job.work, "trace")]);
    expect((await job.jig(["status", id])).stdout).toBe("running\n");
    const [queued, here] = JSON.parse((await job.jig(["status", "--json", id, local])).stdout);
    expect(queued).toMatchObject({ state: "running", engine: "slurm", phase: "queued", node: null });
    expect(queued.engine_id).toMatch(/^\d+$/);
    expect(Object.keys(here)).toEqual(["ref", "job_dir", "state"]);
    const list = (await job.jig(["list"])).stdout.split("\n");
    expect(list[0]!.split("\t")).toContain("ON");
    expect(list.find((line) => line.includes(id))).toMatch(/\tslurm\tqueued \(\w+\)$/);
    expect(list.find((line) => line.includes(local))).toMatch(/\t-\t$/);

    expect(await job.reap(other)).toMatchObject({ code: 0, stderr: `jig job: reap ${other}: timeout\n` });
    expect(await job.status(other)).toBe("timeout");
    expect(job.file(other, "reason")).toBe("reaped on request before it started\n");
    await until(
      "it to leave the queue",
      () => !cluster.run(["squeue", "-h", "-o", "%j"]).stdout.includes(other),
    );

    cluster.run(["scancel", "--name=filler"]);
    expect(await job.settled(id)).toBe("done");
    await job.reap(local);
    expect(existsSync(join(job.work, "trace"))).toBe(false);
  });

  test("engines-4 a running job is reaped with everything it started", async () => {
    const job = engineJobs(cluster);
    const worker = "trap '' TERM; setsid sleep 300 & echo up; while :; do sleep 0.1; done";
    const id = await job.on(["sh", "-c", worker]);
    await until("the worker", async () => job.file(id, "out.log") === "up\n");
    expect(await job.reap(id)).toMatchObject({ code: 0, stderr: `jig job: reap ${id}: timeout\n` });
    expect(await job.status(id)).toBe("timeout");
    expect(job.file(id, "reason")).toBe("reaped on request before completion\n");
  });

  test("engines-10 what Slurm refuses is said in its words", async () => {
    const job = engineJobs(cluster);
    const run = await job.jig([
      "start",
      "--on",
      "slurm:nosuch",
      "--skill",
      "s",
      "--run-id",
      "r",
      "--",
      "true",
    ]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(
      /^jig job: slurm refused the job: sbatch: error: .*nosuch; sbatch: error: .*\n$/,
    );
    const [id] = readdirSync(join(job.root, "s/r/jobs"));
    expect(await job.status(id!)).toBe("never-started");
  });

  test("engines-13 the worker's words arrive as they were given", async () => {
    const job = engineJobs(cluster);
    const words = ["a b", "it's", '"$HOME"', "two\nlines", "back\\slash", "-dash", "", "*", "`id`", "é"];
    const print = 'for word; do printf "<%s>" "$word"; done';
    const id = await job.on(["sh", "-c", print, "sh", ...words]);
    expect(await job.settled(id)).toBe("done");
    expect(job.file(id, "out.log")).toBe(words.map((word) => `<${word}>`).join(""));
  });

  test("engines-14 wrong words and a missing client make nothing", async () => {
    const job = engineJobs(cluster);
    const missing = await job.jig(["start", "--on", "slurm", "--", "true"], { env: { PATH: "/nowhere" } });
    expect(missing).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "jig job: sbatch is not on PATH; is Slurm's client installed on this machine?\n",
    });
    const wrong = [
      ["--on", "kubernetes"],
      ["--on", "slurm", "--engine-arg=x.sh"],
      ["--on", "slurm", "--engine-arg=--arr=1-2"],
      ["--on", "slurm", "--engine-arg=-a1"],
      ["--on", "slurm", "--engine-arg=--"],
      ["--on", "slurm", "--remote-cwd", "/"],
      ["--on", "ssh:-oX"],
      ["--on", "ssh:"],
      ["--on", "ssh"],
      ["--engine-arg=-p"],
      ["--on", "local", "--engine-arg=-p"],
      ["--remote-jig", "/x"],
    ];
    for (const words of wrong) {
      const run = await job.jig(["start", ...words, "--", "true"]);
      expect([words, run.code, run.stdout]).toEqual([words, 2, ""]);
    }
    expect((await job.jig(["start", "--on", "kubernetes", "--", "true"])).stderr).toContain(
      "slurm, slurm:PARTITION, ssh:DEST",
    );
    expect(existsSync(job.root)).toBe(false);
  });

  test("engines-16 a result below the root is read; one that only the node has is named", async () => {
    const job = engineJobs(cluster);
    const result = join(job.work, "result");
    const write = ["sh", "-c", `printf 'a\\r\\nb\\032c' > '${result}'`];
    const id = await job.on(write, ["--result-path", result]);
    expect(await job.settled(id)).toBe("done");
    expect((await job.jig(["result", id])).stdout).toBe("a\r\nb\u001ac");
    // As a path of the node's own disk looks from here.
    rmSync(result);
    const absent = await job.jig(["result", id]);
    expect(absent).toMatchObject({ code: 3, stdout: "" });
    expect(absent.stderr).toMatch(
      /^jig job: result missing or unreadable: .*\/result was written on n[12]x\w+ and is not visible here\n$/,
    );
  });
});
