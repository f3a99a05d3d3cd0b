import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Agent, type Any, expectAllRun, makeAgent, put } from "./agent.ts";

expectAllRun("jobs");

const start = "job start --skill <skill-token> --run-id <run-id> --label <label> --result-path";
const startWithLimits = "job start --skill <skill-token> --run-id <run-id> --label <label> --idle-secs";
const status = "job status";
const wait = "job wait --max-secs 30 <job-id>";
const waitForTwo = "job wait --max-secs 30 --deadline-secs";
const result = "job result <job-id>";
const resultAt = "job result <job-id> --path";
const reap = "job reap";
const list = "job list";
const scratch = "scratch <skill-token> <run-id>";

/** A worker written as the skill says: shell syntax in a script file, run by its interpreter. */
function worker(agent: Agent, name: string, script: string): Record<string, string> {
  return {
    "skill-token": "drill",
    "run-id": "run-1",
    label: name,
    "abs-path": join(agent.home, `${name}.out`),
    program: "sh",
    arg: put(join(agent.home, `${name}.sh`), script.replaceAll("OUT", join(agent.home, `${name}.out`))),
  };
}

async function makeJobsAgent(): Promise<Agent> {
  const agent = await makeAgent("jobs");
  // The drill looks more often than a person would wait.
  agent.env["CE_PEER_POLL_SECS"] = "0.2";
  return agent;
}

const started = (run: { stdout: string }): Record<string, string> => ({ "job-id": run.stdout.trim() });

