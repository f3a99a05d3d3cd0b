import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readState } from "../../src/job/record/state.ts";
import { canMount, smallDisk } from "../support/disk.ts";
import { JIG } from "../support/paths.ts";
import { until } from "../support/run.ts";
import { callsTouching, canTrace, runInjected } from "../support/strace.ts";
import { lost, reapHere } from "./directories.ts";
import { expectNobodyLeft, gone, type Jobs, jobs, makeDirectory, processesOf } from "./support.ts";

const host = { uid: process.geteuid?.() };

describe.skipIf(!canTrace)("a call that fails", () => {
  test("a disk that refuses the record: the reap says so, leaves nothing half done, and can be repeated", async () => {
    const model = lost();
    const calls = callsTouching(model, [JIG, "job", "reap", model]);
    const last = calls.findLast((call) => call.name === "write")!;
    const directory = lost();
    const run = runInjected([JIG, "job", "reap", directory], last, "error=ENOSPC");
    expect(run.code).toBe(1);
    expect(run.stderr).toBe(
      `jig job: cannot publish terminal record: no space left on device\njig job: reap ${directory}: exit 1\n`,
    );
    expect(readState(host, directory)).toBe("running");
    expect((await reapHere(directory)).exitCode).toBe(0);
    expect(readState(host, directory)).toBe("died-without-result");
  });

  test("start reports a supervisor that died before its pid file, and leaves no worker behind", async () => {
    const job = jobs();
    const words = ["job", "start", "--skill", "s", "--run-id", "r", "--", "sleep", "300"];
    // The first rename of the whole call is the supervisor's, of its pid file: the worker runs already.
    const run = runInjected([JIG, ...words], { name: "rename", when: 1 }, "signal=KILL", { env: job.env });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    const [id] = readdirSync(join(job.root, "s/r/jobs"));
    const directory = job.directory(id!);
    expect(run.stderr).toBe(
      `jig job: detach failed for job ${id}: supervisor did not acknowledge; inspect ${directory}\n`,
    );
    expect(await job.status(id!)).toBe("never-started");
    await expectNobodyLeft(job.work);
  });
});

describe.skipIf(!canMount)("a disk that fills up", () => {
  test("the supervisor keeps trying until the record fits", async () => {
    const disk = smallDisk("256k");
    const job = jobs({ CE_PEER_JOBS_ROOT: join(disk, "root") });
    const worker = `until [ -e ${job.work}/go ]; do sleep 0.05; done; head -c 1000000 /dev/zero > ${disk}/filler; exit 7`;
    const run = await job.jig(["start", "--skill", "s", "--run-id", "r", "--json", "--", "sh", "-c", worker]);
    const { job_dir: directory } = JSON.parse(run.stdout);
    const { worker_pid: pid } = JSON.parse(readFileSync(join(directory, "pid"), "utf8"));
    writeFileSync(join(job.work, "go"), "");
    await gone("the worker to be gone", pid);
    expect(await job.jig(["wait", "--max-secs", "0.5", directory])).toMatchObject({
      stdout: "running\n",
      stderr: "",
    });
    rmSync(join(disk, "filler"));
    expect((await job.jig(["wait", "--max-secs", "10", directory])).stdout).toBe("failed\n");
    expect(readFileSync(join(directory, "reason"), "utf8")).toBe("worker exited 7\n");
  });
});

