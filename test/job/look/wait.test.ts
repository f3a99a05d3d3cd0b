import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { waitForJobs } from "../../../src/job/look/wait.ts";
import { testHost } from "../../support/host.ts";
import { catches, runJig, startJig, until } from "../../support/run.ts";
import { jobs, killSupervisor } from "../support.ts";

describe("wait", () => {
  test("jobs-5 is bounded by its own time, and returns when the job has settled", async () => {
    const job = jobs();
    const long = await job.start(["sleep", "30"]);
    expect(await job.jig(["wait", "--max-secs", "2", long])).toMatchObject({
      code: 0,
      stdout: "running\n",
      stderr: "",
    });
    await job.reap(long);
    const short = await job.start(["sleep", "1"]);
    // A wait to its own end would outlast the time this call has.
    expect((await job.jig(["wait", "--max-secs", "60", short, long])).stdout).toBe(
      `${short}\tdone\n${long}\ttimeout\n`,
    );
  });

  test("jobs-31 against a deadline ahead: what runs, and the time left", async () => {
    const job = jobs();
    const done = await job.start(["true"]);
    await job.settled(done);
    const running = await job.start(["sleep", "30"], ["--label", "slow"]);
    const words = ["wait", "--deadline-secs", "60", "--max-secs", "0", done, running];
    const json = JSON.parse((await job.jig([...words, "--json"])).stdout);
    expect(json).toMatchObject({ all_settled: false, deadline_passed: false });
    expect(json.secs_left).toBeGreaterThanOrEqual(1);
    expect(json.secs_left).toBeLessThanOrEqual(60);
    expect(json.jobs[0]).toMatchObject({
      ref: done,
      job_dir: job.directory(done),
      label: "-",
      state: "done",
      reason: "",
    });
    const text = (await job.jig(words)).stdout.split("\n");
    expect(text[0]).toMatch(new RegExp(`^-\\t${done}\\tdone\\t\\d+s$`));
    expect(text[1]).toMatch(new RegExp(`^slow\\t${running}\\trunning\\t\\d+s$`));
    expect(text[2]).toMatch(/^waiting: 1 of 2 still running; \d+s left before the deadline$/);
    await job.reap(running);
  });

  test("a settled job's time ends with it, and counts on under the upstream tool's name", async () => {
    const job = jobs();
    const id = await job.start(["true"]);
    await job.settled(id);
    const began = Math.floor(Date.now() / 1000) - 3600;
    const directory = job.directory(id);
    const meta = { ...job.meta(id), started_at: new Date(began * 1000).toISOString().replace(".000", "") };
    writeFileSync(join(directory, "meta.json"), JSON.stringify(meta));
    utimesSync(join(directory, "status"), began + 5, began + 5);
    const words = ["wait", "--deadline-secs", "60", id];
    expect((await job.jig(words)).stdout).toBe(`-\t${id}\tdone\t5s\nall settled\n`);
    const upstream = await runJig(["--as", "peer-job-runner.py", ...words], { env: job.env });
    expect(upstream.stdout).toMatch(new RegExp(`^-\t${id}\tdone\t36\\d\\ds\n`));
    const never = await job.jig(["start", "--skill", "s", "--run-id", "n", "--", "/nonexistent/w"]);
    expect(never.code).toBe(1);
    const [unbegun] = readdirSync(join(job.root, "s/n/jobs"));
    expect((await job.jig(["wait", "--deadline-secs", "60", unbegun!])).stdout).toContain(
      "\tnever-started\t?\tpreflight failed: worker '/nonexistent/w' ",
    );
  });

  test("jobs-32 against a deadline that has passed: what to reap", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "30"]);
    const words = ["wait", "--deadline-secs", "0", "--max-secs", "0", id];
    const last = async (given: string[]) => (await job.jig(given)).stdout.trimEnd().split("\n").at(-1);
    expect(await last(words)).toBe(
      `deadline passed: reap ${id}, then wait once more; a job still running after that counts as timed out`,
    );
    for (const bad of ["nan", "inf", "-1", ".5e999"]) {
      const run = await job.jig(["wait", "--deadline-secs", bad, id]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain(`must be a finite, nonnegative number of seconds: '${bad}'`);
    }
    for (const text of ["soon", "5abc", "1..2"]) {
      expect((await job.jig(["wait", "--deadline-grace-secs", text, id])).stderr).toContain(
        `: not a number of seconds: '${text}'`,
      );
    }
    for (const words of [
      ["wait", "--max-secs", "inf"],
      ["logs", "--tail", "-1"],
      ["logs", "--tail", "1.5"],
      ["logs", "--follow", "--max-secs", "x"],
    ]) {
      const run = await job.jig([...words, id]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toMatch(
        new RegExp(`^usage: jig job ${words[0]} .*\\n.*error: ${words.at(-2)} must be .*, got '`),
      );
    }

    rmSync(join(job.directory(id), "meta.json"));
    const lost = await job.jig(["wait", "--deadline-secs", "60", "--max-secs", "0", id]);
    expect(lost.stdout).toMatch(new RegExp(`^-\\t${id}\\trunning\\t\\?\\ndeadline passed: reap ${id}, `));
    await job.reap(id);
    expect(await last(words)).toBe("all settled");
  });

  test("a job without a supervisor is said once, and keeps its word", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "30"]);
    await killSupervisor(job, id);
    const run = await job.jig(["wait", "--max-secs", "0.5", id]);
    expect(run).toMatchObject({
      code: 0,
      stdout: "running\n",
      stderr: `jig job: job ${id}: supervisor is gone; reap it to settle it\n`,
    });
    await job.reap(id);
  });

  test("an interrupted wait prints what is known and leaves the job alone", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "30"]);
    const wait = startJig(["job", "wait", "--max-secs", "20", id], { env: job.env });
    let out = "";
    wait.stdout!.on("data", (chunk) => {
      out += chunk;
    });
    await catches(wait.pid!, "SIGINT");
    wait.kill("SIGINT");
    const code = await new Promise((resolve) => wait.on("close", resolve));
    expect({ code, out }).toEqual({ code: 130, out: "running\n" });
    expect(await job.status(id)).toBe("running");
    await job.reap(id);
  });

  test("a job directory that vanishes meanwhile is unreadable; a state seen settled is final", async () => {
    const job = jobs();
    const settled = await job.start(["true"]);
    await job.settled(settled);
    const id = await job.start(["sleep", "30"]);
    const { supervisor_pid: supervisor, worker_pid: worker } = job.pid(id);
    const host = testHost({ env: job.env, cwd: job.work });
    const flags = { skill: undefined, "deadline-secs": undefined, "deadline-grace-secs": undefined };
    const wait = waitForJobs(host, {
      positionals: [settled, id],
      flags: { ...flags, "max-secs": 20, "no-progress": true, json: false },
    });
    // The first look was made before the call gave control back.
    process.kill(supervisor, "SIGKILL");
    process.kill(-worker, "SIGKILL");
    rmSync(job.root, { recursive: true });
    expect((await wait).text).toBe(`${settled}\tdone\n${id}\tunreadable`);
  });

  test("progress is drawn on a terminal's stderr only, and erased", async () => {
    const job = jobs({ TERM: "xterm", CI: undefined });
    const id = await job.start(["sh", "-c", "echo x; sleep 1"], ["--label", "slow"]);
    const { JIG } = await import("../../support/paths.ts");
    const { runJig } = await import("../../support/run.ts");
    const log = join(job.work, "typescript");
    const command = `'${JIG}' job wait --max-secs 10 ${id} > '${job.work}/out'`;
    const run = await runJig(["-q", "-e", "-c", command, log], { program: "script", env: job.env });
    expect(run.code).toBe(0);
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(join(job.work, "out"), "utf8")).toBe("done\n");
    expect(run.stdout).toContain("slow");
    expect(run.stdout).toMatch(/log 2 +quiet \d+s/);
    expect(run.stdout.trimEnd().endsWith("\u001b[1A\u001b[J")).toBe(true);

    const quiet = await runJig(["-q", "-e", "-c", `${command} --no-progress`, log], {
      program: "script",
      env: job.env,
    });
    expect(quiet.stdout).not.toContain("\u001b");
    await until("the job to settle", async () => (await job.status(id)) === "done");
  });
});
