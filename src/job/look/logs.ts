import { closeSync, fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Args } from "../../kernel/call/command.ts";
import { EXIT, JigError } from "../../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../../kernel/call/host.ts";
import type { Writer } from "../../kernel/call/outcome.ts";
import { type OwnedFile, openOwnedFile, Refused } from "../../kernel/files/owned-file.ts";
import { printable } from "../../kernel/text/printable.ts";
import { sleep } from "../../kernel/text/time.ts";
import { LOG } from "../record/directory.ts";
import { readReason } from "../record/files.ts";
import { ours } from "../record/owner.ts";
import { findJob, type JobRef } from "../record/roots.ts";
import { isSettled, isWithEngine, readState } from "../record/state.ts";
import type { JobState } from "../schema.ts";
import { usageError } from "../usage.ts";
import { terminalFilter } from "./terminal-filter.ts";

const DEFAULT_TAIL_LINES = 200;
/** How far `--tail` looks back. */
const WINDOW_BYTES = 1 << 20;
const PIECE_BYTES = 65_536;
const LOOK_MS = 200;
const PIPED_FOLLOW_SECONDS = 30;
const NEWLINE = 0x0a;

export interface LogsFlags {
  skill: string | undefined;
  follow: boolean;
  tail: number | undefined;
  all: boolean;
  "max-secs": number | undefined;
  raw: boolean;
}

/** Print a job's log, and follow it with `-f` (docs/spec/jobs.md 11.2). Gives the exit code. */
export async function jobLogs(
  host: Host,
  args: Pick<Args, "positionals"> & { flags: LogsFlags },
  out: Writer,
): Promise<number> {
  const { flags } = args;
  const lines = linesOf(host, flags);
  const maxSeconds = followSeconds(host, flags, out);
  const job = findJob(host, args.positionals[0]!, flags.skill);
  const state = readState(host, job.directory);
  if (state === "unreadable") {
    const message = `job state unreadable (ownership or corruption): ${job.directory}`;
    throw new JigError(message, { exitCode: EXIT.refused });
  }
  const filter = terminalFilter();
  const emit = (piece: Uint8Array) =>
    out.write(out.terminal.isTerminal && !flags.raw ? filter(piece) : piece);
  const withEngine = isWithEngine(job.directory);
  if (state === "running" && withEngine) {
    const { engineLogs } = await import("./engine-logs.ts");
    const seconds = flags.follow ? maxSeconds : undefined;
    const exitCode = await engineLogs(host, job, { tail: lines, followSeconds: seconds }, emit);
    if (exitCode !== undefined) return exitCode;
  }
  const log = openLog(host, job, readState(host, job.directory));
  try {
    const size = fstatSync(log.descriptor).size;
    const from = lines === "all" ? 0 : startOfTail(host, log, size, lines);
    copy(log, from, size, emit);
    const exitCode = flags.follow ? await follow(host, job, log, size, maxSeconds, emit) : EXIT.done;
    if (withEngine && fstatSync(log.descriptor).size === 0) {
      (await import("./engine-logs.ts")).showEngineLog(host, job.directory);
    }
    return exitCode;
  } finally {
    closeSync(log.descriptor);
  }
}

function linesOf(host: Host, flags: LogsFlags): number | "all" {
  if (flags.all && flags.tail !== undefined) {
    throw usageError(host, "logs", "argument --all: not allowed with argument --tail");
  }
  if (flags.all) return "all";
  if (flags.tail === undefined) return DEFAULT_TAIL_LINES;
  return flags.tail;
}

function followSeconds(host: Host, flags: LogsFlags, out: Writer): number {
  const given = flags["max-secs"];
  if (given === undefined) return out.terminal.isTerminal ? Infinity : PIPED_FOLLOW_SECONDS;
  if (!flags.follow) throw usageError(host, "logs", "argument --max-secs: only allowed with --follow");
  return given;
}

function openLog(host: Host, job: JobRef, state: JobState): OwnedFile {
  try {
    return openOwnedFile(join(job.directory, LOG), ours(host));
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== "absent") throw error;
    const message = `job ${printable(job.ref)} has no log (${state})`;
    throw new JigError(message, { exitCode: EXIT.notThisTime });
  }
}

