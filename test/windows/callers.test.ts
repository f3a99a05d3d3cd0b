import { beforeAll, expect, test } from "vitest";
import { until } from "../support/run.ts";
import { type WindowsJobs, windowsJobs } from "./support/jobs.ts";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

withWindows("a caller's job object, which ends with the call", () => {
  let windows: Machine;
  let jobs: WindowsJobs;
  beforeAll(async () => {
    windows = await machine();
    jobs = windowsJobs(windows);
  });

  /** Run jig as an agent's tool does: `caged` lets who asks for it leave, `fenced` nobody. */
  const within = (object: "caged" | "fenced", words: readonly string[]) =>
    windows.run([windows.worker, object, "::", windows.jigPath, ...words], {
      env: { CE_PEER_JOBS_ROOT: windowsPath(jobs.root), CE_PEER_POLL_SECS: "0.2" },
    });

  test("is left by a job and by a server", async () => {
    const root = windows.fresh("web");
    const words = ["--root", windowsPath(root)];
    const [job, server] = await Promise.all([
      within("caged", [
        "job",
        "start",
        "--skill",
        "s",
        "--run-id",
        "r",
        "--",
        windows.worker,
        "sleep",
        "120",
      ]),
      within("caged", ["web", "start", ...words, "--owner-pid", "none"]),
    ]);
    expect(server).toMatchObject({ code: 0, stderr: "" });
    const started = JSON.parse(server.stdout);
    expect(started).toMatchObject({ status: "started" });
    const running = JSON.parse((await windows.jig(["web", "status", ...words])).stdout);
    expect(running).toEqual({ ...started, status: "running" });
    expect((await fetch(`http://127.0.0.1:${started.port}/`)).status).toBeLessThan(500);
    const id = job.stdout.trim();
    expect(await jobs.lives(jobs.pid(id).worker_pid)).toEqual(["alive"]);
    expect((await jobs.jig(["status", id])).stdout).toBe("running\n");
    expect(JSON.parse((await windows.jig(["web", "stop", ...words])).stdout)).toMatchObject({
      status: "stopped",
    });
    await jobs.jig(["reap", id]);
  });

  test("that lets nobody leave does not keep a job from starting", async () => {
    const started = ["job", "start", "--skill", "s", "--run-id", "r", "--", windows.worker, "sleep", "120"];
    const { code, stdout } = await within("fenced", started);
    expect(code).toBe(0);
    const id = stdout.trim();
    // It ended with its caller's object, and so did its supervisor.
    const { worker_pid: worker } = jobs.pid(id);
    await until("its end", async () => (await jobs.lives(worker))[0] === "gone");
    await jobs.jig(["reap", id]);
    expect((await jobs.jig(["status", id])).stdout).toBe("died-without-result\n");
  });
});
