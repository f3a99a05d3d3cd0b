import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { statIfThere } from "../../kernel/files/look.ts";
import { requireRunId } from "../common/run-words.ts";
import { findRunDirectory } from "./directory.ts";
import { ledgerFailure, PREFIX } from "./fail.ts";
import { readPointer, type TrustedRun, trustedRuns } from "./pointer.ts";

export interface LocateOptions {
  run: string | undefined;
  /** Print the run-key, so that it gets into the caller's transcript. */
  bind: boolean;
  transcript: string | undefined;
}

/** What `ledger locate --json` prints; null when no such run is open. */
export type LocatedRun = { run: string; ledger: string; key?: string } | null;

/** Find an open run by its id, or by the run-key that stands in a transcript (docs/spec/craft-run.md 2.8). */
export async function locate(host: Host, options: LocateOptions): Promise<Outcome<LocatedRun>> {
  if ((options.run === undefined) === (options.transcript === undefined)) {
    throw ledgerFailure("locate needs --run RUN-ID or --transcript PATH, one of them", 2);
  }
  if (options.bind && options.run === undefined) throw ledgerFailure("--bind goes with --run", 2);
  const run = options.run === undefined ? undefined : requireRunId(PREFIX, options.run);
  const found =
    run === undefined ? await runInTranscript(host, options.transcript!) : await openRun(host, run);
  if (found === undefined) return { data: null, text: "" };
  const { runId, key, files } = found;
  const data = { run: runId, ledger: files.ledger, ...(options.bind ? { key } : {}) };
  return { data, text: `${options.bind ? key : runId} ${files.ledger}` };
}

async function openRun(host: Host, runId: string): Promise<TrustedRun | undefined> {
  const directory = await findRunDirectory(host);
  if (directory?.state !== "directory") return undefined;
  const state = readPointer(directory, runId, host.now());
  if (state.kind !== "trusted" || statIfThere(state.run.files.ledger) === undefined) return undefined;
  return state.run;
}

/** The newest open run whose key occurs literally in a transcript; hooks ask this, too. */
export async function runInTranscript(
  host: Host,
  transcript: string,
  cwd?: string,
): Promise<TrustedRun | undefined> {
  const directory = await findRunDirectory(host, cwd);
  if (directory?.state !== "directory") return undefined;
  const path = absoluteFrom(cwd ?? host.cwd, transcript);
  return trustedRuns(directory, host.now()).find((run) => fileHolds(path, run.key));
}

const CHUNK = 1 << 20;

/** Whether a file holds a text; read in parts, so that one of hundreds of megabytes costs no memory. */
function fileHolds(path: string, text: string): boolean {
  let descriptor: number;
  try {
    if (!(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)) return false;
    descriptor = openSync(path, "r");
  } catch {
    // Missing or unreadable: it holds nothing for us.
    return false;
  }
  try {
    const wanted = Buffer.from(text);
    const buffer = Buffer.alloc(CHUNK + wanted.length);
    for (let kept = 0; ; ) {
      const count = readSync(descriptor, buffer, kept, CHUNK, null);
      if (count === 0) return false;
      const filled = kept + count;
      if (buffer.subarray(0, filled).includes(wanted)) return true;
      kept = Math.min(filled, wanted.length - 1);
      buffer.copyWithin(0, filled - kept, filled);
    }
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}
