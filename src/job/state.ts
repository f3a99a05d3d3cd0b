import { join } from "node:path";
import type { Host } from "../kernel/host.ts";
import { Refused, readOwnedFile } from "../kernel/owned-file.ts";
import { TERMINAL_STATES, type TerminalState } from "./classify.ts";
import { decoder, lookAt, PID, STATUS, STATUS_CAP } from "./files.ts";
import type { JobState } from "./schema.ts";

/**
 * A job's state, from its files alone (spec/jobs.md section 3). `running` says that no terminal record exists, not that
 * anybody runs. `stat` is the directory's own `lstat`, for a caller that has just made it.
 */
export function readState(host: Pick<Host, "uid">, directory: string, stat = lookAt(directory)): JobState {
  if (!stat?.isDirectory() || (host.uid !== undefined && stat.uid !== host.uid)) return "unreadable";
  const status = readStatus(host, directory);
  if (status !== undefined) return status;
  return lookAt(join(directory, PID)) === undefined ? "never-started" : "running";
}

/** The terminal record's word; undefined when there is no `status` entry at all. */
function readStatus(host: Pick<Host, "uid">, directory: string): TerminalState | "unreadable" | undefined {
  let bytes: Uint8Array;
  try {
    bytes = readOwnedFile(join(directory, STATUS), { uid: host.uid, maxBytes: STATUS_CAP });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.reason === "absent" ? undefined : "unreadable";
  }
  const word = decoder.decode(bytes).trim();
  return TERMINAL_STATES.find((state) => state === word) ?? "unreadable";
}

export function isSettled(state: JobState): boolean {
  return state !== "running";
}

/** Whether a terminal record, readable or not, exists: nobody writes another then. */
export function hasRecord(directory: string): boolean {
  return lookAt(join(directory, STATUS)) !== undefined;
}
