import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../../support/paths.ts";
import { runJig, until } from "../../support/run.ts";
import { canTrace } from "../../support/strace.ts";
import { contentOf, gone, jobs, killSupervisor, makeDirectory, runs } from "../support.ts";

/** A worker with a child in a session of its own that ignores the first request; the child's pid is in the log. */
const STUBBORN_CHILD = `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done' & wait; wait`;

describe("a supervised worker", () => {
  test("jobs-4 output comes while the worker runs, long after start has returned", async () => {
    const job = jobs();
    const id = await job.start(["sh", "-c", "for i in $(seq 20); do echo tick $i; sleep 0.2; done"]);
    const first = statSync(join(job.directory(id), "out.log")).size;
    await until("the log to grow", () => statSync(join(job.directory(id), "out.log")).size > first);
    expect(await job.status(id)).toBe("running");
    expect(await job.settled(id)).toBe("done");
    expect(job.file(id, "out.log").trim().split("\n").length).toBe(20);
  });

  test("jobs-6 silence for the idle window ends it", async () => {
    const job = jobs({ CE_PEER_IDLE_SECS: "1" });
    const id = await job.start(["sh", "-c", "echo once; sleep 60"]);
    const { worker_pid: worker } = job.pid(id);
    expect(await job.settled(id)).toBe("timeout");
    expect(job.file(id, "reason")).toBe("no output for 1s (idle window)\n");
    await gone("the worker to be gone", worker);
  });

  test("jobs-10 a flood is stopped at the byte cap", async () => {
    const job = jobs({ CE_PEER_LOG_MAX_BYTES: "1000" });
    const id = await job.start(["sh", "-c", "while :; do echo flood flood flood; done"]);
    expect(await job.settled(id)).toBe("failed");
    expect(job.file(id, "reason")).toMatch(/^out\.log exceeded byte cap \(\d+ > 1000 bytes\)\n$/);
  });

  test("jobs-54 a flood gets through for milliseconds, not for a poll interval, whenever it begins", async () => {
    const flood = "exec head -c 3000000000 /dev/zero";
    const job = jobs({ CE_PEER_LOG_MAX_BYTES: "100000", CE_PEER_POLL_SECS: "2", CE_PEER_GRACE_SECS: "5" });
    const workers = [flood, `sleep 1; ${flood}`, `trap '' TERM; sleep 0.5; ${flood}`];
    for (const worker of workers) {
      const id = await job.start(["sh", "-c", worker]);
      expect(await job.settled(id)).toBe("failed");
      expect(job.file(id, "reason")).toMatch(/^out\.log exceeded byte cap/);
      // A disk takes a gigabyte in the time of one poll; a busy machine may be slow to look.
      expect(statSync(join(job.directory(id), "out.log")).size, worker).toBeLessThan(400e6);
      rmSync(join(job.directory(id), "out.log"));
    }
  });

  test("jobs-11 an exit code is a failure, and the result says only the state", async () => {
    const job = jobs();
    const id = await job.start(["sh", "-c", "exit 7"]);
    expect(await job.settled(id)).toBe("failed");
    expect(job.file(id, "reason")).toBe("worker exited 7\n");
    expect(await job.jig(["result", id])).toMatchObject({ code: 3, stdout: "", stderr: "jig job: failed\n" });
  });

  test("jobs-12 success without the promised result is none", async () => {
    const job = jobs();
    const id = await job.start(["true"], ["--result-path", "F"]);
    expect(job.meta(id).result_path).toBe(join(job.work, "F"));
    expect(await job.settled(id)).toBe("failed");
    expect(job.file(id, "reason")).toBe("worker exited 0 without publishing a non-empty result\n");
  });

  test("jobs-13 a worker killed after it published is done", async () => {
    const job = jobs();
    const result = join(job.work, "F");
    const id = await job.start(["sh", "-c", `echo made > ${result}; kill -9 $$`], ["--result-path", result]);
    expect(await job.settled(id)).toBe("done");
    expect(job.file(id, "reason")).toBe("worker killed by signal 9 after publishing its result\n");
    expect((await job.jig(["result", id])).stdout).toBe("made\n");
  });

  test("jobs-53 a result from before the job is no evidence, unless it was written again", async () => {
    const job = jobs();
    const result = join(job.work, "F");
    const run = async (script: string) => {
      writeFileSync(result, "old\n");
      const id = await job.start(["sh", "-c", script], ["--result-path", result]);
      return { id, state: await job.settled(id), reason: job.file(id, "reason").trim() };
    };
    const untouched = "(the result file is as it was before the job)";
    expect(await run("kill -9 $$")).toMatchObject({
      state: "died-without-result",
      reason: `worker killed by signal 9 with no result evidence ${untouched}`,
    });
    expect(await run("exit 0")).toMatchObject({
      state: "failed",
      reason: `worker exited 0 without publishing a non-empty result ${untouched}`,
    });
    expect((await run(`echo old > ${result}; kill -9 $$`)).state).toBe("done");
    expect((await run(`echo old > ${result}.new; mv ${result}.new ${result}`)).state).toBe("done");

    writeFileSync(result, "old\n");
    const lost = await job.start(["sleep", "60"], ["--result-path", result]);
    await killSupervisor(job, lost);
    expect((await job.reap(lost)).code).toBe(0);
    expect(await job.status(lost)).toBe("timeout");
  });

  test("jobs-14 a worker killed from outside without a result died", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "60"], ["--result-path", "F"]);
    process.kill(job.pid(id).worker_pid, "SIGKILL");
    expect(await job.settled(id)).toBe("died-without-result");
    expect(job.file(id, "reason")).toBe("worker killed by signal 9 with no result evidence\n");
    expect(await job.jig(["result", id])).toMatchObject({ code: 3, stdout: "" });
  });

  test("jobs-15 a result over its cap is a failure", async () => {
    const job = jobs({ CE_PEER_RESULT_MAX_BYTES: "1" });
    const id = await job.start(["sh", "-c", "printf ab > F"], ["--result-path", "F"]);
    expect(await job.settled(id)).toBe("failed");
    expect(job.file(id, "reason")).toBe("result exceeded byte cap (2 > 1 bytes)\n");
  });

  test("an exit is noticed at once, not at the next look", async () => {
    const job = jobs({ CE_PEER_POLL_SECS: "60" });
    const id = await job.start(["sh", "-c", "sleep 0.3"]);
    expect(await job.settled(id)).toBe("done");
  });

  test("a code of 128+n is a code, a signal is a signal", async () => {
    const job = jobs();
    const code = await job.start(["sh", "-c", "exit 137"]);
    const realtime = await job.start(["sh", "-c", "kill -40 $$"]);
    expect(await job.settled(code)).toBe("failed");
    expect(job.file(code, "reason")).toBe("worker exited 137\n");
    expect(await job.settled(realtime)).toBe("died-without-result");
    expect(job.file(realtime, "reason")).toBe("worker killed by signal 40 with no result evidence\n");
  });

  test("no background child outlives the record of a worker that ended by itself", async () => {
    const job = jobs();
    const id = await job.start(["sh", "-c", "sleep 300 & echo $!"]);
    expect(await job.settled(id)).toBe("done");
    const child = Number(job.file(id, "out.log"));
    await gone("the background child to be gone", child);
  });

  test("jobs-52 nor one in a group of its own, whoever ended the worker", async () => {
    const job = jobs();
    // `timeout` makes itself a group, as shells with job control and many build tools do for their children.
    const worker = (end: string) => [
      "sh",
      "-c",
      `timeout 300 sh -c 'echo $PPID $$; exec sleep 299' & sleep 0.3; ${end}`,
    ];
    const children = async (id: string) =>
      (await contentOf(join(job.directory(id), "out.log"))).split(" ").map(Number);
    const ended = await job.start(worker("exit 0"));
    const killed = await job.start(worker("kill -9 $$"));
    const reaped = await job.start(worker("sleep 300"));
    const lost = await job.start(worker("sleep 300"));
    const leaderless = await job.start(worker("exit 0"));
    for (const id of [ended, killed, reaped, lost]) expect((await children(id)).length).toBe(2);
    process.kill(job.pid(leaderless).supervisor_pid, "SIGKILL");
    const left = await children(leaderless);
    await gone("the leader to be gone", job.pid(leaderless).worker_pid);
    expect(left.map(runs)).toEqual([true, true]);
    await killSupervisor(job, lost);
    expect((await job.reap(reaped, lost, leaderless)).code).toBe(0);
    expect(await job.settled(ended)).toBe("done");
    expect(await job.settled(killed)).toBe("died-without-result");
    expect(await job.settled(reaped)).toBe("timeout");
    expect(await job.settled(lost)).toBe("timeout");
    expect(await job.settled(leaderless)).toBe("died-without-result");
    for (const id of [ended, killed, reaped, lost, leaderless]) {
      for (const child of await children(id)) expect(runs(child), `${id} ${child}`).toBe(false);
    }
  });

  test("jobs-47 a job started by a worker lives on when its parent is reaped", async () => {
    const job = jobs();
    const inner = `"$JIG_BIN" job start --skill inner --run-id r -- sh -c 'until [ -e ${job.work}/go ]; do sleep 0.05; done' > ${job.work}/id; exec sleep 60`;
    const id = await job.start(["sh", "-c", inner]);
    const innerId = await contentOf(join(job.work, "id"));
    const innerPid = () => JSON.parse(readFileSync(join(job.directory(innerId, "inner"), "pid"), "utf8"));
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.settled(id)).toBe("timeout");
    expect(runs(innerPid().supervisor_pid)).toBe(true);
    expect(runs(innerPid().worker_pid)).toBe(true);
    expect(await job.status(innerId)).toBe("running");
    await job.jig(["status", innerId]);
    writeFileSync(join(job.work, "go"), "");
    expect(await job.settled(innerId)).toBe("done");
  });

  test("a hang-up and a closed terminal do not touch it; an interrupt asks for a reap", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "60"]);
    const { supervisor_pid: supervisor } = job.pid(id);
    process.kill(supervisor, "SIGHUP");
    expect(await job.status(id)).toBe("running");
    process.kill(supervisor, "SIGINT");
    expect(await job.settled(id)).toBe("timeout");
    expect(job.file(id, "reason")).toBe("reaped on request before completion\n");
  });

  test("the marker alone is a request, too", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "60"]);
    writeFileSync(join(job.directory(id), ".reap"), "reap\n", { mode: 0o600 });
    expect(await job.settled(id)).toBe("timeout");
  });

  test.skipIf(!canTrace)(
    "a process recorded by pid is signalled through a pidfd, never by its number",
    async () => {
      const job = jobs({ CE_PEER_GRACE_SECS: "0.3" });
      const log = join(job.work, "strace");
      const calls = "trace=pidfd_open,pidfd_send_signal,kill";
      const words = ["start", "--skill", "s", "--run-id", "r", "--", "sh", "-c", STUBBORN_CHILD];
      const traced = runJig(["-f", "-qq", "-o", log, "-e", calls, JIG, "job", ...words], {
        program: "strace",
        cwd: job.work,
        env: job.env,
      });
      const id = await until(
        "the job directory",
        () => existsSync(job.directory("")) && readdirSync(job.directory(""))[0],
      );
      const child = Number(await contentOf(join(job.directory(id), "out.log")));
      await until("its pid file", () => existsSync(join(job.directory(id), "pid")));
      expect((await job.reap(id)).code).toBe(0);
      expect(await job.settled(id)).toBe("timeout");
      await traced;
      const { supervisor_pid: supervisor, worker_pid: worker } = job.pid(id);
      const own = readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.startsWith(`${supervisor} `));
      const handle = own
        .map((line) => new RegExp(`pidfd_open\\(${child}, 0\\)\\s+= (\\d+)$`).exec(line)?.[1])
        .find(Boolean);
      expect(handle).toBeDefined();
      const signalled = own.filter((line) => line.includes(`pidfd_send_signal(${handle}, SIGKILL`));
      expect(signalled.some((line) => line.endsWith(" = 0"))).toBe(true);
      // By number only the group of the worker, which is the supervisor's own child, and nobody.
      const numbers = own
        .map((line) => /kill\((-?\d+), SIG/.exec(line)?.[1])
        .filter((target) => target !== undefined);
      expect(new Set(numbers)).toEqual(new Set([`-${worker}`]));
    },
  );

  test("a runtime that refuses foreign calls is an error that is seen, and no worker is run", async () => {
    const job = jobs();
    const directory = makeDirectory(job.directory("20261201T000000Z-00000000"));
    const conf = { idle: 240, hard: 60, log_max: 1e6, result_max: 1e6, poll: 0.2, grace: 1 };
    const handOver = { argv: ["/bin/sh", "-c", "echo ran"], result_path: null, conf };
    writeFileSync(join(directory, ".spawn.json"), JSON.stringify(handOver), { mode: 0o600 });
    writeFileSync(join(directory, "out.log"), "", { mode: 0o600 });
    const refused = { ...job.env, BUN_JSC_useJIT: "0" };
    expect((await runJig(["__supervise", directory], { env: refused })).code).toBe(0);
    expect(readFileSync(join(directory, "status"), "utf8")).toBe("failed\n");
    expect(readFileSync(join(directory, "reason"), "utf8")).toMatch(
      /^could not launch worker: cannot call the system's libraries \(libc\.so\.6: .*JIT/,
    );
    expect(readFileSync(join(directory, "out.log"), "utf8")).toBe("");
    expect(existsSync(join(directory, "pid"))).toBe(false);

    // The caller's own switch does not reach a supervisor; a reaper that has to signal by itself says why it cannot.
    const id = await job.start(["sh", "-c", "setsid sleep 60 & wait"], [], { BUN_JSC_useJIT: "0" });
    await killSupervisor(job, id);
    const reap = await job.jig(["reap", id], { env: { BUN_JSC_useJIT: "0" } });
    expect(reap).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot call the system's libraries"),
    });
    expect(runs(job.pid(id).worker_pid)).toBe(true);
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("timeout");
  });

  test("supervisor and pid file agree: session, group, namespace, identities", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "60"]);
    const pid = job.pid(id);
    const fields = readFileSync(`/proc/${pid.supervisor_pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    expect([fields[2], fields[3]]).toEqual([`${pid.supervisor_pid}`, `${pid.supervisor_pid}`]);
    expect(pid.supervisor_pgid).toBe(pid.supervisor_pid);
    expect(pid.pid_namespace).toMatch(/^pid:\[\d+\]$/);
    expect(pid.worker_identity).toMatch(/^[0-9a-f-]{36} \d+$/);
    expect(existsSync(join(job.directory(id), ".spawn.json"))).toBe(false);
    await job.reap(id);
    expect(await job.settled(id)).toBe("timeout");
  });
});
