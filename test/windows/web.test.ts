import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

withWindows("jig web on Windows", () => {
  let windows: Machine;
  let directory: string;
  beforeAll(async () => {
    windows = await machine();
    directory = windows.fresh("web");
    mkdirSync(join(directory, "screens"));
    writeFileSync(join(directory, "screens/a.html"), "<h1>first</h1>");
  });
  const web = async (verb: string, ...words: string[]) => {
    const run = await windows.jig(["web", verb, "--root", windowsPath(directory), ...words]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    return run.stdout;
  };

  test("a server outlives its start, shows the screens, is found again and stops", async () => {
    const started = JSON.parse(await web("start", "--annotate", "--owner-pid", "none"));
    expect(started).toMatchObject({ status: "started", root: windowsPath(directory) });
    const get = (path: string) => fetch(`http://127.0.0.1:${started.port}${path}`);
    expect(await (await get("/")).text()).toContain("<h1>first</h1>");
    // A stream, a device and another name of the same file are none of its files (web.md 6.3).
    writeFileSync(join(directory, "screens/b.txt"), "plain");
    expect((await get("/b.txt")).status).toBe(200);
    for (const trap of ["/b.txt::$DATA", "/NUL", "/b.txt.", "/con.html"])
      expect((await get(trap)).status).toBe(404);
    expect(JSON.parse(await web("status"))).toMatchObject({ status: "running", pid: started.pid });
    expect(JSON.parse(await web("start", "--annotate"))).toMatchObject({
      status: "running",
      pid: started.pid,
    });
    expect(readdirSync(join(directory, "state"))).toContain("control");
    expect(JSON.parse(await web("stop"))).toMatchObject({ status: "stopped" });
    expect(JSON.parse(await web("status"))).toMatchObject({ status: "stopped" });
    expect(readFileSync(join(directory, "state/server.log"), "utf8")).not.toContain("Error");
    await expect(get("/")).rejects.toThrow();
  });
});
