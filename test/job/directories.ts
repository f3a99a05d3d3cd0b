/** Job directories as a killed program leaves them, made without running one. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reapJobs } from "../../src/job/end/reap.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";
import { makeDirectory, ofThisBoot } from "./support.ts";

/** A job directory as `start` leaves it for the supervisor. */
export function started(argv: string[], resultPath: string | null): string {
  const directory = makeDirectory(join(tempDir("jig-fault-"), "job"));
  const conf = { idle: 60, hard: 60, log_max: 1_000_000, result_max: 1_000_000, poll: 0.2, grace: 1 };
  const file = (path: string, content: string) =>
    writeFileSync(join(directory, path), content, { mode: 0o600 });
  file("meta.json", JSON.stringify({ job_id: "job", result_path: resultPath, supervision: conf }));
  file("out.log", "");
  file(".spawn.json", JSON.stringify({ argv, result_path: resultPath, conf }));
  return directory;
}

/** A job whose supervisor and worker are gone without a record. */
export function lost(): string {
  const directory = started(["/bin/true"], null);
  rmSync(join(directory, ".spawn.json"));
  const dead = {
    supervisor_pid: 99_999_998,
    worker_pid: 99_999_999,
    supervisor_identity: ofThisBoot("1"),
    worker_identity: ofThisBoot("2"),
  };
  writeFileSync(join(directory, "pid"), JSON.stringify(dead), { mode: 0o600 });
  return directory;
}

/** A later reap by another process than the one that was killed; here ours, which saves starting one each time. */
export const reapHere = (directory: string) =>
  reapJobs(testHost({ prefix: "jig job: " }), { positionals: [directory], flags: { skill: undefined } });
