import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Args } from "../../kernel/call/command.ts";
import { everyVariable } from "../../kernel/call/environment.ts";
import { errorCode, JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { createExclusive, type Flush } from "../../kernel/files/atomic.ts";
import { FileError } from "../../kernel/files/file-io.ts";
import { ensurePrivateDirectory } from "../../kernel/files/private-dir.ts";
import { refuseFleeting } from "../../kernel/shared/refuse-fleeting.ts";
import { printable } from "../../kernel/text/printable.ts";
import { asciiJson, pythonJson } from "../../kernel/text/python-json.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { compactSeconds, isoSeconds } from "../../kernel/text/time.ts";
import { openFilesOf } from "../../runtime/open-files.ts";
import { FILE_MODE, HAND_OVER, JSON_CAP, LOG, META } from "../record/directory.ts";
import { resultSighting } from "../record/files.ts";
import { jobIdOf } from "../record/roots.ts";
import type { JobHandOver, JobMeta, JobStarted } from "../schema.ts";
import { LIMIT_FLAGS, type LimitFlag, limitProblem, supervisionFrom } from "../settings.ts";
import { usageError } from "../usage.ts";
import { detachSupervisor } from "./detach.ts";
import { placeForNewJob } from "./place.ts";
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
  "idle-secs": number | undefined;
  "hard-secs": number | undefined;
  "log-max-bytes": number | undefined;
  "result-max-bytes": number | undefined;
}

const CLAIM_ATTEMPTS = 16;

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
  if (!flags.anyway) await refuseFleeting("job");

  const place = await placeForNewJob(host, skill, runId);
  const jobs = await ensurePrivateDirectory(place.base, place.components, {
    uid: host.uid,
    platform: host.platform,
    managed: place.managed,
  });
  if (!flags["no-sweep"]) await sweepSiblings(host, dirname(jobs));
  const directory = claimDirectory(host, jobs);
  const id = jobIdOf(directory);

  const resultPath = flags["result-path"] ? resolve(cwd, flags["result-path"]) : null;
  const resultBefore = resultSighting(resultPath);
  const checked = await preflight({ cwd, platform: host.platform, env }, argv);
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
    supervision: supervisionFrom(env, skill),
    ...(checked.windowsPosixShell === undefined ? {} : { windows_posix_shell: checked.windowsPosixShell }),
    ...(resultBefore === null ? {} : { result_before: resultBefore }),
  };
  writeMeta(directory, meta);
  if (checked.problem !== undefined) {
    const worker = printable(argv[0]!);
    throw new JigError(
      `preflight failed for job ${id}: worker '${worker}' ${checked.problem}; ` +
        `nothing was detached (job left never-started at ${directory})`,
    );
  }
  createLog(directory);
  const handOver: JobHandOver = {
    argv: checked.launch ?? checked.argv,
    result_path: resultPath,
    result_before: resultBefore,
    open_files: openFilesOf(host.parentPid) ?? null,
    conf: meta.supervision,
  };
  createNew(join(directory, HAND_OVER), asciiJson(handOver), "nothing");
  await detach({ env, platform: host.platform }, directory);
  const data: JobStarted = { job_id: id, job_dir: directory };
  return { data, text: id, json: pythonJson(data), undelivered: `job ${id} was started in ${directory}` };
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

/** A directory no other job has or will have. */
function claimDirectory(host: Host, jobs: string): string {
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    const directory = join(jobs, `${compactSeconds(host.now())}-${randomHex(4)}`);
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) === "EEXIST") continue;
      throw new FileError("cannot create", directory, error);
    }
    // The umask may have taken our own bits away.
    chmodSync(directory, 0o700);
    return directory;
  }
  throw new JigError(`could not claim a unique job dir after ${CLAIM_ATTEMPTS} attempts`);
}

function writeMeta(directory: string, meta: JobMeta): void {
  const text = `${asciiJson(meta, 2)}\n`;
  if (text.length > JSON_CAP) {
    // Nobody could ever read it back.
    rmSync(directory, { recursive: true, force: true });
    throw new JigError(
      `preflight failed for job ${meta.job_id}: job metadata exceeds ${JSON_CAP} bytes; pass long input as a file`,
    );
  }
  try {
    createNew(join(directory, META), text, "content");
  } catch (error) {
    // Those who read `jobs` from outside expect metadata in every directory.
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

function createLog(directory: string): void {
  try {
    createNew(join(directory, LOG), "", "nothing");
  } catch (error) {
    const id = jobIdOf(directory);
    throw new JigError(
      `preflight failed for job ${id}: job dir not writable (${osReason(error)}); nothing was detached`,
    );
  }
}

/** The names become durable when the supervisor flushes the directory with its `pid`; a job cut off before is none. */
function createNew(path: string, content: string, flush: Flush): void {
  if (!createExclusive(path, content, FILE_MODE, flush))
    throw new FileError("cannot create", path, { code: "EEXIST" });
}

async function detach(host: Pick<Host, "env" | "platform">, directory: string): Promise<void> {
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
