import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type WindowsJobs, windowsJobs } from "./support/jobs.ts";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

withWindows("a job on Windows", () => {
  let windows: Machine;
  let jobs: WindowsJobs;
  beforeAll(async () => {
    windows = await machine();
    jobs = windowsJobs(windows);
  });

  test("outlives its start, is listed, awaited, read, and its words arrive as they were", async () => {
    const result = windowsPath(join(jobs.root, "result.json"));
    const words = ["", "a b", 'say "x"', "tail\\", "a b\\\\", "%PATH%", "ä 漢"];
    const [drip, args, write] = await Promise.all([
      jobs.start(["drip", "5"]),
      jobs.start(["args", ...words]),
      jobs.start(["write", result, "2"], ["--result-path", result]),
    ]);
    const states = await Promise.all([drip, args, write].map(jobs.settled));
    expect(states).toEqual(Array(3).fill({ state: "done", reason: "worker exited 0" }));
    expect(jobs.file(args, "out.log")).toBe(words.map((word, index) => `[${index + 1}]<${word}>\n`).join(""));
    expect((await jobs.jig(["logs", drip])).stdout).toBe("line 0\nline 1\nline 2\nline 3\nline 4\n");
    expect((await jobs.jig(["result", write])).stdout).toBe('{"a":1}\n'.repeat(2));
    expect(await jobs.jig(["status", args])).toMatchObject({ code: 0, stdout: "done\n" });
    const { stdout } = await jobs.jig(["list"]);
    for (const id of [drip, args, write]) expect(stdout).toMatch(new RegExp(`done .*${id}|done\\t.*${id}`));
  });

  test("keeps all 32 bits of its exit code, 259 among them", async () => {
    const ids = await Promise.all([
      jobs.start(["exit", "256"]),
      jobs.start(["exit", "259"]),
      jobs.start(["exit", "3221225477"]),
    ]);
    expect(await Promise.all(ids.map(jobs.settled))).toEqual([
      { state: "failed", reason: "worker exited 256" },
      { state: "failed", reason: "worker exited 259" },
      { state: "failed", reason: "worker exited 3221225477" },
    ]);
  });

  test("is a member of its named object, has a console without a window, and nothing on stdin", async () => {
    const [sleeper, asked, stdin] = await Promise.all([
      jobs.start(["sleep", "60"]),
      jobs.start(["injob"]),
      jobs.start(["stdin"]),
    ]);
    const { job_name: name, worker_pid: worker, ...pid } = jobs.pid(sleeper);
    expect(name).toBe(`Local\\ce-peer-job-${sleeper}`);
    expect(pid.worker_identity).toMatch(/^\d+ .*worker\.exe$/);
    expect(pid.supervisor_identity).toMatch(/^\d+ .*jig\.exe$/);
    expect((await windows.run([windows.worker, "member", name!, String(worker)])).stdout).toBe("member\n");
    await Promise.all([asked, stdin].map(jobs.settled));
    // The object ends nobody when it is closed.
    expect(jobs.file(asked, "out.log")).toBe("injob 1 flags 0 console 1 window 0\n");
    expect(jobs.file(stdin, "out.log")).toMatch(/^stdin -1 /);
    expect(await jobs.jig(["reap", sleeper])).toMatchObject({ code: 0 });
    expect(await jobs.lives(worker)).toEqual(["gone"]);
  });

  test("what cannot be executed is a failed job that says why", async () => {
    const ran = await jobs.jig(["start", "--skill", "s", "--run-id", "r", "--", "no-such-program"]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("was not found on PATH") });
  });
});
