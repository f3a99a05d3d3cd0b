import { isoSeconds } from "../../kernel/text/time.ts";
import { trimEndOf } from "../../kernel/text/trim-end.ts";
import { isPhaseId, shown } from "../common/run-words.ts";
import { ledgerFailure } from "./fail.ts";

/** Longest record, in bytes (docs/spec/craft-run.md 2.6). */
export const MAX_RECORD_BYTES = 65_536;

/** Longest input of one call, in bytes. */
export const MAX_INPUT_BYTES = 1 << 20;

/** Records ready to be written, and what there is to say about them. */
export interface PreparedRecords {
  records: string[];
  notes: string[];
}

/** A line of input with its number, for messages. */
export interface InputLine {
  number: number;
  text: string;
}

/** The lines of an input; a last one without an end counts. */
export function inputLines(text: string): InputLine[] {
  return text.split("\n").map((line, index) => ({ number: index + 1, text: line }));
}

/**
 * Records from lines: blank ones skipped, escape sequences and control characters taken out, a phase's start stamped
 * with our own clock. Throws (exit 2) for a record that is too long.
 */
export function prepareRecords(lines: readonly InputLine[], phase: string, now: number): PreparedRecords {
  const records: string[] = [];
  const notes: string[] = [];
  for (const { number, text } of lines) {
    const record = cleanRecord(text);
    if (record === "") continue;
    if (new TextEncoder().encode(record).length > MAX_RECORD_BYTES) {
      throw ledgerFailure(`line ${number} is longer than ${MAX_RECORD_BYTES} bytes; nothing was written`, 2);
    }
    records.push(stamped(record, now));
    const named = /^PHASE-(?:START|DONE)\(([^)]*)\):/.exec(record)?.[1];
    if (record.startsWith("PHASE-START(") && (named === undefined || !isPhaseId(named))) {
      notes.push(`run-ledger: line ${number}: malformed PHASE-START written unchanged: ${shown(record)}`);
    } else if (named !== undefined && named !== phase) {
      notes.push(`run-ledger: line ${number} names phase ${shown(named)}, appended under ${phase}`);
    }
  }
  return { records, notes };
}

/** `PHASE-START(phase):` gets the tool's own stamp, whatever stood behind it. */
function stamped(record: string, now: number): string {
  const phase = /^PHASE-START\(([^)]*)\):/.exec(record)?.[1];
  return phase !== undefined && isPhaseId(phase) ? `PHASE-START(${phase}): ${isoSeconds(now)}` : record;
}

/** A record as it is kept: escape sequences removed whole, control characters dropped, blanks at the ends trimmed. */
export function cleanRecord(line: string): string {
  const plain = line
    .replaceAll(ESCAPES, "")
    .replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f]/g, "")
    .replace(/^[ \t]+/, "");
  return trimEndOf(plain, /[ \t]/);
}

/** Control sequences, operating-system commands and the like, in their seven-bit and eight-bit forms. */
const ESCAPES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
