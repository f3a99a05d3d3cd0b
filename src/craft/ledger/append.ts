import { statSync } from "node:fs";
import { errorCode } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { appendRecords, readRecords } from "../../kernel/files/append.ts";
import { reasonOf } from "../common/fail.ts";
import { readRunPayload } from "../common/payload.ts";
import { requirePhase, requireRunId } from "../common/run-words.ts";
import { requireRunDirectory } from "./directory.ts";
import { ledgerFailure, PREFIX } from "./fail.ts";
import { withRunLockOrNot } from "./lock.ts";
import { requireOpenRun, type TrustedRun } from "./pointer.ts";
import { type InputLine, inputLines, MAX_INPUT_BYTES, prepareRecords } from "./records.ts";

export interface AppendOptions {
  runId: string;
  phase: string;
  lines: readonly string[];
  from: string | undefined;
}

/** Append records to a run's ledger, all of them or none (docs/spec/craft-run.md 2.6). */
export async function append(host: Host, options: AppendOptions): Promise<Outcome<{ appended: number }>> {
  const runId = requireRunId(PREFIX, options.runId);
  const phase = requirePhase(PREFIX, options.phase);
  const lines = await linesOf(host, options);
  const directory = await requireRunDirectory(host);
  const run = requireOpenRun(directory, runId, host.now());
  const { records, notes } = prepareRecords(lines, phase, host.now());
  if (records.length === 0) throw ledgerFailure(`no non-blank input for ${runId} ${phase}`);
  await withRunLockOrNot(directory, (locked) => {
    if (!locked) notes.push(`${PREFIX}the run directory is busy; appended without its lock`);
    writeRecords(run, phase, records, locked);
  });
  return { data: { appended: records.length }, text: "", notes };
}

async function linesOf(host: Host, { lines, from }: AppendOptions): Promise<InputLine[]> {
  if (lines.length === 0) return inputLines(await readRunPayload(host, PREFIX, from, MAX_INPUT_BYTES));
  if (from !== undefined) throw ledgerFailure("--line and --from both give the records; give one", 2);
  const broken = lines.findIndex((line) => /[\n\r]/.test(line));
  if (broken >= 0) throw ledgerFailure(`--line ${broken + 1} holds a line break; one record is one line`, 2);
  if (lines.reduce((sum, line) => sum + line.length, 0) > MAX_INPUT_BYTES) {
    throw ledgerFailure(`the records are longer than ${MAX_INPUT_BYTES} bytes; nothing was written`, 2);
  }
  return lines.map((text, index) => ({ number: index + 1, text }));
}

/**
 * One append-mode write of a run's records, undone under the lock when it fails. Throws (exit 1); when it could not be
 * undone the message says which records landed.
 */
export function writeRecords(
  { runId, files }: TrustedRun,
  phase: string,
  records: readonly string[],
  locked: boolean,
): void {
  const whole = records.map((record) => `${runId} ${phase} ${record}`);
  const before = statSync(files.ledger).size;
  try {
    appendRecords(files.ledger, whole, { undo: locked });
  } catch (error) {
    if (errorCode(error) === "ENOENT")
      throw ledgerFailure(`ledger is missing, not recreating: ${files.ledger}`);
    const landed = recordsSince(files.ledger, before, whole);
    const said = landed === 0 ? "" : `; ${landed} of ${whole.length} records landed and could not be undone`;
    throw ledgerFailure(`${reasonOf(error)}${said}`);
  }
}

/** How many of our records stand whole in what was added. */
function recordsSince(path: string, from: number, records: readonly string[]): number {
  let landed = 0;
  try {
    const decoder = new TextDecoder();
    readRecords(path, { uid: undefined, from }, ({ bytes }) => {
      if (records[landed] === decoder.decode(bytes)) landed++;
    });
  } catch {
    // It cannot even be read: nothing is known to have landed.
  }
  return landed;
}
