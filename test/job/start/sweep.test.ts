import { existsSync, readFileSync, readlinkSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JobPid } from "../../../src/job/schema.ts";
import { jobs, killSupervisor, makeDirectory } from "../support.ts";

const HOUR = 3_600;

function age(path: string, hours: number): void {
  const then = Date.now() / 1000 - hours * HOUR;
  utimesSync(path, then, then);
}

describe("sweep", () => {
  test("jobs-37 old runs of the skill go; young ones, links and living ones stay", async () => {
    const job = jobs();
    const run = (name: string, skill = "s") => join(job.root, skill, name);
    makeDirectory(join(run("old"), "deep"));
    writeFileSync(join(run("old"), "deep/file"), "x");
    const outside = makeDirectory(join(job.work, "outside"));
    writeFileSync(join(outside, "precious"), "x");
    symlinkSync(outside, join(run("old"), "link"));
    for (const name of ["young", "old"]) makeDirectory(run(name));
    makeDirectory(run("old", "other-skill"));
    symlinkSync(outside, run("linked"));

    const worker = "until [ -e go ]; do sleep 0.05; done";
    const living = await job.jig(["start", "--skill", "s", "--run-id", "living", "--", "sh", "-c", worker]);
    const lost = await job.jig(["start", "--skill", "s", "--run-id", "lost", "--", "sh", "-c", worker]);
    const lostId = lost.stdout.trim();
    const inLost = {
      pid: (id: string) => JSON.parse(readFileSync(join(run("lost"), "jobs", id, "pid"), "utf8")) as JobPid,
    };
    await killSupervisor(inLost, lostId);

    age(run("young"), 1);
    for (const name of ["old", "living", "lost"]) age(run(name), 25);
    age(run("old", "other-skill"), 25);

    await job.settled(await job.start(["true"], ["--no-sweep"]));
    expect(existsSync(run("old"))).toBe(true);
    await job.settled(await job.start(["true"]));
    expect(existsSync(run("old"))).toBe(false);
    expect(existsSync(join(outside, "precious"))).toBe(true);
    expect(readlinkSync(run("linked"))).toBe(outside);
    for (const kept of [run("young"), run("living"), run("lost"), run("old", "other-skill")]) {
      expect([kept, existsSync(kept)]).toEqual([kept, true]);
    }
    writeFileSync(join(job.work, "go"), "");
    expect(await job.settled(living.stdout.trim())).toBe("done");
    await job.reap(lostId);
    age(run("living"), 25);
    await job.settled(await job.start(["true"]));
    expect(existsSync(run("living"))).toBe(false);
  });
});
