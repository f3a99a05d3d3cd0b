import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { JIG } from "../../support/paths.ts";
import { runJig, testEnv, until } from "../../support/run.ts";
import { jobs, runs } from "../support.ts";

const canUnshare = spawnSync("unshare", ["-Urpf", "--mount-proc", "true"]).status === 0;

/** With a /proc of its own, and with that of the namespace around it. */
const FORMS = [
  { title: "its own /proc", flags: ["-Urpf", "--mount-proc"] },
  { title: "the outer /proc", flags: ["-Urpf"] },
];

const START = "job start --skill s --run-id r";
const died = "supervisor and worker both gone without a terminal record\n";

/** How many jobs: what the promise says where everything is tried, fewer in a newcomer's run. */
const [ENDING, LIVING] = process.env["JIG_TEST_ALL"] ? [100, 200] : [10, 20];

/** Jobs that one call, and so one namespace, starts. */
const PER_CALL = 5;

describe.skipIf(!canUnshare).each(FORMS)("a process namespace of its own ($title)", ({ flags }) => {
  test("jobs-51 that ends with the call: start refuses, and creates nothing", async () => {
    const job = jobs();
    const inside = (...words: string[]) => runJig([...flags, ...words], { program: "unshare", env: job.env });
    const forms = [
      [JIG, ...START.split(" "), "--", "sleep", "60"],
      ["sh", "-c", `${JIG} ${START} -- sleep 60; exit $?`],
      ["sh", "-c", `timeout 20 env A=1 sh -c '${JIG} ${START} -- sleep 60; exit $?'; exit $?`],
    ];
    for (const words of forms) {
      const run = await inside(...words);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(
        /^jig job: this call runs in a process namespace of its own .*nothing was started\nhint: /,
      );
      expect(run.stderr).toContain("--anyway");
    }
    expect(existsSync(job.root)).toBe(false);
  });

  test("kept open until its job is done: --anyway starts it, and it is done", async () => {
    const job = jobs();
    const script = `id=$(${JIG} ${START} --anyway -- sh -c 'sleep 0.3; echo worked'); ${JIG} job wait "$id"; ${JIG} job logs "$id"`;
    const run = await runJig([...flags, "sh", "-c", script], { program: "unshare", env: job.env });
    expect(run).toMatchObject({ code: 0, stdout: "done\nworked\n", stderr: "" });
  });

  test("jobs-51 jobs in namespaces that ended have died at the next look; none of another namespace is touched", async () => {
    const job = jobs();
    const many = (count: number, run: string) =>
      `for i in $(seq ${count}); do ${JIG} job start --skill s --run-id ${run} --no-sweep --anyway --idle-secs 1200 -- sleep 1200 >/dev/null || exit 1; done`;
    const elsewhere = spawn(
      "unshare",
      ["--kill-child", ...flags, "sh", "-c", `${many(LIVING / 2, "elsewhere")}; exec sleep 300`],
      {
        env: testEnv(job.env),
        stdio: "ignore",
      },
    );
    onTestFinished(() => {
      elsewhere.kill("SIGKILL");
    });
    const { status } = spawnSync("sh", ["-c", many(LIVING / 2, "here")], { env: testEnv(job.env) });
    expect(status).toBe(0);
    const directories = (run: string) => {
      const parent = join(job.root, "s", run, "jobs");
      return existsSync(parent) ? readdirSync(parent).map((id) => join(parent, id)) : [];
    };
    await until("the jobs elsewhere", () => directories("elsewhere").length === LIVING / 2, 300_000);
    // A few in each namespace; with the last start the call ends, and they with it.
    for (let left = ENDING; left > 0; left -= PER_CALL) {
      const script = many(PER_CALL, "ended");
      const run = await runJig([...flags, "sh", "-c", `${script}; exit $?`], {
        program: "unshare",
        env: job.env,
      });
      expect(run.code).toBe(0);
    }
    const statesOf = async (run: string) => {
      const list = JSON.parse((await job.jig(["status", "--json", ...directories(run)])).stdout) as {
        state: string;
      }[];
      return list.map(({ state }) => state);
    };
    // From yet another namespace: nobody in the others can be seen from there.
    const other = await runJig([...flags, JIG, "job", "status", directories("ended")[0]!], {
      program: "unshare",
      env: job.env,
    });
    expect(other).toMatchObject({ stdout: "died-without-result\n", stderr: "" });
    expect(await statesOf("ended")).toEqual(Array(ENDING).fill("died-without-result"));
    expect(await statesOf("elsewhere")).toEqual(Array(LIVING / 2).fill("running"));
    expect(await statesOf("here")).toEqual(Array(LIVING / 2).fill("running"));
    const first = readdirSync(join(job.root, "s/ended/jobs"))[0]!;
    const listed = JSON.parse((await job.jig(["list", "--run-id", "ended", "--json"])).stdout);
    expect(listed.find((one: { job_id: string }) => one.job_id === first)).toMatchObject({
      state: "died-without-result",
      supervisor: null,
      reason: died.trim(),
    });
    expect((await job.jig(["reap", ...directories("here")])).code).toBe(0);
    elsewhere.kill("SIGKILL");
  }, 900_000);

  test("a worker that outlives its supervisor there is not given up", async () => {
    const job = jobs();
    const script = `${JIG} ${START} --anyway -- sleep 300 >id; exec sleep 300`;
    const elsewhere = spawn("unshare", ["--kill-child", ...flags, "sh", "-c", script], {
      cwd: job.work,
      env: testEnv(job.env),
      stdio: "ignore",
    });
    onTestFinished(() => {
      elsewhere.kill("SIGKILL");
    });
    const parent = join(job.root, "s/r/jobs");
    const id = await until("the job", () => existsSync(parent) && readdirSync(parent)[0]);
    await until("its pid", () => existsSync(join(parent, id, "pid")));
    const [supervisor] = await until("the supervisor", () => {
      const found = spawnSync("pgrep", ["-f", `__supervise ${join(parent, id)}`], {
        encoding: "utf8",
      }).stdout.trim();
      return found === "" ? undefined : found.split("\n").map(Number);
    });
    process.kill(supervisor!, "SIGKILL");
    await until("it to be gone", () => !runs(supervisor!));
    const note = `jig job: job ${id}: supervisor is gone; reap it to settle it\n`;
    // Its lock goes with its last thread, a moment after its first is a zombie.
    await until("the note", async () => (await job.jig(["status", id])).stderr === note);
    expect(await job.jig(["status", id])).toMatchObject({ stdout: "running\n", stderr: note });
    expect(await job.reap(id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "its worker still runs in another process namespace; reap it from there",
      ),
    });
    expect(await job.status(id)).toBe("running");
    elsewhere.kill("SIGKILL");
    await until("the state", async () => (await job.status(id)) === "died-without-result");
  });
});

