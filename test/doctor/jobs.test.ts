import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examineJobs } from "../../src/doctor/checks/jobs.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";

interface Machine {
  /** Programs on `PATH`, and what each does. */
  programs?: Record<string, string>;
  jobs?: readonly object[];
  /** What `job list` says on stderr. */
  said?: string;
}

/** Lines about engines on such a machine. */
async function enginesOf({ programs = {}, jobs = [], said = "" }: Machine): Promise<string[]> {
  const bin = join(tempDir(), "bin");
  mkdirSync(bin);
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const listed = jobs.map((job) => ({ job_dir: "/d", skill: "s", supervisor: "unknown", ...job }));
  const stdout = new TextEncoder().encode(JSON.stringify(listed));
  const host = testHost({ env: { PATH: bin }, run: async () => ({ exitCode: 0, stdout, stderr: said }) });
  const checks = await examineJobs(host);
  return checks.flatMap(({ check, level, message }) => (check === "engines" ? [`${level}: ${message}`] : []));
}

test("a machine without engines has no line about them", async () => {
  expect(await enginesOf({})).toEqual([]);
  expect(await enginesOf({ programs: { ssh: "" } })).toEqual(["ok: found on PATH: ssh"]);
});

test.each([
  ["echo 'ProctrackType           = proctrack/cgroup'", /^ok: slurm ends a job with all it started/],
  ["echo 'ProctrackType           = proctrack/linuxproc'", /^note: slurm has proctrack\/linuxproc/],
  ["echo 'ClusterName = x'", /^note: slurm does not say/],
  [
    "echo 'Unable to contact slurm controller (connect failure)' >&2; exit 1",
    /^note: slurm does not answer, so nothing can be started on it now: Unable to contact slurm controller/,
  ],
  ["exit 1", /^note: slurm does not answer, so nothing can be started on it now: no answer$/],
])("of a cluster that says %s", async (scontrol, line) => {
  const lines = await enginesOf({ programs: { sbatch: "", scontrol } });
  expect(lines).toEqual(["ok: found on PATH: sbatch", expect.stringMatching(line)]);
});

test("each engine and host that is silent is named with its own words", async () => {
  const lines = await enginesOf({
    jobs: [
      { job_id: "a", engine: "slurm", phase: "unknown", node: null },
      { job_id: "b", engine: "ssh", phase: "unknown", node: "box" },
      { job_id: "c", engine: "ssh", phase: "unknown", node: "box" },
      { job_id: "d", engine: "ssh", phase: "running", node: "other" },
      { job_id: "e", engine: "unknown", phase: "unknown", node: null },
    ],
    said: [
      "jig job: box: ssh: connect to host box port 22: Connection refused",
      "jig job: slurm: no answer within 10 s",
      "jig job: job e: its engine.json cannot be read",
    ].join("\n"),
  });
  expect(lines).toEqual([
    "finding: slurm does not answer: no answer within 10 s (1 open job)",
    "finding: ssh:box does not answer: ssh: connect to host box port 22: Connection refused (2 open jobs)",
    "ok: ssh:other answers (1 open job)",
    "finding: unknown tells nothing: its engine.json cannot be read (1 open job)",
  ]);
});
