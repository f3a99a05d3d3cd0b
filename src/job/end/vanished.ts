import type { Host } from "../../kernel/call/host.ts";
import { readPid } from "../record/files.ts";
import { isForeignNamespace, supervisorState, workerState } from "../record/liveness.ts";
import { readState } from "../record/state.ts";
import type { JobState, SupervisorState } from "../schema.ts";

/** A running job looked at more closely: what its state is now, and its supervisor's. */
export interface CloserLook {
  state: JobState;
  /** Null when the job has settled. */
  supervisor: SupervisorState | null;
}

/**
 * Look closer at a job whose files say `running`. One that ended with its process namespace is settled: its supervisor
 * and its worker are proven gone, and nobody will ever be able to reap it (docs/spec/jobs.md 8.3). Nobody is signalled.
 */
export async function lookCloser(host: Host, directory: string): Promise<CloserLook> {
  const pid = readPid(host, directory);
  const supervisor = await supervisorState(host, directory, pid);
  if (supervisor !== "gone") return { state: "running", supervisor };
  // It may have published and ended since the state was read.
  const before = readState(host, directory);
  if (before !== "running") return { state: before, supervisor: null };
  if (pid === undefined || !(await isForeignNamespace(pid))) return { state: "running", supervisor };
  if ((await workerState(host, directory, pid)) !== "gone") return { state: "running", supervisor };
  try {
    const { settleLost } = await import("./settle.ts");
    await settleLost(host, directory, false);
  } catch {
    return { state: "running", supervisor }; // A look does not fail for a disk that takes no record.
  }
  const state = readState(host, directory);
  return { state, supervisor: state === "running" ? supervisor : null };
}

/** What a caller is told of a running job that will not settle by itself. */
export function goneNote(ref: string): string {
  return `job ${ref}: supervisor is gone; reap it to settle it`;
}
