import { lstatSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { readPid } from "../record/files.ts";
import { supervisorState, workerState } from "../record/liveness.ts";
import { isOurDirectory } from "../record/owner.ts";
import { engineRoot, entries } from "../record/roots.ts";
import { isWithEngine, readState } from "../record/state.ts";

const HOUR_MS = 3_600_000;
const TOO_OLD_MS = 24 * HOUR_MS;
/** A queue lasts longer than a sitting (docs/spec/engines.md 2.2). */
const TOO_OLD_FOR_ENGINES_MS = 7 * 24 * HOUR_MS;

type Sweeper = Pick<Host, "uid" | "now" | "pid" | "env" | "home" | "platform">;

/**
 * Remove the run roots beside this one that were last changed over 24 hours ago (in the engines' root 7 days), unless a
 * job in them lives, is with an engine, or cannot be judged (docs/spec/jobs.md section 9). Failures are ignored: sweeping is housekeeping, never a reason not to start.
 */
export async function sweepSiblings(host: Sweeper, runRoot: string): Promise<void> {
  const runs = dirname(runRoot);
  const tooOldMs = dirname(runs) === engineRoot(host) ? TOO_OLD_FOR_ENGINES_MS : TOO_OLD_MS;
  for (const name of entries(runs)) {
    if (name === basename(runRoot)) continue;
    const path = join(runs, name);
    try {
      const stat = lstatSync(path);
      if (!isOurDirectory(host, path, stat)) continue;
      if (host.now() - stat.mtimeMs <= tooOldMs || (await holdsLivingJob(host, path))) continue;
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
    if (isWithEngine(directory)) return true;
    const pid = readPid(host, directory);
    if ((await supervisorState(host, directory, pid)) !== "gone") return true;
    if ((await workerState(host, directory, pid)) !== "gone") return true;
  }
  return false;
}