describe.skipIf(!canMount)("a disk that is full", () => {
  test("start leaves no directory without metadata", async () => {
    const disk = smallDisk();
    const job = jobs({ CE_PEER_JOBS_ROOT: join(disk, "root") });
    makeDirectory(join(disk, "root/s/r/jobs"));
    fill(disk);
    const run = await job.jig(["start", "--skill", "s", "--run-id", "r", "--", "true"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^jig job: cannot create .*\/meta\.json: no space left on device\n$/);
    expect(readdirSync(join(disk, "root/s/r/jobs"))).toEqual([]);
  });

  test("a job that filled it can still be reaped", async () => {
    const disk = smallDisk();
    const job = jobs({ CE_PEER_JOBS_ROOT: join(disk, "root") });
    const run = await job.jig(["start", "--skill", "s", "--run-id", "r", "--json", "--", "sleep", "300"]);
    const { job_dir: directory } = JSON.parse(run.stdout);
    const { worker_pid: pid } = JSON.parse(readFileSync(join(directory, "pid"), "utf8"));
    fill(disk);
    const reap = await job.jig(["reap", directory]);
    expect(reap.code).toBe(0);
    expect(reap.stderr).toBe(
      `jig job: job ${directory}: asked to end by signal; the record waits for the disk (no space left on device)\n` +
        `jig job: reap ${directory}: asked to end, still running\n`,
    );
    await gone("the worker to be gone", pid);
    rmSync(join(disk, "filler"));
    expect((await job.jig(["wait", "--max-secs", "10", directory])).stdout).toBe("timeout\n");
  });
});

/** Take every byte that is left. */
function fill(disk: string): void {
  expect(() => writeFileSync(join(disk, "filler"), new Uint8Array(1 << 20))).toThrow("ENOSPC");
}

describe("killed at any moment", () => {
  test("supervisor, worker or both: always settled by one reap, never an orphan", {
    timeout: 120_000,
  }, async () => {
    const job = jobs({ CE_PEER_GRACE_SECS: "0.3" });
    const victims = [["supervisor_pid"], ["worker_pid"], ["supervisor_pid", "worker_pid"]] as const;
    for (let round = 0; round < 9; round++) {
      const id = await job.start(["sh", "-c", "sleep 300 & setsid sleep 301 & exec sleep 302"]);
      const pid = job.pid(id);
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 120));
      for (const victim of victims[round % 3]!) process.kill(pid[victim], "SIGKILL");
      for (const victim of victims[round % 3]!) await gone(victim, pid[victim]);
      await Promise.all([job.reap(id), job.reap(id)]);
      const state = await job.settled(id);
      const supervisorGone = round % 3 !== 1;
      const workerGone = round % 3 !== 0;
      expect(state).toBe(workerGone ? "died-without-result" : "timeout");
      expect(job.file(id, "reason")).toContain(supervisorGone ? "supervisor" : "signal 9");
      await expectWithoutEscaped(job, workerGone);
    }
  });
});

/**
 * A descendant that left the group is found through its parents, so once they are dead it is out of reach (jobs.md
 * 7.4); everything else is gone.
 */
async function expectWithoutEscaped(job: Jobs, parentsWereDead: boolean): Promise<void> {
  const escaped = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("301");
  if (!parentsWereDead) return expectNobodyLeft(job.work);
  await until("all but the escaped to be gone", () => processesOf(job.work).every(escaped));
  for (const pid of processesOf(job.work)) process.kill(pid, "SIGKILL");
}

describe("many at once", () => {
  test("two hundred jobs at once each reach their own record, and nobody is left", {
    timeout: 300_000,
  }, async () => {
    const job = jobs({ CE_PEER_POLL_SECS: "2" });
    const gate = join(job.work, "gate");
    mkdirSync(gate);
    const { spawnSync } = await import("node:child_process");
    spawnSync("mkfifo", [join(gate, "fifo")]);
    const script = job.script("worker", `read line < ${gate}/fifo; exit $(($1 % 4))`);
    const count = 200;
    const ids: string[] = [];
    let next = 0;
    const starter = async () => {
      while (next < count) {
        const index = next++;
        const run = await job.jig(
          [
            "start",
            "--skill",
            "s",
            "--run-id",
            "r",
            "--no-sweep",
            "--label",
            `n${index}`,
            "--",
            script,
            String(index),
          ],
          { timeout: 60_000 },
        );
        expect([run.code, run.stderr]).toEqual([0, ""]);
        ids[index] = run.stdout.trim();
      }
    };
    await Promise.all(Array.from({ length: 4 }, starter));
    expect(new Set(ids).size).toBe(count);
    const running = JSON.parse((await job.jig(["list", "--state", "running", "--json"])).stdout);
    expect(running).toHaveLength(count);
    expect(running.every((entry: { supervisor: string }) => entry.supervisor === "alive")).toBe(true);

    // Every fifth is reaped while the others are let go.
    const reaped = ids.filter((_, index) => index % 5 === 0);
    await Promise.all([
      job.jig(["reap", ...reaped], { timeout: 120_000 }),
      (async () => {
        await until("the reap to begin", () => existsSync(join(job.directory(reaped[0]!), ".reap")));
        const fifo = await import("node:fs/promises");
        await until(
          "all workers to have been let go",
          async () => {
            const open = await fifo.open(join(gate, "fifo"), "r+");
            await open.write("go\n".repeat(count));
            await new Promise((resolve) => setTimeout(resolve, 200));
            await open.close();
            return ids.every((id) => existsSync(join(job.directory(id), "status")));
          },
          120_000,
        );
      })(),
    ]);
    const final = JSON.parse(
      (await job.jig(["wait", "--json", "--max-secs", "60", ...ids], { timeout: 90_000 })).stdout,
    );
    for (const [index, { state }] of final.entries()) {
      const own = index % 4 === 0 ? "done" : "failed";
      if (index % 5 === 0) expect([own, "timeout"]).toContain(state);
      else expect([index, state]).toEqual([index, own]);
      const reason = job.file(ids[index]!, "reason").trim();
      if (state === "timeout") expect(reason).toBe("reaped on request before completion");
      else expect(reason).toBe(`worker exited ${index % 4}`);
    }
  });
});
