import type { Host } from "../../kernel/call/host.ts";
import { finding, ok } from "../check.ts";
import { decodeJson } from "../nested.ts";
import type { Check } from "../schema.ts";

interface ListedJob {
  job_id: string;
  job_dir: string;
  skill: string;
  supervisor: "alive" | "gone" | "unknown" | null;
}

/** Jobs that will read `running` forever because their supervisor is gone. */
export async function examineJobs(host: Host): Promise<Check[]> {
  const result = await host.run(["job", "list", "--state", "running", "--json"]);
  if (result.exitCode !== 0) {
    return [finding("jobs", `jig job list fails: ${result.stderr.trim()}`, "jig job list")];
  }
  const jobs = decodeJson<ListedJob[]>(result.stdout);
  const stale = jobs.filter((job) => job.supervisor === "gone");
  if (stale.length === 0) return [ok("jobs", `${jobs.length} running, none abandoned`)];
  return stale.map((job) =>
    finding(
      "jobs",
      `job ${job.job_id} of ${job.skill} has no supervisor any more and stays running until it is reaped`,
      `jig job reap ${job.job_id} (its directory: ${job.job_dir})`,
    ),
  );
}
