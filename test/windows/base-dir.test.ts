import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

withWindows("jig base-dir on Windows", () => {
  let windows: Machine;
  beforeAll(async () => {
    windows = await machine();
  });

  test("a directory and a task are anchored, and found again", async () => {
    const cwd = repository();
    const first = await windows.jig(["base-dir", "resolve", "--json"], { cwd });
    const base = windowsPath(cwd);
    const anchor = `${base}\\.cafleet-base-dir.json`;
    expect(JSON.parse(first.stdout)).toEqual({ status: "resolved", base, source: "cwd-inference", anchor });
    const again = await windows.jig(["base-dir", "resolve", "--json"], { cwd });
    expect(JSON.parse(again.stdout)).toEqual({ status: "resolved", base, source: "anchor", anchor });
    const task = await windows.jig(["base-dir", "resolve", "design\\x/y", "--json"], { cwd });
    expect(JSON.parse(task.stdout)).toMatchObject({ base: `${base}\\design\\x\\y`, source: "task-scope" });
    const outside = await windows.jig(["base-dir", "resolve", "..\\x"], { cwd });
    expect(outside).toMatchObject({ code: 1, stderr: expect.stringContaining("outside the repo root") });
  });

  test("a rooted path has the working directory's drive", async () => {
    const cwd = windows.fresh("rooted");
    const rooted = windowsPath(join(cwd, "deep/er")).slice(2);
    const run = await windows.jig(["base-dir", "record", "--base", rooted, "--source", "askuserquestion"], {
      cwd,
    });
    expect(run).toMatchObject({
      code: 0,
      stdout: `anchor: ${windowsPath(join(cwd, "deep/er"))}\\.cafleet-base-dir.json\n`,
    });
    const there = await windows.jig(["base-dir", "resolve", "--json"], { cwd: join(cwd, "deep/er") });
    expect(JSON.parse(there.stdout)).toMatchObject({
      source: "anchor",
      base: windowsPath(join(cwd, "deep/er")),
    });
  });

  test("no device, stream or other name becomes a directory", async () => {
    const cwd = repository();
    for (const name of ["con", "NUL.txt", "COM1/z", "x.", "a:b"]) {
      const run = await windows.jig(["base-dir", "resolve", name], { cwd });
      expect(run).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("Windows takes") });
    }
    const base = `${windowsPath(cwd)}\\aux`;
    const run = await windows.jig(["base-dir", "record", "--base", base, "--source", "askuserquestion"], {
      cwd,
    });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("Windows takes 'aux'") });
    expect(readdirSync(cwd)).toEqual([".git"]);
  });

  function repository(): string {
    const path = windows.fresh("repo");
    mkdirSync(join(path, ".git"));
    return path;
  }
});
