import { dirname, join, resolve } from "node:path";
import type { Args } from "../../kernel/call/command.ts";
import { everyVariable } from "../../kernel/call/environment.ts";
import { JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { ensurePrivateDirectory } from "../../kernel/files/private-dir.ts";
import { refuseFleeting } from "../../kernel/shared/refuse-fleeting.ts";
import { printable } from "../../kernel/text/printable.ts";
import { asciiJson, pythonJson } from "../../kernel/text/python-json.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import { openFilesOf } from "../../runtime/open-files.ts";
import type { Placed } from "../engine/engine.ts";
import { HAND_OVER } from "../record/directory.ts";
import { resultSighting } from "../record/files.ts";
import { jobIdOf } from "../record/roots.ts";
import type { JobHandOver, JobMeta, JobStarted } from "../schema.ts";
import { LIMIT_FLAGS, type LimitFlag, limitProblem, supervisionFrom } from "../settings.ts";
import { usageError } from "../usage.ts";
import type { Preflight } from "../windows/preflight.ts";
import { claimDirectory, createLog, createNew, isJobId, writeMeta, writePreflightReason } from "./claim.ts";
import { detachSupervisor } from "./detach.ts";
import { placeForEngineJob, placeForNewJob } from "./place.ts";
import { preflight } from "./preflight.ts";
import { sweepSiblings } from "./sweep.ts";
import { requireToken } from "./token.ts";

export interface StartFlags {
  skill: string | undefined;
  "run-id": string | undefined;
  label: string | undefined;
  "input-digest": string | undefined;
  "result-path": string | undefined;
  "no-sweep": boolean;
  anyway: boolean;
  on: string | undefined;
  "engine-arg": readonly string[];
  "remote-cwd": string | undefined;
  "remote-jig": string | undefined;
  "job-id": string | undefined;
  "idle-secs": number | undefined;
  "hard-secs": number | undefined;
  "log-max-bytes": number | undefined;
  "result-max-bytes": number | undefined;
}

/**
 * Start a worker as a detached job (docs/spec/jobs.md 2.2): claim a directory, check the worker, hand it to a supervisor of
 * its own. Returns within 2 s with the job id. Throws `JigError`; a job whose preflight failed stays `never-started`.
 */
export async function startJob(
  host: Host,
  args: Pick<Args, "positionals" | "rest"> & { flags: StartFlags },
): Promise<Outcome<JobStarted>> {
  const { flags } = args;
  // Nothing is done for a worker whose directory or environment would reach it changed.
  const { cwd } = host;
  const { skill, runId } = nameOf(host, flags);
  const env = withLimits(host, flags, skill);
  requireToken("--skill", skill);
  requireToken("--run-id", runId);
  if (flags.label !== undefined) requireToken("--label", flags.label);
  const argv = args.rest ?? [];
  if (argv.length === 0) throw new JigError("no worker argv; place it after `--`");
  const engine = await engineFor(host, flags);
  const asked = flags["job-id"];
  if (asked !== undefined && (engine !== undefined || !isJobId(asked))) {
    throw usageError(
      host,
      "start",
      `--job-id is what one jig tells another: no job id, or with --on: '${asked}'`,
    );
  }
  if (!flags.anyway && engine === undefined) await refuseFleeting("job");

  const isShared = engine !== undefined || asked !== undefined;
  const place = isShared ? placeForEngineJob(host, skill, runId) : await placeForNewJob(host, skill, runId);
  const jobs = await ensurePrivateDirectory(place.base, place.components, {
    uid: host.uid,
    platform: host.platform,
    managed: place.managed,
  });
  if (!flags["no-sweep"]) await sweepSiblings(host, dirname(jobs));
  const directory = claimDirectory(host, jobs, asked);
  const id = jobIdOf(directory);

  const given = flags["result-path"] || undefined;
  const wanted = given === undefined ? null : { given, absolute: resolve(cwd, given) };
  const resultPath = engine?.resultPathOf({ directory, resultPath: wanted }) ?? wanted?.absolute ?? null;
  const resultBefore = resultSighting(resultPath);
  // What an engine runs is looked for where it runs.
  const checked: Preflight =
    engine === undefined ? await preflight({ cwd, platform: host.platform, env }, argv) : { argv: [...argv] };
  const meta: JobMeta = {
    job_id: id,
    skill,
    run_id: runId,
    label: flags.label ?? null,
    input_digest: flags["input-digest"] ?? null,
    started_at: isoSeconds(host.now()),
    worker_argv: checked.argv,
    result_path: resultPath,
    sweep_enabled: !flags["no-sweep"],
    supervision: supervisionFrom(env, skill, engine !== undefined),
    ...(checked.windowsPosixShell === undefined ? {} : { windows_posix_shell: checked.windowsPosixShell }),
    ...(resultBefore === null ? {} : { result_before: resultBefore }),
    ...(engine === undefined ? {} : { engine: engine.meta }),
  };
  writeMeta(directory, meta);
  if (checked.problem !== undefined) {
    const problem = `worker '${printable(argv[0]!)}' ${checked.problem}`;
    await writePreflightReason(directory, `preflight failed: ${problem}`);
    throw new JigError(
      `preflight failed for job ${id}: ${problem}; ` +
        `nothing was detached (job left never-started at ${directory})`,
    );
  }
  const handOver: JobHandOver = {
    argv: checked.launch ?? checked.argv,
    result_path: resultPath,
    result_before: resultBefore,
    open_files: openFilesOf(host.parentPid) ?? null,
    conf: meta.supervision,
  };
  if (engine !== undefined) {
    const submission = { id, directory, meta, resultPath: wanted, cwd, env, handOver };
    const { id: engineId, note } = await engine.submit(host, submission);
    return startedOutcome(
      { job_id: id, job_dir: directory, engine: engine.meta.kind, engine_id: engineId },
      note === undefined ? [] : [host.prefix + note],
    );
  }
  createLog(directory);
  createNew(join(directory, HAND_OVER), asciiJson(handOver), "nothing");
  await detach({ env }, directory);
  // Upstream's callers compare what is printed.
  const aside = host.invokedAs === undefined ? place.aside : undefined;
  return startedOutcome(
    { job_id: id, job_dir: directory },
    aside === undefined
      ? []
      : [`note: ${aside}; a caller with another TMPDIR names the job by its directory, ${directory}`],
  );
}

function startedOutcome(data: JobStarted, notes: readonly string[]): Outcome<JobStarted> {
  const { job_id: id, job_dir: directory } = data;
  return {
    data,
    text: id,
    json: pythonJson(data),
    notes,
    undelivered: `job ${id} was started in ${directory}`,
  };
}

/** The engine the call names; undefined for this machine itself, which loads nothing of any. */
async function engineFor(host: Host, flags: StartFlags): Promise<Placed | undefined> {
  const { on } = flags;
  if (on !== undefined && on !== "local") {
    return (await import("../engine/choose.ts")).chooseEngine(host, on, flags);
  }
  const idle = ["engine-arg", "remote-cwd", "remote-jig"] as const;
  const flag = idle.find((name) => flags[name] !== undefined && flags[name].length > 0);
  if (flag !== undefined)
    throw usageError(host, "start", `--${flag} says nothing without --on and an engine`);
  return undefined;
}

/** What a job of a person's own belongs to; a skill's callers, who know upstream's name, say it always. */
const BY_HAND = "adhoc";

/** Skill and run of the new job (docs/spec/jobs.md 2.2). Throws `UsageError` where one is missing that may not be. */
function nameOf(host: Host, flags: StartFlags): { skill: string; runId: string } {
  if (host.invokedAs !== undefined) {
    const missing =
      flags.skill === undefined ? "--skill S" : flags["run-id"] === undefined ? "--run-id R" : undefined;
    if (missing !== undefined) throw usageError(host, "start", `missing ${missing}`);
  }
  return { skill: flags.skill ?? BY_HAND, runId: flags["run-id"] ?? isoSeconds(host.now()).slice(0, 10) };
}

/** The environment of the call, with each limit flag as the variable it stands for. Throws `UsageError`, nothing done. */
function withLimits(host: Host, flags: StartFlags, skill: string): Host["env"] {
  const env = everyVariable(host.env);
  for (const flag of Object.keys(LIMIT_FLAGS) as LimitFlag[]) {
    const value = flags[flag];
    if (value === undefined) continue;
    const problem = limitProblem(flag, value, skill);
    if (problem !== undefined) throw usageError(host, "start", problem);
    env[LIMIT_FLAGS[flag]] = String(value);
  }
  return env;
}

async function detach(host: Pick<Host, "env">, directory: string): Promise<void> {
  const id = jobIdOf(directory);
  let acknowledged: boolean;
  try {
    acknowledged = await detachSupervisor(host, directory);
  } catch (error) {
    throw new JigError(`detach failed for job ${id}: ${osReason(error)}; inspect ${directory}`, {
      cause: error,
    });
  }
  if (acknowledged) return;
  throw new JigError(`detach failed for job ${id}: supervisor did not acknowledge; inspect ${directory}`);
}
