import type { Stats } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import { closeQuietly } from "../../kernel/files/file-io.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { openOwnedFile, Refused, readOpenFile } from "../../kernel/files/owned-file.ts";
import type { JobState } from "../schema.ts";
import { decoder, ENGINE, fileIn, PID, STATUS, STATUS_CAP } from "./directory.ts";
import { isOurDirectory, ours } from "./owner.ts";

/** The states a job can end in by a record on disk. */
export type TerminalState = Extract<JobState, "done" | "failed" | "timeout" | "died-without-result">;

const TERMINAL_STATES: readonly TerminalState[] = ["done", "failed", "timeout", "died-without-result"];

/**
 * A job's state, from its files alone (docs/spec/jobs.md section 3). `running` says that no terminal record exists, not that
 * anybody runs.
 */
export function readState(host: Pick<Host, "uid">, directory: string): JobState {
  return readStateAndEnd(host, directory, lookAt(directory)).state;
}

/** A state, and when its terminal record was written (milliseconds since the epoch), if there is a readable one. */
export interface StateAndEnd {
  state: JobState;
  endedAt?: number;
}

/** As `readState`, for a caller that has just made the directory's own `lstat`. */
export function readStateAndEnd(
  host: Pick<Host, "uid">,
  directory: string,
  stat: Stats | undefined,
): StateAndEnd {
  if (!isOurDirectory(host, directory, stat)) return { state: "unreadable" };
  const recorded = readRecord(host, directory);
  if (recorded !== undefined) return recorded;
  const isOpen = lookAt(fileIn(directory, PID)) !== undefined || isWithEngine(directory);
  return { state: isOpen ? "running" : "never-started" };
}

/** Whether an engine has a job, or had it until its record was written (docs/spec/engines.md 2.3). */
export function isWithEngine(directory: string): boolean {
  return lookAt(fileIn(directory, ENGINE)) !== undefined;
}

/** What the terminal record says; undefined when there is no `status` entry at all. */
function readRecord(host: Pick<Host, "uid">, directory: string): StateAndEnd | undefined {
  try {
    const file = openOwnedFile(fileIn(directory, STATUS), ours(host));
    try {
      const state = terminalState(decoder.decode(readOpenFile(file, STATUS_CAP)).trim());
      return state === undefined ? { state: "unreadable" } : { state, endedAt: file.stat.mtimeMs };
    } finally {
      closeQuietly(file.descriptor);
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.reason === "absent" ? undefined : { state: "unreadable" };
  }
}

/** The state a record's word stands for; undefined for any other word. */
export function terminalState(word: string): TerminalState | undefined {
  return TERMINAL_STATES.find((state) => state === word);
}

export function isSettled(state: JobState): boolean {
  return state !== "running";
}

/** Whether a terminal record, readable or not, exists: nobody writes another then. */
export function hasRecord(directory: string): boolean {
  return lookAt(fileIn(directory, STATUS)) !== undefined;
}