describe("the jobs skill, played by its own lines", () => {
  test("skills-jobs-1 skills-jobs-3 skills-jobs-8 drill: start, wait, read, find", async () => {
    const agent = await makeJobsAgent();
    expect((await agent.run("skills preflight")).json().status).toBe("ok");
    const values = worker(agent, "slow", "echo begun; sleep 4; echo the answer > OUT\n");
    const run = await agent.run(start, values);
    expect(run.stdout).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{8}\n$/);
    const job = started(run);

    expect((await agent.run(status, job)).stdout).toBe("running\n");
    expect(await agent.run(result, job)).toMatchObject({ code: 2, stdout: "" });
    expect((await agent.run(wait, job)).stdout).toBe("done\n");
    expect(await agent.run(result, job)).toMatchObject({ code: 0, stdout: "the answer\n" });
    expect((await agent.run(resultAt, { ...job, "abs-path": values["abs-path"]! })).stdout).toBe(
      "the answer\n",
    );
    const absent = await agent.run(resultAt, { ...job, "abs-path": join(agent.home, "nosuch") });
    expect(absent).toMatchObject({ code: 3, stdout: "" });
    expect(absent.stderr).toContain("done");

    const found = (await agent.run(list, values)).json() as Any[];
    expect(found.map((one) => [one.job_id, one.state, one.label])).toEqual([[job["job-id"], "done", "slow"]]);
    expect((await agent.run(list, { ...values, "run-id": "other" })).json()).toEqual([]);
    expect((await agent.run("job logs", job)).stdout).toBe("begun\n");
    expect((await agent.run("skills show")).stdout).toContain("# Detached jobs");
  });

  test("skills-jobs-2 skills-jobs-10 drill: a fan-out of three with a deadline and a reap", async () => {
    const agent = await makeJobsAgent();
    const first = started(await agent.run(start, worker(agent, "quick", "echo one > OUT\n")))["job-id"]!;
    const third = started(await agent.run(start, worker(agent, "also", "sleep 0.3; echo three > OUT\n")))[
      "job-id"
    ]!;
    // The deadline counts from the last start.
    const second = started(await agent.run(start, worker(agent, "hangs", "sleep 600\n")))["job-id"]!;

    const two = { secs: "2", "job-id": first, "job-id 2": second };
    const late = await agent.runUntil(/^deadline passed/m, waitForTwo, two, { extra: [third] });
    const closing = late.stdout.trim().split("\n").at(-1)!;
    expect(closing).toBe(
      `deadline passed: reap ${second}, then wait once more; a job still running after that counts as timed out`,
    );

    // That line, literally.
    const [, named] = /^deadline passed: reap (\S+),/.exec(closing)!;
    expect((await agent.run(reap, { "job-id": named! })).code).toBe(0);
    const settled = await agent.run(waitForTwo, two, { extra: [third] });
    const lines = settled.stdout.trim().split("\n");
    expect(lines.at(-1)).toBe("all settled");
    expect(lines.slice(0, -1).map((line) => line.split("\t").slice(0, 3))).toEqual([
      ["quick", first, "done"],
      ["hangs", second, "timeout"],
      ["also", third, "done"],
    ]);
    for (const [id, text] of [
      [first, "one\n"],
      [third, "three\n"],
    ] as const) {
      expect((await agent.run(result, { "job-id": id })).stdout).toBe(text);
    }
    const directory = (
      (await agent.run(status, { "job-id": second }, { extra: ["--json"] })).json() as Any[]
    )[0].job_dir;
    const record =
      readFileSync(join(directory, "status"), "utf8") + readFileSync(join(directory, "reason"), "utf8");
    expect((await agent.run(reap, { "job-id": second })).code).toBe(0);
    expect(
      readFileSync(join(directory, "status"), "utf8") + readFileSync(join(directory, "reason"), "utf8"),
    ).toBe(record);
  });

  test("a test run without a result: the log and the reason say what happened", async () => {
    const agent = await makeJobsAgent();
    const values = { ...worker(agent, "tests", "echo test X failed; exit 1\n"), "skill-token": "adhoc" };
    const directory = (await agent.run(scratch, values)).stdout.trim();
    expect(existsSync(directory)).toBe(true);
    const job = started(await agent.run(startWithLimits, { ...values, "secs 1": "60", "secs 2": "1800" }));
    expect((await agent.run(wait, job)).stdout).toBe("failed\n");
    const [listed] = (await agent.run(list, values)).json() as Any[];
    expect(listed.reason).toBe("worker exited 1");
    expect((await agent.run("job logs", job)).stdout).toBe("test X failed\n");
    expect(await agent.run(result, job)).toMatchObject({ code: 3, stdout: "" });

    const passing = worker(agent, "passing", "echo all well\n");
    const done = started(await agent.run(startWithLimits, { ...passing, "secs 1": "60", "secs 2": "1800" }));
    expect((await agent.run(wait, done)).stdout).toBe("done\n");
    expect(await agent.run(result, done)).toMatchObject({ code: 0, stdout: "" });
  });

  test("skills-jobs-4 drill: a result that became a link is refused", async () => {
    const agent = await makeJobsAgent();
    const values = worker(agent, "linked", "echo secret > OUT\n");
    const job = started(await agent.run(start, values));
    expect((await agent.run(wait, job)).stdout).toBe("done\n");
    rmSync(values["abs-path"]!);
    symlinkSync("/etc/hostname", values["abs-path"]!);
    expect(await agent.run(result, job)).toMatchObject({ code: 4, stdout: "" });
  });

  test("skills-jobs-5 skills-jobs-12 drill: limits", async () => {
    const agent = await makeJobsAgent();
    const flood = started(
      await agent.run(
        start,
        worker(agent, "flood", "while :; do echo flooding the log; sleep 0.01; done\n"),
        {
          extra: ["--log-max-bytes", "1000"],
        },
      ),
    );
    expect((await agent.run(wait, flood)).stdout).toBe("failed\n");
    const [listed] = (await agent.run(list, worker(agent, "flood", ""))).json() as Any[];
    expect(listed.reason).toContain("byte cap");

    const silent = worker(agent, "silent", "sleep 3\n");
    const short = started(await agent.run(startWithLimits, { ...silent, "secs 1": "1", "secs 2": "60" }));
    const long = started(await agent.run(startWithLimits, { ...silent, "secs 1": "10", "secs 2": "60" }));
    expect((await agent.run(wait, short)).stdout).toBe("timeout\n");
    expect((await agent.run(wait, long)).stdout).toBe("done\n");
  });

  test("skills-jobs-6 drill: a missing program never starts, the corrected line does", async () => {
    const agent = await makeJobsAgent();
    const values = worker(agent, "fixed", "echo ok > OUT\n");
    const wrong = await agent.run(start, { ...values, program: "no-such-program" });
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(((await agent.run(list, values)).json() as Any[]).map(({ state }) => state)).toEqual([
      "never-started",
    ]);
    const job = started(await agent.run(start, values));
    expect((await agent.run(wait, job)).stdout).toBe("done\n");
  });

  test("nothing a drill started is left", async () => {
    const agent = await makeJobsAgent();
    const job = started(await agent.run(start, worker(agent, "last", "sleep 600\n")));
    await agent.run(reap, job);
    expect((await agent.run(wait, job)).stdout).toBe("timeout\n");
    const [root] = readdirSync(join(agent.home, "tmp"));
    expect(existsSync(join(agent.home, "tmp", root!, "drill/run-1/jobs", job["job-id"]!, "status"))).toBe(
      true,
    );
  });
});
