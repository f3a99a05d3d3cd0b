import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JobPid } from "../../../src/job/schema.ts";
import { JIG } from "../../support/paths.ts";
import { runJig, until } from "../../support/run.ts";
import {
  bystander,
  contentOf,
  expectNobodyLeft,
  gone,
  type Jobs,
  jobs,
  killSupervisor,
  ofThisBoot,
  runs,
} from "../support.ts";

const REAPED = "reaped on request before completion\n";

/** A job whose supervisor and worker were killed before there was a record. */
async function bothGone(job: Jobs): Promise<{ id: string; pid: JobPid }> {
  const id = await job.start(["sleep", "300"]);
  const pid = job.pid(id);
  await killSupervisor(job, id);
  process.kill(-pid.worker_pid, "SIGKILL");
  await gone("the worker to be gone", pid.worker_pid);
  return { id, pid };
}

describe("reap with a living supervisor", () => {
  test("jobs-19 what a worker finishes during its grace does not undo the reap", async () => {
    const job = jobs();
    const result = join(job.work, "F");
    const worker = `trap 'echo late > ${result}; exit 0' TERM; touch ready; while :; do sleep 0.05; done`;
    const id = await job.start(["sh", "-c", worker], ["--result-path", result]);
    await until("the worker to be ready", () => existsSync(join(job.work, "ready")));
    const reap = await job.reap(id);
    expect(reap).toMatchObject({ code: 0, stdout: "" });
    // Settled or not yet, the one line says so: a host may show no exit code.
    expect(reap.stderr).toMatch(`jig job: reap ${id}: `);
    expect(["timeout", "asked to end, still running"]).toContain(reap.stderr.trim().split(": ").at(-1));
    expect(await job.settled(id)).toBe("timeout");
    expect(job.file(id, "reason")).toBe(REAPED);
    expect(await job.jig(["result", id])).toMatchObject({ code: 3, stdout: "" });
    expect(await job.jig(["result", "--path", result])).toMatchObject({ code: 0, stdout: "late\n" });
  });

  test("jobs-20 a worker that ignores the request is killed after the grace; one record, ever", async () => {
    const job = jobs({ CE_PEER_GRACE_SECS: "4" });
    const id = await job.start(["sh", "-c", "trap '' TERM; touch ready; while :; do sleep 0.05; done"]);
    await until("the worker to be ready", () => existsSync(join(job.work, "ready")));
    const asked = `jig job: reap ${id}: asked to end, still running\n`;
    expect(await job.reap(id)).toMatchObject({ code: 0, stdout: "", stderr: asked });
    expect(await job.status(id)).toBe("running"); // the request does not wait for the grace
    expect(await job.settled(id)).toBe("timeout");
    const record = () =>
      ["status", "reason"].map((name) => {
        const { ino, mtimeMs, ctimeMs } = statSync(join(job.directory(id), name));
        return { ino, mtimeMs, ctimeMs };
      });
    const first = record();
    expect(await job.reap(id)).toMatchObject({ code: 0, stderr: `jig job: reap ${id}: timeout\n` });
    const upstream = await runJig(["--as", "peer-job-runner.py", "reap", id], { env: job.env });
    expect(upstream).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(record()).toEqual(first);
  });

  test("jobs-24 a child in a session of its own is ended, too", async () => {
    const job = jobs();
    const id = await job.start([
      "sh",
      "-c",
      "setsid sh -c 'echo $$ > child; exec sleep 300' & exec sleep 300",
    ]);
    const child = Number(await contentOf(join(job.work, "child")));
    expect((await job.reap(id)).code).toBe(0);
    await gone("the child to be gone", child);
    expect(await job.settled(id)).toBe("timeout");
  });

  test("a supervisor that has not answered an old request is killed, and the job settled", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    const { supervisor_pid: supervisor } = job.pid(id);
    process.kill(supervisor, "SIGSTOP");
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("running");
    const marker = join(job.directory(id), ".reap");
    expect(readFileSync(marker, "utf8")).toBe("reap\n");
    const old = Date.now() / 1000 - 60;
    utimesSync(marker, old, old);
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("timeout");
    expect(runs(supervisor)).toBe(false);
    expect(statSync(marker).mtimeMs).toBeCloseTo(old * 1000, -1);
  });

  test("many reapers at once: one record", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    const all = await Promise.all(Array.from({ length: 8 }, () => job.reap(id)));
    expect(all.map((run) => run.code)).toEqual(Array(8).fill(0));
    expect(await job.settled(id)).toBe("timeout");
    expect(job.file(id, "reason")).toBe(REAPED);
  });
});

