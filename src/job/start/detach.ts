import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { spawnDetached } from "../../kernel/process/detached.ts";
import { killTree, processesWithVariable, startIdentity } from "../../kernel/process/index.ts";
import { sleep } from "../../kernel/text/time.ts";
import { selfCommand } from "../../runtime/self.ts";
import { PID, SUPERVISE } from "../record/directory.ts";
import { hasRecord } from "../record/state.ts";
import { supervisorEnvironment } from "./environment.ts";

const ACKNOWLEDGED_WITHIN_MS = 15_000;

/**
 * Start the supervisor of a job and wait until it has acknowledged by its `pid` or `status` file. False when it did
 * not in time, or ended without; what was started is killed then. Throws the operating system's error when the
 * supervisor cannot be executed.
 */
export async function detachSupervisor(host: Pick<Host, "env">, directory: string): Promise<boolean> {
  const words = [...selfCommand(), SUPERVISE, directory];
  const env = supervisorEnvironment(host.env);
  const supervisor = await spawnDetached(words, { env, stdout: "ignore", stderr: "ignore" });
  const { pid } = supervisor;
  const identity = await startIdentity(pid);
  const deadline = performance.now() + ACKNOWLEDGED_WITHIN_MS;
  for (let pause = 2; performance.now() < deadline; pause = Math.min(pause + 1, 50)) {
    // Asked before looking at the files: a supervisor may acknowledge and end between the two.
    const endedBefore = supervisor.hasEnded();
    if (lookAt(join(directory, PID)) !== undefined || hasRecord(directory)) return true;
    if (endedBefore) break;
    await sleep(pause);
  }
  await killTree({ pid, identity, graceMs: 0 });
  // A supervisor killed before it could write its worker's pid down leaves one nobody knows.
  for (const worker of await processesWithVariable(`JIG_JOB_DIR=${directory}`)) {
    await killTree({ pid: worker.pid, identity: worker.identity, graceMs: 0 });
  }
  return false;
}
