import { describe, expect, test } from "vitest";
import { supervisorEnvironment, workerEnvironment } from "../../../src/job/start/environment.ts";

const JOB = { id: "id", directory: "/r/s/r/jobs/id", workerIsJig: false, executable: "/bin/jig" };
const SWITCHES = { BUN_OPTIONS: "--smol", BUN_BE_BUN: "1", BUN_INSPECT: "ws://x", BUN_INSPECT_PRELOAD: "/p" };

describe("the environment on its way to the worker (jobs.md section 6)", () => {
  test("what changes the runtime travels under another name and comes back", () => {
    const caller = {
      PATH: "/bin",
      CE_PEER_PYTHON: "/usr/bin/python3",
      BUN_GC_TIMER_DISABLE: "0",
      ...SWITCHES,
    };
    const supervisor = supervisorEnvironment(caller);
    for (const name of Object.keys(SWITCHES)) expect(supervisor).not.toHaveProperty(name);
    expect(supervisor["JIG_HELD_BUN_OPTIONS"]).toBe("--smol");
    expect(workerEnvironment(supervisor, JOB)).toEqual({
      ...caller,
      CE_PEER_JOB_ID: "id",
      JIG_JOB_DIR: "/r/s/r/jobs/id",
    });
  });

  test("a worker that is jig does not get them, and no held copy is left", () => {
    const worker = workerEnvironment(supervisorEnvironment({ PATH: "/bin", ...SWITCHES }), {
      ...JOB,
      workerIsJig: true,
    });
    expect(Object.keys(worker).sort()).toEqual(["CE_PEER_JOB_ID", "JIG_JOB_DIR", "PATH"]);
  });

  test("nothing of the supervisor's own settings, of an outer job or of a stale executable reaches the worker", () => {
    const outer = { CE_PEER_JOB_ID: "outer", JIG_JOB_DIR: "/outer", JIG_BIN: "/old/jig", JIG_HELD_X: "1" };
    expect(workerEnvironment(supervisorEnvironment(outer), JOB)).toEqual({
      CE_PEER_JOB_ID: "id",
      JIG_JOB_DIR: "/r/s/r/jobs/id",
    });
  });
});