describe("reap without a supervisor", () => {
  test("jobs-21 a worker that still runs is ended: timeout", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    const { worker_pid: worker } = job.pid(id);
    await killSupervisor(job, id);
    expect(await job.status(id)).toBe("running");
    expect(await job.reap(id)).toMatchObject({ code: 0, stderr: `jig job: reap ${id}: timeout\n` });
    expect(await job.status(id)).toBe("timeout");
    expect(job.file(id, "reason")).toBe(
      "reaped by request; supervisor was gone, worker tree killed by reap\n",
    );
    await gone("the worker to be gone", worker);
    expect(JSON.parse(job.file(id, ".settle")).pid).toEqual(expect.any(Number));
  });

  test("jobs-22 a child left in the group of a worker that ended is killed", async () => {
    const job = jobs();
    const id = await job.start([
      "sh",
      "-c",
      "sleep 300 & echo $! > child; until [ -e go ]; do sleep 0.05; done",
    ]);
    const child = Number(await contentOf(join(job.work, "child")));
    await killSupervisor(job, id);
    writeFileSync(join(job.work, "go"), "");
    await gone("the worker to be gone", job.pid(id).worker_pid);
    expect(runs(child)).toBe(true);
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("died-without-result");
    expect(job.file(id, "reason")).toBe("supervisor and worker both gone without a terminal record\n");
    await gone("the child to be gone", child);
  });

  test("jobs-23 a result published meanwhile makes it done", async () => {
    const job = jobs();
    const worker = "until [ -e go ]; do sleep 0.05; done; echo made > F";
    const id = await job.start(["sh", "-c", worker], ["--result-path", "F"]);
    await killSupervisor(job, id);
    writeFileSync(join(job.work, "go"), "");
    await gone("the worker to be gone", job.pid(id).worker_pid);
    expect((await job.reap(id)).code).toBe(0);
    expect(job.file(id, "reason")).toBe("worker published its result before reap (supervisor was gone)\n");
    expect(await job.jig(["result", id])).toMatchObject({ code: 0, stdout: "made\n" });
  });

  test("jobs-25 jobs-46 pids that belong to somebody else now are not signalled, nor is their group", async () => {
    const job = jobs();
    const { id, pid } = await bothGone(job);
    const members = join(job.work, "member");
    const leader = await bystander(`sleep 300 & echo $! > ${members}; exec sleep 300`);
    const member = Number(await contentOf(members));
    writeFileSync(
      join(job.directory(id), "pid"),
      JSON.stringify({ ...pid, supervisor_pid: leader, worker_pid: leader }),
    );
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("died-without-result");
    expect([runs(leader), runs(member)]).toEqual([true, true]);
  });

  test("nor are those left by somebody who had the number and is gone, too", async () => {
    const job = jobs();
    const { id, pid } = await bothGone(job);
    const members = join(job.work, "member");
    const leader = await bystander(`sleep 300 & timeout 299 sleep 298 & echo $! > ${members}; sleep 0.2`);
    const member = Number(await contentOf(members));
    await gone("the stranger to be gone", leader);
    writeFileSync(join(job.directory(id), "pid"), JSON.stringify({ ...pid, worker_pid: leader }));
    try {
      expect((await job.reap(id)).code).toBe(0);
      expect(await job.status(id)).toBe("died-without-result");
      expect(runs(member)).toBe(true);
      process.kill(-leader, 0); // throws when nobody is left in the stranger's group
    } finally {
      process.kill(-member, "SIGKILL"); // timeout made a group of its own
    }
  });

  test("a job of the upstream tool, without identities: a process that started later is somebody else", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    const pid = job.pid(id);
    await killSupervisor(job, id);
    process.kill(-pid.worker_pid, "SIGKILL");
    const path = join(job.directory(id), "pid");
    const leader = await bystander();
    const { supervisor_identity: _, worker_identity: __, pid_namespace: ___, ...bare } = pid;
    writeFileSync(path, JSON.stringify({ ...bare, supervisor_pid: leader, worker_pid: leader }));
    const before = Date.now() / 1000 - 100;
    utimesSync(path, before, before);
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("died-without-result");
    expect(runs(leader)).toBe(true);
  });

  test("a job of the upstream tool that lives is ended by its recorded pids", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    const { supervisor_pid, worker_pid } = job.pid(id);
    await killSupervisor(job, id);
    writeFileSync(join(job.directory(id), "pid"), JSON.stringify({ supervisor_pid, worker_pid }));
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("timeout");
    await gone("the worker to be gone", worker_pid);
  });

  test.each([
    "",
    "not json",
    "[]",
    '{"supervisor_pid": "1", "worker_pid": -1}',
    '{"supervisor_pid": 1, "worker_pid": 1}',
  ])("a pid file with %j names nobody: nothing is signalled, the job is settled", async (content) => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    const pid = job.pid(id);
    await killSupervisor(job, id);
    writeFileSync(join(job.directory(id), "pid"), content);
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("died-without-result");
    expect(runs(pid.worker_pid)).toBe(true);
    process.kill(-pid.worker_pid, "SIGKILL");
  });

  test("many reapers at once: one record, by one of them", async () => {
    const job = jobs();
    const id = await job.start(["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"]);
    await killSupervisor(job, id);
    const all = await Promise.all(Array.from({ length: 8 }, () => job.reap(id)));
    for (const run of all) {
      expect(run.code).toBe(0);
      const state = "(timeout|died-without-result|asked to end, still running)";
      expect(run.stderr).toMatch(new RegExp(`^jig job: reap ${id}: ${state}\\n$`));
    }
    expect(await job.settled(id)).toMatch(/^(timeout|died-without-result)$/);
    await expectNobodyLeft(job.work);
  });

  test("a claim whose owner lives is respected; one whose owner is proven gone is taken over", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    await killSupervisor(job, id);
    const claim = join(job.directory(id), ".settle");
    const { startIdentity } = await import("../../../src/kernel/process/index.ts");
    writeFileSync(claim, JSON.stringify({ pid: process.pid, identity: await startIdentity(process.pid) }));
    const respected = await job.reap(id);
    expect(respected.code).toBe(0);
    expect(respected.stderr).toContain("another process has claimed its record");
    expect(await job.status(id)).toBe("running");
    expect(existsSync(join(job.directory(id), "reason"))).toBe(false);
    writeFileSync(claim, JSON.stringify({ pid: process.pid, identity: ofThisBoot("an earlier process") }));
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("died-without-result");
  });
});

