import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { killTree, markTest } from "../../kernel/process/index.ts";
import { classifyLoss } from "../record/classify.ts";
import { fileIn, LOG } from "../record/directory.ts";
import { metaIfReadable, type PidFacts, resultEvidence } from "../record/files.ts";
import { occupant } from "../record/liveness.ts";
import { publishFailure, publishRecord } from "../record/publish.ts";
import { jobIdOf } from "../record/roots.ts";
import { hasRecord } from "../record/state.ts";
import { DEFAULT_RESULT_MAX_BYTES, graceOf, resultCapOf } from "../settings.ts";

/** Longest grace a caller gives when it does the supervisor's work, in seconds: no call may last. */
export const CALLER_GRACE_SECONDS = 1;

/**
 * Kill what is left of a worker whose supervisor is gone. True when the worker itself was running when this began: a
 * zombie or another process with its pid does not count, and the latter is never signalled (docs/spec/jobs.md 8.2).
 */
export async function killLeftWorker(
  host: Pick<Host, "env">,
  directory: string,
  pid: PidFacts | undefined,
): Promise<boolean> {
  if (pid?.workerPid === undefined) return false;
  const leader = await occupant(pid.workerPid, pid.workerIdentity, pid.writtenAt);
  if (leader === "another") return false;
  if (pid.jobName !== undefined && process.platform === "win32") {
    const { terminateJobObject } = await import("../windows/job-object.ts");
    await terminateJobObject(pid.jobName);
  }
  const graceMs = Math.min(graceOf(host.env), CALLER_GRACE_SECONDS) * 1000;
  // Also the upstream tool's workers carry this variable.
  const mark = { variable: `CE_PEER_JOB_ID=${jobIdOf(directory)}`, output: fileIn(directory, LOG) };
  const isMember = await markTest(mark);
  await killTree({ pid: pid.workerPid, identity: pid.workerIdentity, graceMs, isMember });
  return leader === "ours";
}

/** Publish the record of a job nobody supervises any more, unless one appeared meanwhile (docs/spec/jobs.md 8.2). */
export async function settleLost(host: Host, directory: string, leaderWasRunning: boolean): Promise<void> {
  if (hasRecord(directory)) return;
  const meta = metaIfReadable(host, directory);
  const record = classifyLoss({
    evidence: resultEvidence(meta?.resultPath ?? null, meta?.resultBefore ?? null),
    resultMax: resultCapOf(host.env) ?? meta?.supervision.result_max ?? DEFAULT_RESULT_MAX_BYTES,
    leaderWasRunning,
  });
  try {
    await publishRecord(host, directory, record);
  } catch (error) {
    throw new JigError(publishFailure(error), { cause: error });
  }
}
