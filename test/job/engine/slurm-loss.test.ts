import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { smallDisk } from "../../support/disk.ts";
import { until } from "../../support/run.ts";
import { expectNobodyLeft, gone } from "../support.ts";
import { type Cluster, hasGroups, startCluster, withSlurm } from "./cluster.ts";
import { type EngineJobs, engineJobs, sideBySide } from "./support.ts";

let cluster: Cluster;

/** A worker that is up and stays. */
const STAYS = ["sh", "-c", "echo up; exec sleep 300"];
const ended = (job: EngineJobs, id: string, timeout?: number) =>
  until("its end to be seen", async () => (await job.phase(id)).phase === "ended", timeout);

const on = (node: string) => [`--engine-arg=--nodelist=${node}`, "--no-sweep"];

/** A supervisor killed, and Slurm's memory of its job gone. */
async function supervisorKilled(job: EngineJobs): Promise<void> {
  const id = await job.on(STAYS, on(cluster.n1));
  await job.isUp(id);
  const { supervisor_pid: supervisor, worker_pid: worker } = job.pid(id);
  process.kill(supervisor, "SIGKILL");
  const number = job.number(id);
  await cluster.forgotten(number);
  expect(await job.phase(id)).toMatchObject({ state: "running", phase: "ended" });
  job.ageEnded(id);
  expect(await job.status(id)).toBe("died-without-result");
  expect(job.file(id, "reason")).toBe(`slurm no longer knows job ${number} and no record was written\n`);
  await gone("the worker to be gone", worker);
}

/** A silent node that works on: settled, and its supervisor then ends the tree. */
async function silentNodeWorksOn(job: EngineJobs): Promise<void> {
  const id = await job.on(STAYS, on(cluster.n2));
  await job.isUp(id);
  const { supervisor_pid: supervisor, worker_pid: worker } = job.pid(id);
  await cluster.killNode(cluster.n2, { steps: false });
  await ended(job, id, 60_000);
  job.ageEnded(id);
  expect(await job.status(id)).toBe("died-without-result");
  expect(job.file(id, "reason")).toMatch(/^slurm: NODE_FAIL on /);
  await gone("the worker to be gone", worker);
  await gone("the supervisor to be gone", supervisor);
}

/** A number in `engine.json` that is another job's, when the right one is gone: neither is ended. */
async function numberOfAnother(job: EngineJobs): Promise<void> {
  const id = await job.on(STAYS, on(cluster.n1));
  await job.isUp(id);
  const file = JSON.parse(job.file(id, "engine.json"));
  // The right one leaves the controller's memory, and its record never comes.
  process.kill(job.pid(id).supervisor_pid, "SIGKILL");
  cluster.run(["scancel", file.id]);
  const other = await job.on(STAYS, on(cluster.n1));
  await job.isUp(other);
  await cluster.forgotten(file.id);
  const number = job.number(other);
  writeFileSync(join(job.directory(id), "engine.json"), JSON.stringify({ ...file, id: number }));
  const seen = await job.jig(["status", "--json", id]);
  expect(JSON.parse(seen.stdout)[0]).toMatchObject({ state: "running", phase: "unknown" });
  expect(seen.stderr).toContain("has another name");
  await job.reap(id);
  expect(await job.status(other)).toBe("running");
  expect(stateOf(number)).toBe("RUNNING");
  await job.reap(other);
  expect(await job.settled(other)).toBe("timeout");
}

const stateOf = (wanted: string) => cluster.listed()?.find(({ number }) => number === wanted)?.state;

