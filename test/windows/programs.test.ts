import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Machine, machine, pathWith, windowsPath, withWindows } from "./support/machine.ts";

withWindows("a program that jig runs on Windows", () => {
  let windows: Machine;
  beforeAll(async () => {
    windows = await machine();
  });

  /** Let our worker be the model of an elevated step; the envelope. */
  async function asModel(mode: string, argument = "0") {
    const directory = windows.fresh("elevate");
    copyFileSync(join(windows.directory, "worker.exe"), join(directory, "claude.exe"));
    const [brief, result] = [join(directory, "brief.md"), join(directory, "result.json")];
    writeFileSync(brief, "the brief\n");
    await windows.jig(["elevate", "some-model", windowsPath(brief), windowsPath(result)], {
      env: {
        ...pathWith(directory),
        WORKER_MODE: mode,
        WORKER_ARGUMENT: argument,
        CE_ELEVATION_POLL_SECS: "0.2",
      },
    });
    return JSON.parse(readFileSync(result, "utf8"));
  }

  test("has not succeeded when only the low 8 bits of its exit code are 0", async () => {
    expect(await asModel("exit", "256")).toMatchObject({ reason: "exit", exit_code: 256 });
  });

  test("has a console without a window, so that no program it starts opens one", async () => {
    expect((await asModel("injob")).evidence).toContain("console 1 window 0");
  });
});
