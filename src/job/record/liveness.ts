import type { Host } from "../../kernel/call/host.ts";
import { isAlive, pidNamespace, processFacts } from "../../kernel/process/index.ts";
import type { SupervisorState } from "../schema.ts";
import type { PidFacts } from "./files.ts";

/** A process without a recorded identity may have started this long after the `pid` file, by the clocks' coarseness. */
const STARTED_AFTER_MS = 2_000;

/** Whether a job's supervisor is alive and proven ours (docs/spec/jobs.md 8.1); unknown across process namespaces (8.3). */
export async function supervisorState(
  host: Pick<Host, "pid">,
  pid: PidFacts | undefined,
): Promise<SupervisorState> {
  if (pid === undefined) return "gone";
  if (await isForeignNamespace(pid)) return "unknown";
  const { supervisorPid } = pid;
  if (supervisorPid === undefined || supervisorPid === host.pid) return "gone";
  return (await occupant(supervisorPid, pid.supervisorIdentity, pid.writtenAt)) === "ours" ? "alive" : "gone";
}

/** Pids recorded in another process namespace mean nothing here: nobody is signalled or declared dead by them. */
export async function isForeignNamespace(pid: PidFacts): Promise<boolean> {
  if (pid.pidNamespace === undefined) return false;
  const own = await pidNamespace();
  return own !== undefined && own !== pid.pidNamespace;
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
