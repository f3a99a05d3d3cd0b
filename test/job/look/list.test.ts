import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ListFlags, listJobs } from "../../../src/job/look/list.ts";
import { JobListSchema } from "../../../src/job/schema.ts";
import { testHost } from "../../support/host.ts";
import { JIG } from "../../support/paths.ts";
import { canTrace } from "../../support/strace.ts";
import { tempDir } from "../../support/temp.ts";
import { jobs, killSupervisor, makeDirectory } from "../support.ts";

const FLAGS: ListFlags = { skill: [], "run-id": [], label: [], state: [], "no-header": false };
const HEADER = "STATE\tSKILL\tRUN\tJOB\tLABEL\tELAPSED\tLOG\tREASON\n";

/** A settled job made of files alone. */
function placeJob(root: string, where: string, meta: object | string, status = "done"): string {
  const directory = makeDirectory(join(root, where));
  writeFileSync(join(directory, "meta.json"), typeof meta === "string" ? meta : JSON.stringify(meta));
  writeFileSync(join(directory, "out.log"), "1234\n");
  if (status !== "") writeFileSync(join(directory, "status"), `${status}\n`);
  writeFileSync(join(directory, "reason"), "because\n");
  return directory;
}

describe("list", () => {
  test("jobs-38 filters by state; an empty root; an unknown state; a supervisor that is gone", async () => {
    const job = jobs();
    expect(await job.jig(["list"])).toMatchObject({ code: 0, stdout: HEADER, stderr: "" });
    expect((await job.jig(["list", "--json"])).stdout).toBe("[]\n");
    expect((await job.jig(["list", "--no-header"])).stdout).toBe("");
    const done = await job.start(["true"]);
    await job.settled(done);
    const failed = await job.start(["false"]);
    await job.settled(failed);
    const running = await job.start(["sh", "-c", "echo hello; exec sleep 300"], ["--label", "L"]);
    const some = JSON.parse((await job.jig(["list", "--state", "running,failed", "--json"])).stdout);
    expect(some.map((entry: { job_id: string }) => entry.job_id).sort()).toEqual([failed, running].sort());
    const bad = await job.jig(["list", "--state", "nope"]);
    expect(bad).toMatchObject({ code: 2, stdout: "" });
    expect(bad.stderr).toContain(
      "running, done, failed, timeout, died-without-result, never-started, unreadable",
    );

    const one = async () => JSON.parse((await job.jig(["list", "--label", "L", "--json"])).stdout)[0];
    expect(await one()).toMatchObject({
      state: "running",
      supervisor: "alive",
      ended_at: null,
      reason: null,
    });
    await killSupervisor(job, running);
    expect(await one()).toMatchObject({
      state: "running",
      supervisor: "gone",
      skill: "s",
      run_id: "r",
      label: "L",
    });
    const text = (await job.jig(["list", "--state", "running"])).stdout.split("\n")[1]!.split("\t");
    expect(text.slice(0, 5)).toEqual(["running", "s", "r", running, "L"]);
    expect(text.slice(6)).toEqual(["6", "supervisor gone; reap to settle"]);
    await job.reap(running);
    const all = JSON.parse((await job.jig(["list", "--json"])).stdout);
    expect(v.is(JobListSchema, all)).toBe(true);
    expect(all).toHaveLength(3);
  });

  const list = async (root: string, flags: Partial<ListFlags> = {}, env: Record<string, string> = {}) => {
    const host = testHost({
      env: { CE_PEER_JOBS_ROOT: root, ...env },
      prefix: "jig job: ",
      now: () => Date.UTC(2026, 0, 1, 0, 2),
    });
    return listJobs(host, { flags: { ...FLAGS, ...flags } });
  };

  test("newest first, unknown start last, ties by id; filters join", async () => {
    const root = tempDir();
    placeJob(root, "a/r1/jobs/j2", { started_at: "2026-01-01T00:00:00Z", label: "x" });
    placeJob(root, "a/r2/jobs/j1", { started_at: "2026-01-01T00:00:00Z", label: "y" });
    placeJob(root, ".hidden/r1/jobs/j3", { started_at: "2026-01-01T00:01:00Z" }, "failed");
    const ids = async (flags: Partial<ListFlags> = {}) =>
      (await list(root, flags)).data.map((job) => job.job_id);
    expect(await ids()).toEqual(["j3", "j1", "j2"]);
    expect(await ids({ skill: ["a"], "run-id": ["r1", "r9"] })).toEqual(["j2"]);
    expect(await ids({ label: ["y", "x"], state: ["done"] })).toEqual(["j1", "j2"]);
    expect(await ids({ skill: ["a", ".hidden"], state: ["failed", "timeout"] })).toEqual(["j3"]);
  });

  test("a job that cannot be read shows its place and nothing from inside", async () => {
    const root = tempDir();
    const broken = placeJob(
      root,
      "a/r/jobs/j",
      { started_at: "2026-01-01T00:00:00Z", label: "secret" },
      "nonsense",
    );
    const [entry] = (await list(root)).data;
    expect(entry).toMatchObject({
      job_dir: broken,
      state: "unreadable",
      label: null,
      reason: null,
      log_bytes: null,
    });
    expect(JSON.stringify(entry)).not.toContain("secret");
  });

  test("links are passed over, foreign entries counted, other roots and ce-work's runs walked", async () => {
    const root = tempDir();
    const other = tempDir();
    placeJob(other, "r/jobs/w", { started_at: "2026-01-01T00:00:30Z" });
    placeJob(root, "a/r/jobs/j", { started_at: "2026-01-01T00:00:00Z" });
    symlinkSync(other, join(root, "link"));
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "a/r/jobs/j"), join(root, "a/r/jobs/linked"));
    if (process.geteuid?.() === 0) {
      mkdirSync(join(root, "foreign"));
      chownSync(join(root, "foreign"), 65_534, -1);
    }
    const found = await list(root, {}, { CE_WORK_RUNS_ROOT: other });
    expect(found.data.map((job) => `${job.skill}/${job.run_id}/${job.job_id}`)).toEqual([
      "ce-work/r/w",
      "a/r/j",
    ]);
    if (process.geteuid?.() === 0) {
      expect(found.notes).toEqual(["jig job: skipped 1 entries not owned by the current user"]);
    }
  });

  test("on a terminal: aligned, readable, cut to the width, never executed", async () => {
    const root = tempDir();
    const label = "\u001b[31mred";
    placeJob(root, "a/r/jobs/j", { started_at: "2026-01-01T00:00:00Z", label });
    const { text } = await list(root);
    const terminal = { isTerminal: true, width: 70, colour: false };
    const shown = (text as (terminal: object) => string)(terminal);
    expect(shown).toContain("\\x1b[31mred");
    expect(shown).not.toContain("\u001b");
    for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(70);
    const empty = (await list(tempDir())).text as (terminal: object) => string;
    expect(empty(terminal)).toBe("no jobs");
  });

  test("times that no calendar holds are unknown, and do not keep the others from being listed", async () => {
    const root = makeDirectory(join(memoryDirectory(), "root"));
    const strange = placeJob(root, "a/r/jobs/strange", { label: "L", started_at: "1969-12-31T23:59:55Z" });
    for (const [name, seconds] of [
      ["out.log", 1e14],
      ["status", 1e12],
    ] as const) {
      utimesSync(join(strange, name), seconds, seconds);
    }
    const unknown = placeJob(root, "a/r/jobs/unknown", {});
    rmSync(join(unknown, "meta.json"));
    placeJob(root, "a/r/jobs/young", { started_at: "2026-01-01T00:00:00Z" });
    const { data } = await list(root);
    expect(data.map((job) => job.job_id)).toEqual(["young", "strange", "unknown"]);
    expect(data[1]).toMatchObject({ label: "L", ended_at: null, log_updated_at: null });
    v.parse(JobListSchema, data);
  });

  test("a thousand jobs", async () => {
    const root = makeDirectory(join(memoryDirectory(), "root"));
    placeMany(root, 1_000);
    const { data } = await list(root);
    expect(data).toHaveLength(1_000);
    expect(new Set(data.map((job) => job.job_dir)).size).toBe(1_000);
  });

  test.runIf(canTrace)("a settled job costs one look at each of its parts", () => {
    const root = makeDirectory(join(memoryDirectory(), "root"));
    placeMany(root, 20);
    const log = join(tempDir(), "trace");
    const words = ["-f", "-qq", "-y", "-o", log, "-e", "trace=file,desc", JIG, "job", "list"];
    const env = { ...process.env, CE_PEER_JOBS_ROOT: root };
    const { stdout } = spawnSync("strace", words, { env, encoding: "utf8" });
    expect(stdout.split("\n")).toHaveLength(22);
    const calls = readFileSync(log, "utf8").match(/^.*\/r0\/jobs\/j7\b.*$/gm)!;
    // The directory; status, meta.json and reason each opened, checked, read once and closed; the log.
    expect(calls.filter((call) => !call.includes("resumed")).length).toBeLessThanOrEqual(14);
  });
});

function placeMany(root: string, count: number): void {
  const meta = { started_at: "2026-01-01T00:00:00Z", supervision: {} };
  for (let index = 0; index < count; index++)
    placeJob(root, `s/r${index % 10 < 8 ? 0 : 1}/jobs/j${index}`, meta);
}

/** A directory in memory where there is one: with a disk the files would be the slowest part. */
function memoryDirectory(): string {
  if (!existsSync("/dev/shm")) return tempDir();
  const path = mkdtempSync("/dev/shm/jig-list-");
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
