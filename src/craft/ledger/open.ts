import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { publishExclusive } from "../../kernel/files/atomic.ts";
import { syncDirectory } from "../../kernel/files/file-io.ts";
import { statIfThere } from "../../kernel/files/look.ts";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { compactSeconds } from "../../kernel/text/time.ts";
import { reasonOf } from "../common/fail.ts";
import { readRunPayload } from "../common/payload.ts";
import { requireRunId } from "../common/run-words.ts";
import { type RunDirectory, type RunFiles, requireRunDirectory, runFiles } from "./directory.ts";
import { ledgerFailure, PREFIX } from "./fail.ts";
import { withRunLock } from "./lock.ts";
import { readPointer, runKey } from "./pointer.ts";
import { inputLines, MAX_INPUT_BYTES, prepareRecords } from "./records.ts";

/** First line of a ledger. */
export const LEDGER_HEADER = "# craft run record (append-only)\n";

/** First line of an impacts store. */
export const IMPACTS_HEADER = "# craft discovered impacts (append-only)\n";

/** The run-id is taken; the caller stops and asks (docs/spec/craft-run.md 2.5). */
const ALREADY_OPEN = 3;

/** Over this many characters metrics rows cannot take the run-id. */
const METRICS_RUN_ID = 64;

/** What `ledger open --json` prints. */
export interface OpenedRun {
  run: string;
  key: string;
  ledger: string;
}

/** Open a run: ledger, impacts store, pointer, with its first records in one step. Exit 3 when it is open already. */
export async function open(
  host: Host,
  options: { runId: string; seed: string | undefined },
): Promise<Outcome<OpenedRun>> {
  const runId = requireRunId(PREFIX, options.runId);
  const notes: string[] = [];
  const seed = await seedText(host, runId, options.seed, notes);
  if (runId.length > METRICS_RUN_ID) {
    notes.push(`${PREFIX}run-id is longer than ${METRICS_RUN_ID} characters; metrics cannot be kept for it`);
  }
  const directory = await requireRunDirectory(host);
  try {
    mkdirSync(directory.path, { recursive: true });
  } catch (error) {
    throw ledgerFailure(`cannot make ${directory.path}: ${reasonOf(error)}`);
  }
  const made: RunDirectory = { path: directory.path, state: "directory" };
  const key = await withRunLock(made, () => openUnderLock(host, made, runId, seed, notes));
  const { ledger } = runFiles(made.path, runId);
  return { data: { run: runId, key, ledger }, text: `${key} ${ledger}`, notes };
}

/** The ledger's first records, checked before anything is made; "" without a seed. */
async function seedText(
  host: Host,
  runId: string,
  seed: string | undefined,
  notes: string[],
): Promise<string> {
  if (seed === undefined) return "";
  const text = await readRunPayload(host, PREFIX, seed, MAX_INPUT_BYTES, "--seed");
  const prepared = prepareRecords(inputLines(text), "resolve", host.now());
  if (prepared.records.length === 0) throw ledgerFailure(`--seed ${seed} holds no record`, 2);
  notes.push(...prepared.notes);
  return prepared.records.map((record) => `${runId} resolve ${record}\n`).join("");
}

function openUnderLock(
  host: Host,
  directory: RunDirectory,
  runId: string,
  seed: string,
  notes: string[],
): string {
  try {
    sweepPointers(directory.path);
    refuseOpen(directory, runId, host.now());
    const files = runFiles(directory.path, runId);
    clearLeftovers(directory.path, runId, files, host.now(), notes);
    const key = runKey(runId, host.now());
    // Made, never replaced: a writer outside the lock that was faster keeps its files.
    const complete =
      publishExclusive(files.ledger, LEDGER_HEADER + seed) &&
      publishExclusive(files.impacts, IMPACTS_HEADER) &&
      publishExclusive(files.pointer, `${key} ${files.ledger}\n`);
    if (!complete) throw alreadyOpen(directory, runId, host.now());
    return key;
  } catch (error) {
    throw error instanceof JigError && error.verbatim ? error : ledgerFailure(reasonOf(error));
  }
}

/** Take away pointers whose ledger is gone; links are neither followed nor removed. */
function sweepPointers(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith(".pointer")) continue;
    const pointer = join(directory, name);
    const ledger = join(directory, `${name.slice(0, -".pointer".length)}.md`);
    if (statIfThere(ledger) === undefined && statIfThere(pointer)?.isFile()) rmSync(pointer, { force: true });
  }
}

function refuseOpen(directory: RunDirectory, runId: string, now: number): void {
  if (readPointer(directory, runId, now).kind !== "absent") throw alreadyOpen(directory, runId, now);
}

function alreadyOpen(directory: RunDirectory, runId: string, now: number): JigError {
  const state = readPointer(directory, runId, now);
  const since =
    state.kind === "trusted" ? state.run.stamp : state.kind === "untrusted" ? state.stamp : undefined;
  return ledgerFailure(`run-id ${runId} already open since ${since ?? "unknown"}`, ALREADY_OPEN);
}

/** What a run without a pointer left: a bare header is replaced, records are kept aside under a name of their own. */
function clearLeftovers(
  directory: string,
  runId: string,
  files: RunFiles,
  now: number,
  notes: string[],
): void {
  const leftovers = [
    { path: files.ledger, header: LEDGER_HEADER, extension: ".md", what: "ledger" },
    { path: files.impacts, header: IMPACTS_HEADER, extension: ".impacts.md", what: "impacts store" },
  ];
  for (const { path } of leftovers) {
    const found = statIfThere(path);
    if (found !== undefined && !found.isFile()) {
      throw ledgerFailure(`refusing a symlinked or directory run file: ${path}`);
    }
  }
  for (const { path, header, extension, what } of leftovers) {
    if (statIfThere(path) === undefined) continue;
    if (isBare(path, header)) {
      rmSync(path, { force: true });
      continue;
    }
    const kept = freeName(directory, `${runId}.orphan-${compactSeconds(now)}`, extension);
    renameSync(path, kept);
    syncDirectory(directory);
    notes.push(`${PREFIX}open: kept leftover ${what} as ${kept}`);
  }
}

/** Whether a file holds nothing but its header, or a part of it. */
function isBare(path: string, header: string): boolean {
  try {
    const bytes = readOwnedFile(path, { uid: undefined, maxBytes: header.length });
    return header.startsWith(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

function freeName(directory: string, base: string, extension: string): string {
  for (let number = 1; ; number++) {
    const path = join(directory, `${base}${number === 1 ? "" : `-${number}`}${extension}`);
    if (statIfThere(path) === undefined) return path;
  }
}