withSlurm("what becomes of jobs on Slurm when something dies", () => {
  beforeAll(async () => {
    cluster = await startCluster(["SlurmdTimeout=10"]);
  });
  afterAll(() => cluster?.end());

  test("engines-6 a failed node: ended for half a minute, then one record by one of two readers", async () => {
    const job = engineJobs(cluster);
    const id = await job.on(STAYS, [`--engine-arg=--nodelist=${cluster.n2}`]);
    await job.isUp(id);
    await cluster.killNode(cluster.n2, { steps: true });
    cluster.run(["scontrol", "update", `nodename=${cluster.n2}`, "state=down", "reason=x"]);
    await ended(job, id);
    expect(await job.phase(id)).toMatchObject({ state: "running", phase: "ended", node: cluster.n2 });
    const mark = join(job.directory(id), ".ended");
    const almost = Date.now() / 1000 - 28;
    utimesSync(mark, almost, almost);
    expect(await job.phase(id)).toMatchObject({ state: "running", phase: "ended" });
    job.ageEnded(id);
    const readers = await Promise.all([job.status(id), job.status(id), job.status(id)]);
    expect(readers).toContain("died-without-result");
    expect(await job.status(id)).toBe("died-without-result");
    expect(job.file(id, "reason")).toMatch(new RegExp(`^slurm: NODE_FAIL on ${cluster.n2}, `));
    expect(readdirSync(job.directory(id)).filter((name) => name.startsWith(".settle"))).toEqual([".settle"]);
    await expectNobodyLeft(job.work);
    await cluster.startNode(cluster.n2);
  });

  test("engines-7 a dead controller is silence: running, unknown, a note; and the record is read all the same", async () => {
    const job = engineJobs(cluster);
    const worker = `echo up; until [ -e ${job.work}/go ]; do sleep 0.1; done`;
    const id = await job.on(["sh", "-c", worker]);
    await job.isUp(id);
    await cluster.killController();
    try {
      const began = Date.now();
      const run = await job.jig(["status", "--json", id]);
      expect(Date.now() - began).toBeLessThan(12_000);
      expect(run.code).toBe(0);
      expect(JSON.parse(run.stdout)[0]).toMatchObject({ state: "running", phase: "unknown" });
      expect(run.stderr).toMatch(/^jig job: slurm: .+\n$/);
      writeFileSync(join(job.work, "go"), "");
      await until("the record", () => existsSync(join(job.directory(id), "status")));
      expect(await job.jig(["status", id])).toMatchObject({ stdout: "done\n", stderr: "" });
    } finally {
      await cluster.startController();
    }
  });

  test("engines-9 start killed after the submission, and before it", async () => {
    const job = engineJobs(cluster);
    job.program("sbatch", '$REAL "$@" >/dev/null; kill -9 $PPID');
    expect(
      (await job.jig(["start", "--on", "slurm", "--skill", "s", "--run-id", "r", "--", ...STAYS])).signal,
    ).toBe("SIGKILL");
    const [id] = readdirSync(join(job.root, "s/r/jobs"));
    expect(job.number(id!)).toBeNull();
    expect(await job.phase(id!)).toMatchObject({
      state: "running",
      engine_id: expect.stringMatching(/^\d+$/),
    });
    expect(job.number(id!)).toMatch(/^\d+$/);
    await job.isUp(id!);
    await job.reap(id!);
    expect(await job.settled(id!)).toBe("timeout");

    job.program("sbatch", "kill -9 $PPID");
    await job.jig(["start", "--on", "slurm", "--skill", "s", "--run-id", "before", "--", ...STAYS]);
    const [other] = readdirSync(join(job.root, "s/before/jobs"));
    const directory = job.directory(other!, "s", "before");
    expect(await job.phase(other!)).toMatchObject({ state: "running", phase: "queued" });
    const old = Date.now() / 1000 - 61;
    utimesSync(join(directory, "engine.json"), old, old);
    expect(await job.jig(["status", other!])).toMatchObject({ stdout: "never-started\n", stderr: "" });
    expect(readdirSync(directory)).not.toContain(".spawn.json");
  });

  test("engines-8 engines-26 engines-28 what takes Slurm half a minute, side by side", async () => {
    const job = engineJobs(cluster);
    await sideBySide([
      ...(hasGroups ? [supervisorKilled(job)] : []),
      silentNodeWorksOn(job),
      numberOfAnother(job),
    ]);
    await cluster.startNode(cluster.n2);
  }, 150_000);

  test("engines-31 what a person set for listings hides nothing, and a user without a name is no answer", async () => {
    const job = engineJobs(cluster);
    const id = await job.on(STAYS);
    await job.isUp(id);
    job.env["SQUEUE_STATES"] = "PENDING";
    job.env["SQUEUE_FORMAT"] = "%i";
    expect(await job.phase(id)).toMatchObject({
      state: "running",
      phase: "running",
      node: expect.any(String),
    });
    job.program("squeue", 'echo "squeue: error: Invalid user: 4242" >&2; exit 0');
    const run = await job.jig(["status", "--json", id]);
    expect(JSON.parse(run.stdout)[0]).toMatchObject({ state: "running", phase: "unknown" });
    expect(run.stderr).toContain("Invalid user: 4242");
    expect(existsSync(join(job.directory(id), ".ended"))).toBe(false);
    job.program("squeue", 'exec $REAL "$@"');
    await job.reap(id);
    expect(await job.settled(id)).toBe("timeout");
  });

  test.skipIf(!hasGroups)(
    "engines-32 a full disk concludes nothing; with space again it is settled",
    async () => {
      const disk = smallDisk("256k");
      const job = engineJobs(cluster, { CE_PEER_JOBS_ROOT: join(disk, "root") });
      const start = await job.jig([
        "start",
        "--on",
        "slurm",
        "--skill",
        "s",
        "--run-id",
        "r",
        "--",
        ...STAYS,
      ]);
      const id = start.stdout.trim();
      const directory = join(disk, "root/s/r/jobs", id);
      const file = (name: string) => join(directory, name);
      await until("the worker", () => existsSync(file("pid")));
      const filler = join(disk, "filler");
      const fill = () => {
        try {
          for (;;) writeFileSync(filler, new Uint8Array(1_024), { flag: "a" });
        } catch {
          // Full.
        }
      };
      process.kill(JSON.parse(readFileSync(file("pid"), "utf8")).supervisor_pid, "SIGKILL");
      const number = JSON.parse(readFileSync(file("engine.json"), "utf8")).id;
      await until(
        "Slurm to see its end",
        () => !["RUNNING", "COMPLETING", undefined].includes(stateOf(number)),
      );
      fill();
      const full = await job.jig(["status", "--json", id]);
      expect(full.code).toBe(0);
      expect(JSON.parse(full.stdout)[0]).toMatchObject({ state: "running", phase: "ended" });
      expect(full.stderr).toContain("nothing can be written");
      rmSync(filler);
      await until("its end to be written down", async () => {
        await job.jig(["status", id]);
        return existsSync(file(".ended"));
      });
      const old = Date.now() / 1000 - 31;
      utimesSync(file(".ended"), old, old);
      fill();
      expect((await job.jig(["status", id])).stdout).toBe("running\n");
      rmSync(filler);
      expect((await job.jig(["status", id])).stdout).toBe("died-without-result\n");
    },
  );
});
