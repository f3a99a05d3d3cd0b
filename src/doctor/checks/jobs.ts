import { readableVariables } from "../../kernel/call/environment.ts";
import type { Host } from "../../kernel/call/host.ts";
import { outputOf } from "../../kernel/process/capture.ts";
import { findExecutable } from "../../kernel/process/executable.ts";
import { printable } from "../../kernel/text/printable.ts";
import { finding, note, ok } from "../check.ts";
import { decodeJson } from "../nested.ts";
import type { Check } from "../schema.ts";

interface ListedJob {
  job_id: string;
  job_dir: string;
  skill: string;
  supervisor: "alive" | "gone" | "unknown" | null;
  engine?: string;
  phase?: string | null;
  node?: string | null;
}

/** Jobs that will read `running` forever because their supervisor is gone. */
export async function examineJobs(host: Host): Promise<Check[]> {
  const result = await host.run(["job", "list", "--state", "running", "--json"]);
  if (result.exitCode !== 0) {
    return [finding("jobs", `jig job list fails: ${result.stderr.trim()}`, "jig job list")];
  }
  const jobs = decodeJson<ListedJob[]>(result.stdout);
  const engines = await examineEngines(host, jobs, result.stderr);
  const stale = jobs.filter((job) => job.supervisor === "gone");
  if (stale.length === 0) return [ok("jobs", `${jobs.length} running, none abandoned`), ...engines];
  const gone = stale.map((job) =>
    finding(
      "jobs",
      `job ${job.job_id} of ${job.skill} has no supervisor any more and stays running until it is reaped`,
      `jig job reap ${job.job_id} (its directory: ${job.job_dir})`,
    ),
  );
  return [...gone, ...engines];
}

/** What other machines' jobs go through (docs/spec/engines.md section 5): its programs, and who answers. */
async function examineEngines(host: Host, jobs: readonly ListedJob[], said: string): Promise<Check[]> {
  const checks: Check[] = [];
  const tools = ["sbatch", "ssh"].filter((name) => findExecutable(name, host.env) !== undefined);
  if (tools.length > 0) checks.push(ok("engines", `found on PATH: ${tools.join(", ")}`));
  if (tools.includes("sbatch")) checks.push(...(await examineProctrack(host)));
  const open = Map.groupBy(
    jobs.filter(({ engine }) => engine !== undefined),
    ({ engine, node }) => (engine === "ssh" ? `ssh:${node}` : engine!),
  );
  for (const [name, group] of open) {
    const answers = group.some(({ phase }) => phase !== "unknown");
    const count = `${group.length} open ${group.length === 1 ? "job" : "jobs"}`;
    if (answers) checks.push(ok("engines", `${name} answers (${count})`));
    else {
      const why = said.split("\n").find((line) => line !== "") ?? "no answer";
      const mend = "bring it back, or jig job reap --abandon for jobs that are gone for good";
      checks.push(
        finding("engines", `${printable(name)} does not answer (${count}): ${printable(why)}`, mend),
      );
    }
  }
  return checks;
}

const ASK_MS = 10_000;

/** Whether the end of a batch job ends all it started; a controller that does not answer is no finding here. */
async function examineProctrack(host: Host): Promise<Check[]> {
  const options = { env: readableVariables(host.env), cwd: "/", timeoutMs: ASK_MS, maxBytes: 1 << 20 };
  const config = await outputOf(["scontrol", "show", "config"], options);
  const type = config === undefined ? undefined : /^ProctrackType\s*=\s*(\S+)/m.exec(config)?.[1];
  if (type === undefined) return [note("engines", "slurm does not say how it tracks a job's processes")];
  if (type === "proctrack/cgroup")
    return [ok("engines", "slurm ends a job with all it started (proctrack/cgroup)")];
  return [
    note("engines", `slurm has ${printable(type)}: what leaves a batch job's process tree may outlive it`),
  ];
}
