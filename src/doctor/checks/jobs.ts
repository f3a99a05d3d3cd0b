import { readableVariables } from "../../kernel/call/environment.ts";
import type { Host } from "../../kernel/call/host.ts";
import { CaptureError, type CaptureOptions, capture } from "../../kernel/process/capture.ts";
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
  if (host.platform === "win32") return checks; // no engine but local
  const tools = ["sbatch", "ssh"].filter((name) => findExecutable(name, host.env) !== undefined);
  if (tools.length > 0) checks.push(ok("engines", `found on PATH: ${tools.join(", ")}`));
  if (tools.includes("sbatch")) checks.push(...(await examineProctrack(host)));
  const open = Map.groupBy(
    jobs.filter(({ engine }) => engine !== undefined),
    ({ engine, node }) => (engine === "ssh" ? `ssh:${node}` : engine!),
  );
  for (const [name, group] of open) {
    const count = `${group.length} open ${group.length === 1 ? "job" : "jobs"}`;
    if (group.some(({ phase }) => phase !== "unknown")) {
      checks.push(ok("engines", `${printable(name)} answers (${count})`));
      continue;
    }
    const mend = "bring it back, or jig job reap --abandon for jobs that are gone for good";
    checks.push(finding("engines", `${printable(name)}${whyUnknown(group, said)} (${count})`, mend));
  }
  return checks;
}

/** What `job list` says of an engine or host whose jobs are all unknown, else of one of its jobs. */
function whyUnknown(group: readonly ListedJob[], said: string): string {
  const [{ engine, node }] = group as [ListedJob];
  const lineOf = (who: string) => {
    const line = said.split("\n").find((one) => one.includes(`: ${who}: `));
    return line === undefined
      ? undefined
      : printable(line.slice(line.indexOf(`: ${who}: `) + 2 + who.length));
  };
  const silence = lineOf(printable(engine === "ssh" ? (node ?? engine) : engine!));
  if (silence !== undefined) return ` does not answer${silence}`;
  const [job] = group.flatMap(({ job_id: id }) => lineOf(`job ${id}`) ?? []);
  return job === undefined ? " tells nothing" : ` tells nothing${job}`;
}

const ASK_MS = 10_000;

/** Whether the end of a batch job ends all it started; a controller that does not answer is no finding without a job there. */
async function examineProctrack(host: Host): Promise<Check[]> {
  const options = { env: readableVariables(host.env), cwd: "/", timeoutMs: ASK_MS, maxBytes: 1 << 20 };
  const scontrol = findExecutable("scontrol", host.env) ?? "scontrol";
  const { exitCode, stdout, stderr } = await answerOf([scontrol, "show", "config"], options);
  if (exitCode !== 0) {
    const why = stderr.split("\n").findLast((line) => line.trim() !== "") ?? "no answer";
    return [note("engines", `slurm does not answer, so nothing can be started on it now: ${printable(why)}`)];
  }
  const type = /^ProctrackType\s*=\s*(\S+)/m.exec(new TextDecoder().decode(stdout))?.[1];
  if (type === undefined) return [note("engines", "slurm does not say how it tracks a job's processes")];
  if (type === "proctrack/cgroup")
    return [ok("engines", "slurm ends a job with all it started (proctrack/cgroup)")];
  return [
    note("engines", `slurm has ${printable(type)}: what leaves a batch job's process tree may outlive it`),
  ];
}

async function answerOf(argv: readonly string[], options: CaptureOptions) {
  try {
    return await capture(argv, options);
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    const stderr = error.failure === "timeout" ? `no answer within ${ASK_MS / 1000} s` : error.message;
    return { exitCode: undefined, stdout: new Uint8Array(), stderr };
  }
}
