import { readSync } from "node:fs";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { closeQuietly } from "../../kernel/files/file-io.ts";
import { openOwnedFile, Refused } from "../../kernel/files/owned-file.ts";
import { printableBlock } from "../../kernel/text/printable.ts";
import { budgetOf, LOOK_SECONDS } from "../engine/budget.ts";
import { lookAtEngines } from "../engine/look.ts";
import { openJob } from "../engine/open-job.ts";
import { decoder, ENGINE_LOG, fileIn } from "../record/directory.ts";
import type { JobRef } from "../record/roots.ts";
import { isSettled, readState } from "../record/state.ts";

/** What is wanted of a log that may be elsewhere. */
interface Wanted {
  tail: number | "all";
  /** Seconds to follow, which may be Infinity; undefined when not following. */
  followSeconds: number | undefined;
}

/**
 * Look at an open job before its log is printed, and print the log when it is not in this machine's files
 * (docs/spec/engines.md 3.6 and section 4). Gives the exit code then; undefined when the files here have it.
 */
export async function engineLogs(
  host: Host,
  job: JobRef,
  { tail, followSeconds }: Wanted,
  emit: (piece: Uint8Array) => void,
): Promise<number | undefined> {
  const open = await openJob(host, job.ref, job.directory);
  const elsewhere = "problem" in open ? undefined : open.engine.logs;
  // A job that is followed here is looked at while it is.
  if (elsewhere === undefined && followSeconds !== undefined) return undefined;
  const phase = await look(host, job);
  if (elsewhere === undefined || "problem" in open || isSettled(readState(host, job.directory)))
    return undefined;
  if (phase === "unknown") {
    throw new JigError(
      `job ${job.ref}: its output is on ${open.engine.nameOf(open.file)}, which does not tell`,
    );
  }
  const exitCode = await elsewhere(host, open, { tail, followSeconds, signal: host.interruption() }, emit);
  if (followSeconds !== undefined) await look(host, job);
  return exitCode;
}

async function look(host: Host, job: JobRef) {
  const options = { budget: budgetOf(LOOK_SECONDS), bring: true };
  const { seen, notes } = await lookAtEngines(host, [job], options);
  for (const note of notes) host.stderr(`${host.prefix}${note}\n`);
  return seen[0]!.view.phase;
}

const SHOWN_LINES = 20;
const WINDOW_BYTES = 16_384;

/** What the batch script and the supervisor said on the node, where the worker said nothing: on stderr. */
export function showEngineLog(host: Host, directory: string): void {
  try {
    const file = openOwnedFile(fileIn(directory, ENGINE_LOG), { uid: host.uid });
    try {
      const window = new Uint8Array(Math.min(file.stat.size, WINDOW_BYTES));
      const count = readSync(file.descriptor, window, 0, window.length, file.stat.size - window.length);
      const lines = decoder.decode(window.subarray(0, count)).trimEnd().split("\n").slice(-SHOWN_LINES);
      const text = printableBlock(lines.join("\n"));
      if (text !== "") host.stderr(`${text}\n`);
    } finally {
      closeQuietly(file.descriptor);
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