describe("a job whose supervisor is gone, in the caller's own namespace", () => {
  test("status says so, as wait does, and leaves the word", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    expect((await job.jig(["status", id])).stderr).toBe("");
    process.kill(job.pid(id).supervisor_pid, "SIGKILL");
    await until("it to be gone", () => !runs(job.pid(id).supervisor_pid));
    const note = `jig job: job ${id}: supervisor is gone; reap it to settle it\n`;
    expect(await job.jig(["status", id])).toMatchObject({ code: 0, stdout: "running\n", stderr: note });
    expect((await job.jig(["status", "--json", id, id])).stderr).toBe(note + note);
    expect((await job.reap(id)).code).toBe(0);
    expect((await job.jig(["status", id])).stderr).toBe("");
  });
});

describe("a job that another machine runs, whose directory both see", () => {
  test("is not judged by its pids: nobody is signalled, and it is not settled while its lock says nothing", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    const path = join(job.directory(id), "pid");
    const pid = job.pid(id);
    // As the other machine's supervisor writes it: the same first namespace, pids that are nobody's here.
    const elsewhere = {
      ...pid,
      supervisor_pid: 99_999_998,
      worker_pid: 99_999_999,
      supervisor_identity: "another-boot 1",
      worker_identity: "another-boot 2",
      meta_lock: "1 1",
      log_lock: "1 1",
    };
    writeFileSync(path, JSON.stringify(elsewhere));
    expect(await job.jig(["status", id])).toMatchObject({ stdout: "running\n", stderr: "" });
    expect(JSON.parse((await job.jig(["list", "--json"])).stdout)[0].supervisor).toBe("unknown");
    writeFileSync(path, JSON.stringify(pid));
    expect(runs(pid.supervisor_pid)).toBe(true);
    expect((await job.reap(id)).code).toBe(0);
  });

  test("before a restart of this machine: the free locks prove that it ended, and a look settles it", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "300"]);
    const pid = job.pid(id);
    process.kill(pid.supervisor_pid, "SIGKILL");
    process.kill(-pid.worker_pid, "SIGKILL");
    await until("both to be gone", () => !runs(pid.supervisor_pid) && !runs(pid.worker_pid));
    const before = { ...pid, supervisor_identity: "another-boot 1", worker_identity: "another-boot 2" };
    writeFileSync(join(job.directory(id), "pid"), JSON.stringify(before));
    await until("the state", async () => (await job.status(id)) === "died-without-result");
  });
});
