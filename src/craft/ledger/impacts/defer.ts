import { dirname } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { appendRecords } from "../../../kernel/files/append.ts";
import { isoSeconds } from "../../../kernel/text/time.ts";
import { reasonOf } from "../../common/fail.ts";
import { readRunPayload } from "../../common/payload.ts";
import { requirePhase, requireRunId, shown } from "../../common/run-words.ts";
import { writeRecords } from "../append.ts";
import { requireRunDirectory } from "../directory.ts";
import { ledgerFailure, PREFIX } from "../fail.ts";
import { withRunLock } from "../lock.ts";
import { requireOpenRun } from "../pointer.ts";
import { type ImpactEntry, MAX_ENTRY_BYTES, readImpact } from "./entry.ts";
import { leakWarnings } from "./leaks.ts";
import { deferredRecord, impactLines, repairLines } from "./repair.ts";
import { entryLines, isComplete, readStore, type StoredImpact } from "./store.ts";

export interface DeferOptions {
  runId: string;
  phase: string;
  from: string | undefined;
}

/** What `ledger defer --json` prints. */
export interface DeferredImpact {
  id: string;
  /** It was there already and got no second entry. */
  repeated: boolean;
}

/** Store a finding that is not fixed now, then say so in the ledger (docs/spec/craft-run.md 2.9). */
export async function defer(host: Host, options: DeferOptions): Promise<Outcome<DeferredImpact>> {
  const runId = requireRunId(PREFIX, options.runId);
  const phase = requirePhase(PREFIX, options.phase);
  const directory = await requireRunDirectory(host);
  requireOpenRun(directory, runId, host.now());
  const entry = readEntry(await readRunPayload(host, PREFIX, options.from, MAX_ENTRY_BYTES));
  return withRunLock(directory, () => {
    // Looked at again: the run may have been closed while we waited.
    const run = requireOpenRun(directory, runId, host.now());
    const impacts = storedImpacts(run.files.impacts);
    const lines = impactLines(run.files.ledger, runId);
    const notes = repairLines(run, impacts, lines);
    notes.push(...leakWarnings(host, entry, dirname(dirname(directory.path))));
    const known = impacts.find((impact) => isComplete(impact) && isSame(impact, entry));
    if (known !== undefined) {
      notes.push(`${PREFIX}already deferred as ${known.id}`);
      return { data: { id: known.id, repeated: true }, text: known.id, notes };
    }
    const id = `I${1 + Math.max(0, ...impacts.map(({ number }) => number))}`;
    appendToStore(run.files.impacts, entryLines(id, entry, phase, isoSeconds(host.now())));
    try {
      writeRecords(run, phase, [deferredRecord({ ...entry, id })], true);
    } catch (error) {
      throw ledgerFailure(
        `${reasonOf(error).replace(PREFIX, "")}; the impact is stored as ${id}, run it again`,
      );
    }
    return { data: { id, repeated: false }, text: id, notes };
  });
}

function readEntry(text: string): ImpactEntry {
  const read = readImpact(text);
  if (read.ok) return read.value;
  throw ledgerFailure(shown(read.problem), 2);
}

/** The findings of a run's store. Throws (exit 1) when the store cannot be read. */
export function storedImpacts(path: string): StoredImpact[] {
  try {
    return readStore(path);
  } catch (error) {
    throw ledgerFailure(reasonOf(error));
  }
}

/** Append lines to a store in one write, undone when it fails; a torn tail is set off first. */
export function appendToStore(path: string, lines: readonly string[]): void {
  try {
    appendRecords(path, lines, { undo: true });
  } catch (error) {
    throw ledgerFailure(`${reasonOf(error)}; nothing was stored`);
  }
}

function isSame(impact: StoredImpact, entry: ImpactEntry): boolean {
  return (["title", "locus", "reason", "proof", "expected"] as const).every(
    (key) => impact[key] === entry[key],
  );
}