/** Where the last lines begin; a window too small for them is said on stderr. */
function startOfTail(host: Host, log: OwnedFile, size: number, lines: number): number {
  const from = Math.max(0, size - WINDOW_BYTES);
  const window = new Uint8Array(size - from);
  let filled = 0;
  while (filled < window.length) {
    const count = readSync(log.descriptor, window, filled, window.length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  const start = tailStart(window.subarray(0, filled), lines, from === 0);
  if (start.complete) return from + start.offset;
  host.stderr(`${host.prefix}log truncated: showing the last ${filled - start.offset} bytes\n`);
  return from + start.offset;
}

/**
 * Where the last `lines` lines of a window begin. Not complete when the window holds fewer and is not the whole file:
 * then from its first line start, or from its beginning when it is all one line.
 */
export function tailStart(
  window: Uint8Array,
  lines: number,
  isWholeFile: boolean,
): { offset: number; complete: boolean } {
  if (lines === 0) return { offset: window.length, complete: true };
  // A final newline ends the last line; it does not begin another.
  let at = window.at(-1) === NEWLINE ? window.length - 1 : window.length;
  for (let line = 0; line < lines; line++) {
    const newline = at === 0 ? -1 : window.lastIndexOf(NEWLINE, at - 1);
    if (newline === -1) {
      if (isWholeFile) return { offset: 0, complete: true };
      const first = window.indexOf(NEWLINE);
      const isOneLine = first === -1 || first === window.length - 1;
      return { offset: isOneLine ? 0 : first + 1, complete: false };
    }
    at = newline;
  }
  return { offset: at + 1, complete: true };
}

/** Give out the bytes between two offsets, in small pieces: a log may be larger than memory. */
function copy(log: OwnedFile, from: number, to: number, emit: (piece: Uint8Array) => void): void {
  const buffer = new Uint8Array(PIECE_BYTES);
  for (let at = from; at < to; ) {
    const count = readSync(log.descriptor, buffer, 0, Math.min(buffer.length, to - at), at);
    if (count === 0) return;
    emit(buffer.slice(0, count));
    at += count;
  }
}

async function follow(
  host: Host,
  job: JobRef,
  log: OwnedFile,
  from: number,
  maxSeconds: number,
  emit: (piece: Uint8Array) => void,
): Promise<number> {
  const interruption = host.interruption();
  const ref = printable(job.ref);
  const say = (text: string) => host.stderr(`${host.prefix}${text}\n`);
  const end = performance.now() + maxSeconds * 1000;
  let at = from;
  let noted = isWithEngine(job.directory);
  const first = readState(host, job.directory);
  const engines =
    noted && !isSettled(first)
      ? (await import("./engine-looks.ts")).engineLooks(host, [job], [first], { end, interruption, say })
      : undefined;
  for (;;) {
    engines?.lookWhenDue();
    // Asked before the last bytes are read: what was written before the record is then complete.
    const state = readState(host, job.directory);
    const size = fstatSync(log.descriptor).size;
    copy(log, at, size, emit);
    at = size;
    if (isSettled(state)) {
      const reason = state === "unreadable" ? undefined : readReason(host, job.directory);
      say(`job ${ref}: ${state}${reason ? ` (${printable(reason)})` : ""}`);
      return EXIT.done;
    }
    if (interruption.aborted) {
      await engines?.finish();
      say(`stopped following; job ${ref} continues`);
      return exitCodeOf(interruption);
    }
    const left = end - performance.now();
    if (left <= 0) {
      await engines?.finish();
      say(`job ${ref} is still running`);
      return EXIT.done;
    }
    if (!noted) {
      const { goneNote, lookCloser } = await import("../end/vanished.ts");
      const { state: now, supervisor } = await lookCloser(host, job.directory);
      if (isSettled(now)) continue;
      noted = supervisor === "gone";
      if (noted) say(goneNote(ref));
    }
    await sleep(Math.min(LOOK_MS, left), interruption);
  }
}
