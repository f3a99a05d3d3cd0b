import { lstatSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { readPid } from "../record/files.ts";
import { supervisorState, workerState } from "../record/liveness.ts";
import { entries } from "../record/roots.ts";
import { readState } from "../record/state.ts";

const TOO_OLD_MS = 24 * 3_600_000;

/**
 * Remove the run roots beside this one that were last changed over 24 hours ago, unless a job in them lives or cannot
 * be judged (docs/spec/jobs.md section 9). Failures are ignored: sweeping is housekeeping, never a reason not to start.
 */
export async function sweepSiblings(host: Pick<Host, "uid" | "now" | "pid">, runRoot: string): Promise<void> {
  const runs = dirname(runRoot);
  for (const name of entries(runs)) {
    if (name === basename(runRoot)) continue;
    const path = join(runs, name);
    try {
      const stat = lstatSync(path);
      if (!stat.isDirectory() || (host.uid !== undefined && stat.uid !== host.uid)) continue;
      if (host.now() - stat.mtimeMs <= TOO_OLD_MS || (await holdsLivingJob(host, path))) continue;
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Not ours to remove, or in use.
    }
  }
}

async function holdsLivingJob(host: Pick<Host, "uid" | "pid">, runRoot: string): Promise<boolean> {
  for (const id of entries(join(runRoot, "jobs"))) {
    const directory = join(runRoot, "jobs", id);
    if (readState(host, directory) !== "running") continue;
    const pid = readPid(host, directory);
    if ((await supervisorState(host, directory, pid)) !== "gone") return true;
    if ((await workerState(host, directory, pid)) !== "gone") return true;
  }
  return false;
}
