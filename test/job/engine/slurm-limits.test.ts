import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sleep, until } from "../../support/run.ts";
import { type Cluster, startCluster, withSlurm } from "./cluster.ts";
import { type EngineJobs, engineJobs, sideBySide } from "./support.ts";

let cluster: Cluster;

/** Wait until a look has seen its end, and let the half minute pass. */
async function settledAfterEnd(job: EngineJobs, id: string): Promise<string> {
  await until("its end to be seen", async () => (await job.phase(id)).phase === "ended");
  job.ageEnded(id);
  return job.status(id);
}

/** Slurm's own time limit, and scancel by hand. */
async function timeLimit(job: EngineJobs): Promise<void> {
  const worker = ["sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done"];
  const limited = await job.on(worker, ["--engine-arg=--time=1"]);
  const cancelled = await job.on(["sh", "-c", "echo up; exec sleep 300"]);
  await job.isUp(cancelled);
  cluster.run(["scancel", job.number(cancelled)]);
  expect(await job.settled(cancelled)).toBe("timeout");
  const waited = await job.jig(["wait", "--max-secs", "58", limited], { timeout: 70_000 });
  expect(waited.stdout).toBe("timeout\n");
  for (const id of [limited, cancelled]) {
    expect(job.file(id, "reason")).toBe("stopped by slurm (time limit, preemption or scancel)\n");
  }
}

/** The idle window counts as anywhere; suspended time does not. */
async function idleAndSuspended(job: EngineJobs): Promise<void> {
  const silent = await job.on(["sleep", "300"], ["--idle-secs", "2"]);
  const worker = "echo up; for i in $(seq 16); do echo $i; sleep 0.5; done";
  const id = await job.on(["sh", "-c", worker], ["--hard-secs", "15"]);
  await job.isUp(id);
  await sleep(1_000);
  expect(cluster.run(["scontrol", "suspend", job.number(id)]).code).toBe(0);
  await sleep(20_000);
  expect(cluster.run(["scontrol", "resume", job.number(id)]).code).toBe(0);
  expect(await job.settled(id)).toBe("done");
  expect(await job.settled(silent)).toBe("timeout");
  expect(job.file(silent, "reason")).toBe("no output for 2s (idle window)\n");
}

/** A submission that fails after it succeeded, or hangs: no worker runs when the job starts. */
async function lateRefusal(job: EngineJobs, tail: string): Promise<void> {
  job.program("sbatch", `$REAL "$@" >/dev/null; echo "sbatch: error: Socket timed out" >&2; ${tail}`);
  job.program("scancel", "exit 1");
  const trace = join(job.work, "trace");
  const words = ["start", "--on", "slurm", "--engine-arg=--hold", "--skill", "s", "--run-id", "r"];
  const run = await job.jig([...words, "--", "touch", trace], { timeout: 60_000 });
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toMatch(/slurm (refused the job: .*Socket timed out|did not answer within 30 s)/);
  const [id] = readdirSync(join(job.root, "s/r/jobs"));
  expect(await job.status(id!)).toBe("never-started");
  const listed = () => cluster.listed()?.find(({ name }) => name === id);
  const { number } = await until("Slurm to list it", listed);
  cluster.run(["scontrol", "release", number]);
  await until("the batch job to have run", () => {
    const jobs = cluster.listed();
    return jobs?.every(({ name, state }) => name !== id || state === "FAILED");
  });
  expect(existsSync(trace)).toBe(false);
  expect(await job.status(id!)).toBe("never-started");
}

withSlurm("limits of jobs on Slurm", () => {
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.end());

  test("engines-5 engines-15 engines-25 what takes its time, side by side", async () => {
    await sideBySide([
      timeLimit(engineJobs(cluster)),
      idleAndSuspended(engineJobs(cluster)),
      ...["exit 1", "sleep 100"].map((tail) => lateRefusal(engineJobs(cluster), tail)),
    ]);
  }, 180_000);

  test("engines-11 directories that the node does not see", async () => {
    const job = engineJobs(cluster);
    mkdirSync(job.root, { mode: 0o700 });
    const held = join(job.work, "held");
    mkdirSync(held);
    const start = await job.jig(
      ["start", "--on", "slurm", "--engine-arg=--hold", "--skill", "s", "--run-id", "r", "--", "true"],
      { cwd: held },
    );
    const there = start.stdout.trim();
    rmdirSync(held);
    cluster.run(["scontrol", "release", job.number(there)]);
    expect(await settledAfterEnd(job, there)).toBe("failed");
    expect(job.file(there, "reason")).toMatch(new RegExp(`^${held} is not visible on n[12]x\\w+\n$`));

    await cluster.startNode(cluster.n2, job.root);
    const id = await job.on(["true"], [`--engine-arg=--nodelist=${cluster.n2}`]);
    expect(await settledAfterEnd(job, id)).toBe("failed");
    expect(job.file(id, "reason")).toBe(
      `${job.directory(id)} is not visible on ${cluster.n2}; set CE_PEER_JOBS_ROOT to a directory that all nodes share\n`,
    );
    await cluster.startNode(cluster.n2);
  });

  test("what the node lacks is said with its name; what the script cannot do is in its log", async () => {
    const job = engineJobs(cluster);
    const id = await job.on(["/nonexistent/worker", "x"]);
    expect(await job.settled(id)).toBe("failed");
    expect(job.file(id, "reason")).toMatch(
      /^could not launch worker: '\/nonexistent\/worker' does not exist or is not a regular file on n[12]x\w+\n$/,
    );
  });

  test("the limits that nobody named are a week and half an hour, and Slurm gets none of them", async () => {
    const job = engineJobs(cluster);
    const words = join(job.work, "words");
    job.program("sbatch", `printf '%s\\n' "$@" > ${words}; exec $REAL "$@"`);
    const unnamed = await job.on(["true"]);
    expect(job.meta(unnamed).supervision).toMatchObject({ idle: 1800, hard: 604_800 });
    expect(readFileSync(words, "utf8")).toMatch(/^--signal=B:TERM@32\n--parsable\n--job-name=/);
    const named = await job.on(["true"], ["--hard-secs", "100"]);
    expect(readFileSync(words, "utf8")).toMatch(/^--time=4\n--signal=B:TERM@32\n/);
    for (const id of [unnamed, named]) expect(await job.settled(id)).toBe("done");
  });
});
