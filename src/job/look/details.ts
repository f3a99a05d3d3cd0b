import type { Host } from "../../kernel/call/host.ts";
import { metaIfReadable, readPid, readReason } from "../record/files.ts";
import type { JobDetails, JobState } from "../schema.ts";
import { timeText } from "./format.ts";

/** What `status --details` adds (docs/spec/jobs.md 2.3); null for a job whose files are not to be read. */
export function detailsOf(host: Pick<Host, "uid">, directory: string, state: JobState): JobDetails | null {
  if (state === "unreadable") return null;
  const meta = metaIfReadable(host, directory);
  return {
    label: meta?.label ?? null,
    started_at: timeText(meta?.startedAt),
    result_path: meta?.resultPath ?? null,
    result_max: meta?.supervision.result_max ?? null,
    reason: readReason(host, directory) || null,
    worker_pid: readPid(host, directory)?.workerPid ?? null,
  };
}
