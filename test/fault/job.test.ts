/** A job's record: one and whole, whatever happens to the supervisor or to the call that settles it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readState } from "../../src/job/record/state.ts";
import { lost, reapHere, started } from "../job/directories.ts";
import { processesOf } from "../job/support.ts";
import { JIG } from "../support/paths.ts";
import { until } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { faults } from "./harness.ts";

const host = { uid: process.geteuid?.() };

const record = (directory: string) =>
  ["status", "reason"].map((name) => {
    const path = join(directory, name);
    return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
  });

faults({
  what: "job reap of a lost job",
  least: 5,
  prepare() {
    const directory = lost();
    return { command: [JIG, "job", "reap", directory], directory };
  },
  async holds({ directory }, { code, fate, killed }) {
    const state = readState(host, directory);
    expect(["running", "died-without-result"]).toContain(state);
    if (!killed && code === 0) expect(state).toBe("died-without-result");
    expect((await reapHere(directory)).exitCode).toBe(0);
    const [status, reason] = record(directory);
    expect(status).toBe("died-without-result");
    // The reason is decoration: where it could not be written the record stands without it.
    if (fate === "KILL" || reason !== undefined)
      expect(reason).toBe("supervisor and worker both gone without a terminal record");
  },
});

faults({
  what: "job supervisor",
  least: 10,
  silent: true,
  prepare() {
    const result = join(tempDir("jig-fault-"), "result");
    const directory = started(["/bin/sh", "-c", `echo made > ${result}`], result);
    return { command: [JIG, "__supervise", directory], directory };
  },
  async holds({ directory }, { fate }) {
    const states = ["never-started", "running", "done"];
    // What fails inside it ends the worker and says so; a kill cannot.
    if (fate !== "KILL") states.push("failed");
    expect(states).toContain(readState(host, directory));
    await until("the worker to end", () => processesOf(directory).length === 0);
    const state = readState(host, directory);
    expect((await reapHere(directory)).exitCode).toBe(0);
    const [status] = record(directory);
    const ended = state === "failed" ? "failed" : "done";
    expect(status).toBe(state === "never-started" ? undefined : ended);
  },
});
