import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import group from "../../src/base-dir/command.ts";
import { testHost } from "../support/host.ts";
import { runRoom } from "../support/room.ts";
import { tempDir } from "../support/temp.ts";

test.each(["con", "NUL.txt", "COM1/z", "a/aux/b", "x.", "x ", "a:b"])(
  "%j makes no directory where Windows takes it for another",
  async (name) => {
    const cwd = tempDir();
    mkdirSync(join(cwd, ".git"));
    const host = testHost({ cwd, home: "/nowhere", platform: "win32" });
    const resolved = await runRoom(group, ["resolve", name], host);
    expect([resolved.code, resolved.stdout]).toEqual([1, ""]);
    expect(resolved.stderr).toMatch(/^Error: task_name '.*': Windows takes '.*' for a device/);
    const recorded = await runRoom(
      group,
      ["record", "--base", `${cwd}/${name}`, "--source", "cwd-inference"],
      host,
    );
    expect([recorded.code, recorded.stdout]).toEqual([1, ""]);
    expect(recorded.stderr).toMatch(/^Error: base '.*': Windows takes /);
    expect(readdirSync(cwd)).toEqual([".git"]);
  },
);
