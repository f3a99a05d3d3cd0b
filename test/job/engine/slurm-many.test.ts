import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sleep } from "../../support/run.ts";
import { type Cluster, startCluster, withSlurm } from "./cluster.ts";
import { engineJobs, sideBySide } from "./support.ts";

let cluster: Cluster;

const STATES = /^(timeout|done)$/;

withSlurm("many jobs on Slurm", () => {
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.end());

  test("engines-12 fifty jobs, one record each; one wait asks four times in forty seconds", async () => {
    const job = engineJobs(cluster);
    const calls = join(job.work, "calls");
    const long = await job.on(["sleep", "300"]);
    const ids: string[] = [];
    for (let batch = 0; batch < 10; batch++) {
      ids.push(...(await Promise.all([1, 2, 3, 4, 5].map(() => job.on(["echo", "x"], ["--no-sweep"])))));
    }
    job.program("squeue", `echo call >> ${calls}; exec $REAL "$@"`);
    const run = await job.jig(["wait", "--max-secs", "39", long, ...ids], { timeout: 60_000 });
    expect(readFileSync(calls, "utf8").trim().split("\n").length).toBeLessThanOrEqual(4);
    expect(run.stdout).toContain(`${long}\trunning`);
    const all = await job.jig(["wait", "--max-secs", "60", ...ids], { timeout: 70_000 });
    expect(all.stdout.match(/\tdone$/gm)).toHaveLength(50);
    for (const id of ids) expect(job.file(id, "reason")).toBe("worker exited 0\n");
    await job.reap(long);
    expect(await job.settled(long)).toBe("timeout");
  }, 200_000);

  test("engines-29 reaped at any moment of its beginning: one record, and no trace of what did not start", async () => {
    const job = engineJobs(cluster);
    const chain = async (length: number) => {
      for (let round = 0; round < length; round++) {
        const trace = join(job.work, `trace-${crypto.randomUUID()}`);
        const id = await job.on(["sh", "-c", `echo x > ${trace}; exec sleep 300`], ["--no-sweep"]);
        await sleep(Math.random() * 3_000);
        const reaped = await job.reap(id);
        expect(reaped.code).toBe(0);
        // Where the job stands then; nothing of an error.
        expect(reaped.stderr).toMatch(new RegExp(`^(?:jig job: reap ${id}: .*\\n)?$`));
        expect(await job.settled(id)).toMatch(STATES);
        const reason = job.file(id, "reason");
        expect(reason).toMatch(/^reaped on request before (it started|completion)\n$/);
        if (reason.includes("before it started")) expect(existsSync(trace)).toBe(false);
      }
    };
    await sideBySide([8, 8, 7, 7].map(chain));
  }, 200_000);
});
