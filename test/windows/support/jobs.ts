import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { JobPid } from "../../../src/job/schema.ts";
import { until } from "../../support/run.ts";
import { type Machine, type RunOptions, type RunOutput, windowsPath } from "./machine.ts";

export interface WindowsJobs {
  /** Of the jobs root, a path of this system. */
  root: string;
  jig(args: readonly string[], options?: RunOptions): Promise<RunOutput>;
  /** Start the worker of ../native in one of its modes; the job's id. */
  start(mode: readonly string[], flags?: readonly string[]): Promise<string>;
  /** A file of a job's, with the line ends of this system. */
  file(id: string, name: string): string;
  pid(id: string): JobPid;
  /** What the worker has said, once it matches. */
  said(id: string, pattern: RegExp): Promise<RegExpExecArray>;
  /** Wait until the job has settled; the state and the reason. */
  settled(id: string): Promise<{ state: string; reason: string }>;
  /** `alive` or `gone` for each pid of a worker or its children. */
  lives(...pids: (number | string)[]): Promise<string[]>;
}

/** Jobs in a root of their own, watched closely. */
export function windowsJobs(windows: Machine): WindowsJobs {
  const root = windows.fresh("jobs");
  const env = {
    CE_PEER_JOBS_ROOT: windowsPath(root),
    CE_PEER_POLL_SECS: "0.2",
    CE_PEER_GRACE_SECS: "1",
  };
  const jig: WindowsJobs["jig"] = (args, options = {}) =>
    windows.jig(["job", ...args], { ...options, env: { ...env, ...options.env } });
  const path = (id: string, name: string) => join(root, "s/r/jobs", id, name);
  const file: WindowsJobs["file"] = (id, name) =>
    readFileSync(path(id, name), "utf8").replaceAll("\r\n", "\n");
  return {
    root,
    jig,
    file,
    pid: (id) => JSON.parse(file(id, "pid")) as JobPid,
    async start(mode, flags = []) {
      const words = ["start", "--skill", "s", "--run-id", "r", ...flags, "--", windows.worker, ...mode];
      const ran = await jig(words);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      return ran.stdout.trim();
    },
    said: (id, pattern) =>
      until(
        `${pattern} in the log of ${id}`,
        () => existsSync(path(id, "out.log")) && pattern.exec(file(id, "out.log")),
      ),
    async settled(id) {
      const state = (await jig(["wait", "--max-secs", "40", id])).stdout.trim();
      return { state, reason: existsSync(path(id, "reason")) ? file(id, "reason").trim() : "" };
    },
    async lives(...pids) {
      const { stdout } = await windows.run([windows.worker, "alive", ...pids.map(String)]);
      return stdout.trim().split("\n");
    },
  };
}
