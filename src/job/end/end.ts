import { join } from "node:path";
import { JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { FileError } from "../../kernel/files/file-io.ts";
import { LockTimeout, withKernelLock } from "../../kernel/files/lock.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { processEndedWithin, signalProcess } from "../../kernel/process/index.ts";
import { printable } from "../../kernel/text/printable.ts";
import { REAP_LOCK, REAP_MARKER } from "../record/directory.ts";
import { metaIfReadable, type PidFacts, readPid } from "../record/files.ts";
import { isForeignNamespace, supervisorState, workerState } from "../record/liveness.ts";
import { isSupervisorHolding } from "../record/locks.ts";
import { recordWithin, writeMarker } from "../record/request.ts";
import { hasRecord } from "../record/state.ts";
import { DEFAULT_GRACE_SECONDS, graceOf, pollOf } from "../settings.ts";
import { CALLER_GRACE_SECONDS, killLeftWorker, settleLost } from "./settle.ts";

/** A living supervisor answers a request within its grace and this; one that does not is stuck or gone. */
const UNANSWERED_SECONDS = 15;
/** Longer than another reaper needs for its grace and its record. */
const OTHER_REAPER_MS = 5_000;
/** What another process with a claim on the record gets to write it. */
const OTHER_CLAIM_SECONDS = 1;
/** What a look from the far side of a namespace may take on top of the supervisor's poll interval. */
const POLL_MARGIN_SECONDS = 0.25;

/** End a running job, through its supervisor where there is one. Gives a note for the caller, if any. */
export async function endJob(host: Host, ref: string, directory: string): Promise<string | undefined> {
  const pid = readPid(host, directory);
  switch (await supervisorState(host, directory, pid)) {
    case "gone":
      if (pid !== undefined && (await isForeignNamespace(pid)))
        return endOutOfSight(host, ref, directory, pid);
      return endLost(host, ref, directory, pid);
    case "alive":
      return askSupervisor(host, ref, directory, pid!);
    case "unknown":
      return (await askAcrossNamespaces(host, directory, pid!)) ? undefined : foreignNote(ref);
  }
}

/** A job whose supervisor's lock is free, in a namespace whose pids mean nothing here: nobody can be signalled. */
async function endOutOfSight(host: Host, ref: string, directory: string, pid: PidFacts): Promise<undefined> {
  if ((await workerState(host, directory, pid)) === "alive") {
    throw new JigError(
      `job ${printable(ref)}: its supervisor is gone, and its worker still runs in another process namespace; ` +
        "reap it from there",
    );
  }
  await settleLost(host, directory, false);
}

function foreignNote(ref: string): string {
  return `job ${printable(ref)}: reap requested; its supervisor is in another process namespace`;
}

/** Spec/jobs.md 8.1: request, wait shortly; a supervisor that has not answered an old request is stuck. */
async function askSupervisor(
  host: Host,
  ref: string,
  directory: string,
  pid: PidFacts,
): Promise<string | undefined> {
  const supervisor = pid.supervisorPid!;
  if (isUnanswered(host, directory)) {
    await signalProcess(supervisor, pid.supervisorIdentity, "SIGKILL");
    await processEndedWithin(supervisor, pid.supervisorIdentity, 1_000);
    return endLost(host, ref, directory, pid);
  }
  const patience = Math.min(graceOf(host.env), CALLER_GRACE_SECONDS);
  if (host.platform === "win32") {
    writeMarker(directory);
    await recordWithin(directory, Math.max(patience, pollOf(host.env) + POLL_MARGIN_SECONDS));
    return undefined;
  }
  let unmarked: JigError | undefined;
  try {
    writeMarker(directory);
  } catch (error) {
    unmarked = error as JigError;
  }
  // Also when a full disk refuses the marker: the job may be what fills it, and the signal alone ends it.
  const asked = await signalProcess(supervisor, pid.supervisorIdentity, "SIGTERM");
  if (unmarked !== undefined && !asked) throw unmarked;
  await recordWithin(directory, patience);
  if (hasRecord(directory)) return undefined;
  if ((await supervisorState(host, directory, pid)) === "alive") {
    if (unmarked === undefined) return undefined;
    const why = osReason(unmarked.cause);
    return `job ${printable(ref)}: asked to end by signal; the record waits for the disk (${why})`;
  }
  // It ended between our look and the request.
  return endLost(host, ref, directory, pid);
}

/**
 * End a job whose supervisor is gone. One caller at a time: a second one would find the worker that the first has just
 * killed, and might be the first to publish that it had died by itself.
 */
async function endLost(
  host: Host,
  ref: string,
  directory: string,
  pid: PidFacts | undefined,
): Promise<string | undefined> {
  const end = async () => {
    if (hasRecord(directory)) return;
    await settleLost(host, directory, await killLeftWorker(host, directory, pid));
    await recordWithin(directory, OTHER_CLAIM_SECONDS);
  };
  try {
    await withKernelLock(join(directory, REAP_LOCK), end, { timeoutMs: OTHER_REAPER_MS });
  } catch (error) {
    // A disk that takes no file, or a reaper that is stuck: the job must end all the same.
    if (!(error instanceof FileError || error instanceof LockTimeout)) throw error;
    await end();
  }
  if (hasRecord(directory)) return undefined;
  return `job ${printable(ref)}: ended, but another process has claimed its record; reap it again if it stays running`;
}

/**
 * Spec/jobs.md 8.3: nobody here can be judged or signalled, so only the marker speaks. True when there is a record in
 * the end: the supervisor's, or ours when an old request went unanswered, which proves it gone.
 */
async function askAcrossNamespaces(host: Host, directory: string, pid: PidFacts): Promise<boolean> {
  // One that holds its lock is stopped or stuck, but there.
  if (isUnanswered(host, directory) && (await isSupervisorHolding(host, directory, pid)) !== true) {
    await settleLost(host, directory, false);
    return true;
  }
  writeMarker(directory);
  const patience = Math.min(graceOf(host.env), CALLER_GRACE_SECONDS);
  return recordWithin(directory, Math.max(patience, pollOf(host.env) + POLL_MARGIN_SECONDS));
}

/** Whether a request has stood for longer than any living supervisor needs. */
function isUnanswered(host: Host, directory: string): boolean {
  const marker = lookAt(join(directory, REAP_MARKER));
  if (marker === undefined) return false;
  const grace = metaIfReadable(host, directory)?.supervision.grace ?? DEFAULT_GRACE_SECONDS;
  return host.now() - marker.mtimeMs > (grace + UNANSWERED_SECONDS) * 1000;
}
