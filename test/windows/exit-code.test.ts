import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { machine, pathWith, windowsPath, withWindows } from "./support/machine.ts";

withWindows("a program that jig runs on Windows", () => {
  test("has not succeeded when only the low 8 bits of its exit code are 0", async () => {
    const windows = await machine();
    const directory = windows.fresh("elevate");
    copyFileSync(join(windows.directory, "worker.exe"), join(directory, "claude.exe"));
    const [brief, result] = [join(directory, "brief.md"), join(directory, "result.json")];
    writeFileSync(brief, "the brief\n");
    const ran = await windows.jig(["elevate", "some-model", windowsPath(brief), windowsPath(result)], {
      env: { ...pathWith(directory), WORKER_EXIT: "256", CE_ELEVATION_POLL_SECS: "0.2" },
    });
    expect(ran.stderr).toContain("exited non-zero");
    expect(JSON.parse(readFileSync(result, "utf8"))).toMatchObject({ reason: "exit", exit_code: 256 });
  });
});
