import { beforeAll, expect, test } from "vitest";
import { type WindowsJobs, windowsJobs } from "./support/jobs.ts";
import { type Machine, machine, withWindows } from "./support/machine.ts";

/** Of a worker with a child. */
const PAIR = /me (\d+) child (\d+)\n/;
/** Of a worker whose grandchild has lost its parent: only the job object still leads to it. */
const ORPHAN = /me (\d+) mid \d+\n(?:.*\n)*me \d+ child (\d+)\n/;

withWindows("the end of a job on Windows", () => {
  let windows: Machine;
  let jobs: WindowsJobs;
  beforeAll(async () => {
    windows = await machine();
    jobs = windowsJobs(windows);
  });

  test.concurrent("a window that ends takes the whole tree along", async () => {
    const [idle, hard] = await Promise.all([
      jobs.start(["grand", "120"], ["--idle-secs", "8"]),
      jobs.start(["spawn", "120"], ["--hard-secs", "8"]),
    ]);
    const [, leader, orphan] = await jobs.said(idle, ORPHAN);
    const [, parent, child] = await jobs.said(hard, PAIR);
    expect(await Promise.all([idle, hard].map(jobs.settled))).toEqual([
      { state: "timeout", reason: "no output for 8s (idle window)" },
      { state: "timeout", reason: "hard cap 8s exceeded" },
    ]);
    expect(await jobs.lives(leader!, orphan!, parent!, child!)).toEqual(Array(4).fill("gone"));
  });

  test.concurrent("reap ends the tree, also one whose supervisor was killed; no child outlives a normal end", async () => {
    const [asked, lost, left] = await Promise.all([
      jobs.start(["spawn", "120"]),
      jobs.start(["spawn", "120"]),
      jobs.start(["spawnexit", "120"]),
    ]);
    const [, ...pair] = await jobs.said(asked, PAIR);
    const [, ...lostPair] = await jobs.said(lost, PAIR);
    expect(await jobs.settled(left)).toEqual({ state: "done", reason: "worker exited 0" });
    const [, , background] = await jobs.said(left, PAIR);
    expect(await jobs.lives(background!, ...pair, ...lostPair)).toEqual(["gone", ...Array(4).fill("alive")]);

    await windows.run([windows.worker, "kill", String(jobs.pid(lost).supervisor_pid)]);
    expect(await jobs.lives(...lostPair)).toEqual(["alive", "alive"]);
    expect(await jobs.jig(["status", lost])).toMatchObject({
      stdout: "running\n",
      stderr: expect.stringContaining("supervisor is gone"),
    });
    const reaped = await jobs.jig(["reap", asked, lost]);
    expect(reaped.code).toBe(0);
    expect(await jobs.lives(...pair, ...lostPair)).toEqual(Array(4).fill("gone"));
    expect(await Promise.all([asked, lost].map(jobs.settled))).toEqual([
      { state: "timeout", reason: "reaped on request before completion" },
      { state: "timeout", reason: "reaped by request; supervisor was gone, worker tree killed by reap" },
    ]);
  });

  test.concurrent("without foreign calls nothing is started, and a reap that would have to kill says so", async () => {
    const refused = { env: { BUN_JSC_useJIT: "0" } };
    const id = await jobs.start(["sleep", "120"]);
    const words = ["start", "--skill", "s", "--run-id", "r", "--", windows.worker, "sleep", "1"];
    const started = await jobs.jig(words, refused);
    expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot call the system's") });
    const { supervisor_pid: supervisor, worker_pid: worker } = jobs.pid(id);
    await windows.run([windows.worker, "kill", String(supervisor)]);
    const reap = await jobs.jig(["reap", id], refused);
    expect(reap).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot call the system's") });
    expect(await jobs.lives(worker)).toEqual(["alive"]);
    expect(await jobs.jig(["reap", id])).toMatchObject({ code: 0 });
    expect(await jobs.lives(worker)).toEqual(["gone"]);
  });
});
