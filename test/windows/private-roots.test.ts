import { chownSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

// Under Wine a file of another Unix user has another owner.
const canGiveAway = process.getuid?.() === 0;

withWindows("private roots on Windows (jobs.md 12.1)", () => {
  let windows: Machine;
  beforeAll(async () => {
    windows = await machine();
  });

  test("whoami and icacls run once a start, and once more for another directory's", async () => {
    const directory = windows.fresh("roots");
    const runs = () => lines(join(directory, "log"));
    const env = { LOCALAPPDATA: windowsPath(directory), JIG_STUB_LOG: windowsPath(join(directory, "log")) };
    const start = ["job", "start", "--skill", "s", "--run-id", "r", "--", windows.worker, "exit", "0"];
    expect(await windows.jig(start, { env })).toMatchObject({ code: 0, stderr: "" });
    expect(runs()).toEqual(["whoami", expect.stringMatching(/^icacls .*\\compound-engineering-jobs$/)]);
    const scratch = await windows.jig(["scratch", "a", "b"], { env });
    expect(scratch.stdout).toMatch(/\\compound-engineering-scratch\\a\\b\n$/);
    expect(runs().slice(2)).toEqual([
      "whoami",
      expect.stringMatching(/^icacls .*\\compound-engineering-scratch$/),
    ]);
  });

  test("a root given by the caller keeps its list; the first directory made in it gets one", async () => {
    const directory = windows.fresh("given");
    const log = join(windows.fresh("log"), "log");
    const env = { CE_PEER_JOBS_ROOT: windowsPath(directory), JIG_STUB_LOG: windowsPath(log) };
    const start = ["job", "start", "--skill", "s", "--run-id", "r", "--", windows.worker, "exit", "0"];
    expect(await windows.jig(start, { env })).toMatchObject({ code: 0, stderr: "" });
    expect(lines(log)).toEqual(["whoami", `icacls ${windowsPath(join(directory, "s"))}`]);
  });

  test.runIf(canGiveAway)("what is another user's is no job, no record and no root of ours", async () => {
    const directory = windows.fresh("foreign");
    const env = { CE_PEER_JOBS_ROOT: windowsPath(directory) };
    const start = ["job", "start", "--skill", "s", "--run-id", "r", "--", windows.worker, "exit", "0"];
    const id = (await windows.jig(start, { env })).stdout.trim();
    expect(await windows.jig(["job", "wait", id], { env })).toMatchObject({ code: 0 });
    const job = join(directory, "s/r/jobs", id);
    for (const path of [join(job, "status"), job]) {
      chownSync(path, 12_345, 12_345);
      expect(await windows.jig(["job", "status", id], { env })).toMatchObject({ stdout: "unreadable\n" });
      chownSync(path, 0, 0);
    }
    expect(await windows.jig(["job", "status", id], { env })).toMatchObject({ stdout: "done\n" });
    chownSync(directory, 12_345, 12_345);
    expect(await windows.jig(start, { env })).toMatchObject({
      code: 1,
      stderr: `jig job: ${windowsPath(directory)}: not owned by the current user\n`,
    });
    chownSync(directory, 0, 0);
    expect(readdirSync(join(directory, "s/r/jobs"))).toEqual([id]);
  });

  test("a part that names a device is no directory", async () => {
    const run = await windows.jig(["scratch", "nul", "b"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^jig scratch: cannot create .*\\nul: Windows takes its name for a device/);
  });
});

function lines(path: string): string[] {
  return readFileSync(path, "utf8").trim().split(/\r?\n/);
}
