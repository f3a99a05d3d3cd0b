/** What a merge lock says of its holder (docs/spec/flow-worktree.md 4). */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import { isAlive, pidNamespace, processFacts, startIdentity } from "../../../kernel/process/index.ts";
import type { JsonObject } from "../../../kernel/text/json.ts";
import { isoSeconds } from "../../../kernel/text/time.ts";

export const METADATA = "metadata.json";

/** The metadata file of a lock directory. */
export function metadataPath(lockDirectory: string): string {
  return join(lockDirectory, METADATA);
}

/** What a holder writes; the lock adds a token of its own. */
export async function holderMetadata(
  host: Pick<Host, "pid" | "now">,
  wf: string,
  worktreePath: string,
): Promise<JsonObject> {
  return {
    workflow_uuid: wf,
    worktree_path: worktreePath,
    acquired_at: isoSeconds(host.now()),
    pid: host.pid,
    process_start: await startIdentity(host.pid),
    host: await machineName(),
  };
}

/** Tells machines and containers apart: host name and, on Linux, boot and process namespace. */
async function machineName(): Promise<string> {
  return [hostname(), bootId(), await pidNamespace()].filter((part) => part !== undefined).join(" ");
}

function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return undefined;
  }
}

/**
 * Whether the recorded process runs: `unknown` without pid, start time and this machine's name, or where the system does
 * not tell. A recycled pid is not the process.
 */
export async function holderProcess(metadata: JsonObject): Promise<"running" | "gone" | "unknown"> {
  const { pid, process_start: start, host } = metadata;
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid < 1) return "unknown";
  if (typeof start !== "string" || host !== (await machineName())) return "unknown";
  const facts = await processFacts(pid);
  if (facts === undefined) return isAlive(pid) ? "unknown" : "gone";
  return facts.identity === start && !facts.zombie ? "running" : "gone";
}