describe("several refs", () => {
  test("jobs-26 each is handled on its own; equal codes are kept, different ones are 1", async () => {
    const job = jobs();
    const settled = await job.start(["true"]);
    await job.settled(settled);
    const broken = await job.start(["true"]);
    await job.settled(broken);
    writeFileSync(join(job.directory(broken), "status"), "");
    const running = await job.start(["sleep", "300"]);

    const one = await job.reap("nosuch", running, settled);
    expect(one).toMatchObject({ code: 1, stdout: "" });
    const said = one.stderr.split("\n");
    expect(said.slice(0, 2)).toEqual([
      `jig job: job not found under ${job.root}: nosuch`,
      "jig job: reap nosuch: exit 1",
    ]);
    expect(said.slice(2)).toEqual([
      expect.stringMatching(`^jig job: reap ${running}: (timeout|asked to end, still running)$`),
      `jig job: reap ${settled}: done`,
      "",
    ]);
    expect(await job.settled(running)).toBe("timeout");
    expect((await job.reap(broken, "nosuch")).code).toBe(1);
    expect((await job.reap(broken, broken)).code).toBe(4);
    expect((await job.reap()).code).toBe(2);
  });
});

const canUnshare = spawnSync("unshare", ["-Urpf", "--mount-proc", "true"]).status === 0;

describe.skipIf(!canUnshare)("another process namespace", () => {
  test("jobs-48 the marker alone asks; nobody is judged or signalled by pids that mean nothing here", async () => {
    const job = jobs();
    const inside = (...words: string[]) =>
      runJig(["-Urpf", "--mount-proc", JIG, "job", ...words], { program: "unshare", env: job.env });

    const id = await job.start(["sleep", "300"]);
    const listed = JSON.parse((await inside("list", "--json")).stdout);
    expect(listed[0]).toMatchObject({ job_id: id, state: "running", supervisor: "unknown", reason: null });
    const ended = `jig job: reap ${id}: timeout\n`;
    expect(await inside("reap", id)).toMatchObject({ code: 0, stdout: "", stderr: ended });
    expect(await job.settled(id)).toBe("timeout");
    expect(job.file(id, "reason")).toBe(REAPED);

    const stopped = await job.start(["sleep", "300"]);
    const { supervisor_pid: supervisor, worker_pid: worker } = job.pid(stopped);
    process.kill(supervisor, "SIGSTOP");
    const reap = await inside("reap", stopped);
    expect(reap).toMatchObject({ code: 0, stdout: "" });
    expect(reap.stderr).toBe(
      `jig job: job ${stopped}: reap requested; its supervisor is in another process namespace\n` +
        `jig job: reap ${stopped}: asked to end, still running\n`,
    );
    expect(await inside("wait", "--max-secs", "0.2", stopped)).toMatchObject({
      stdout: "running\n",
      stderr: "",
    });
    expect([runs(supervisor), runs(worker)]).toEqual([true, true]);
    const pending = readFileSync(`/proc/${supervisor}/status`, "utf8").matchAll(
      /^(?:Sig|Shd)Pnd:\s*(\w+)$/gm,
    );
    // The kernel's own notice that a file in the directory was written to (SIGIO) is nobody's signal.
    const notice = 1n << 28n;
    for (const [, mask] of pending) expect(BigInt(`0x${mask}`) & ~notice).toBe(0n);

    // A request that has stood for longer than a living supervisor needs proves it gone, unless it holds its lock.
    const old = Date.now() / 1000 - 60;
    utimesSync(join(job.directory(stopped), ".reap"), old, old);
    expect((await inside("reap", stopped)).stderr).toContain(
      "its supervisor is in another process namespace",
    );
    expect(await job.status(stopped)).toBe("running");
    const path = join(job.directory(stopped), "pid");
    const { meta_lock: _, ...unlocked } = job.pid(stopped);
    writeFileSync(path, JSON.stringify(unlocked));
    expect((await inside("reap", stopped)).code).toBe(0);
    expect(await job.status(stopped)).toBe("died-without-result");
    expect([runs(supervisor), runs(worker)]).toEqual([true, true]);
    rmSync(join(job.directory(stopped), ".reap"));
    process.kill(supervisor, "SIGKILL");
    process.kill(-worker, "SIGKILL");
  });
});
