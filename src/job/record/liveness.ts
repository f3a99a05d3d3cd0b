import type { Host } from "../../kernel/call/host.ts";
import {
  isAlive,
  isFromAnotherBoot,
  pidNamespace,
  pidNamespaceStart,
  processesWithVariable,
  processFacts,
} from "../../kernel/process/index.ts";
import type { SupervisorState } from "../schema.ts";
import type { PidFacts } from "./files.ts";
import { jobIdOf } from "./roots.ts";

/** A process without a recorded identity may have started this long after the `pid` file, by the clocks' coarseness. */
const STARTED_AFTER_MS = 2_000;

type Looker = Pick<Host, "uid" | "pid">;

/**
 * Whether a job's supervisor is alive and proven ours (docs/spec/jobs.md 8.1). In another process namespace its pid says
 * nothing; there, and where the system tells no more than that a pid exists, its lock proves it gone (8.3).
 */
export async function supervisorState(
  host: Looker,
  directory: string,
  pid: PidFacts | undefined,
): Promise<SupervisorState> {
  if (pid === undefined) return "gone";
  const isReleased = async () =>
    pid.metaLock !== undefined &&
    (await (await import("./locks.ts")).isSupervisorHolding(host, directory, pid)) === false;
  if (await isForeignNamespace(pid)) return (await isReleased()) ? "gone" : "unknown";
  const { supervisorPid } = pid;
  if (supervisorPid === undefined || supervisorPid === host.pid) return "gone";
  const who = await occupant(supervisorPid, pid.supervisorIdentity, pid.writtenAt);
  if (who !== "ours") return "gone";
  return (await processFacts(supervisorPid)) === undefined && (await isReleased()) ? "gone" : "alive";
}

/** Whether the worker of a job, or anything it started that writes to its log, lives; by the same two kinds of proof. */
export async function workerState(
  host: Looker,
  directory: string,
  pid: PidFacts | undefined,
): Promise<SupervisorState> {
  if (pid === undefined) return "gone";
  if (await isForeignNamespace(pid)) {
    const { isLogHeld } = await import("./locks.ts");
    const held = await isLogHeld(host, directory, pid);
    if (held !== false) return held ? "alive" : "unknown";
    // One that has redirected its output is still seen from a namespace around its own.
    const seen = await processesWithVariable(`CE_PEER_JOB_ID=${jobIdOf(directory)}`);
    return seen.some((facts) => !facts.zombie) ? "alive" : "gone";
  }
  if (pid.workerPid === undefined) return "gone";
  return (await occupant(pid.workerPid, pid.workerIdentity, pid.writtenAt)) === "ours" ? "alive" : "gone";
}

/**
 * Pids recorded in another process namespace mean nothing here: nobody is signalled or declared dead by them. One that has
 * the same number, but began at another time, is another; so is everything of another boot, since two machines may share
 * a directory and all have the first namespace.
 */
export async function isForeignNamespace(pid: PidFacts): Promise<boolean> {
  if (pid.supervisorIdentity !== undefined && (await isFromAnotherBoot(pid.supervisorIdentity))) return true;
  if (pid.pidNamespace === undefined) return false;
  if ((await pidNamespace()) !== pid.pidNamespace) return true;
  if (pid.pidNamespaceStart === undefined) return false;
  const start = await pidNamespaceStart();
  return start !== undefined && start !== pid.pidNamespaceStart;
}

/**
 * Who has a recorded pid now: the recorded process (`ours`), nobody or a zombie (`nobody`), or another process that got
 * the number later (`another`).
 */
export async function occupant(
  pid: number,
  identity: string | undefined,
  recordedAt: number,
): Promise<"ours" | "nobody" | "another"> {
  const facts = await processFacts(pid);
  // A sandbox may refuse to tell anything but existence.
  if (facts === undefined) return isAlive(pid) ? "ours" : "nobody";
  const isAnother =
    identity === undefined ? facts.startedAt > recordedAt + STARTED_AFTER_MS : facts.identity !== identity;
  if (isAnother) return "another";
  return facts.zombie ? "nobody" : "ours";
}
