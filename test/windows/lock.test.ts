import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { until } from "../support/run.ts";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

withWindows("a kernel lock on Windows", () => {
  let windows: Machine;
  beforeAll(async () => {
    windows = await machine();
  });

  test("two starts at once make one server; a lock that is held is not stolen, and is had when its holder dies", async () => {
    const root = windows.fresh("web");
    const lock = windowsPath(join(root, "state/server.lock"));
    const words = ["--root", windowsPath(root), "--owner-pid", "none"];
    mkdirSync(join(root, "state"));
    const holder = windows.start([windows.worker, "hold", lock, "120"]);
    await until("the lock", () => holder.said().stdout === "locked\n");
    expect(await windows.jig(["web", "start", ...words])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("another start is in progress"),
    });
    holder.process.kill("SIGKILL");

    const starts = await Promise.all([1, 2].map(() => windows.jig(["web", "start", ...words])));
    const said = starts.map(({ stdout }) => JSON.parse(stdout));
    expect(said.map(({ status }) => status).sort()).toEqual(["running", "started"]);
    expect(said[0].pid).toBe(said[1].pid);
    expect((await windows.run([windows.worker, "probe", lock])).stdout).toBe("locked\n");
    await windows.jig(["web", "stop", "--root", windowsPath(root)]);
  });
});
