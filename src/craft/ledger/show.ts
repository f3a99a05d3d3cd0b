import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { readRecords } from "../../kernel/files/append.ts";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { printable, printableBlock } from "../../kernel/text/printable.ts";
import { reasonOf } from "../common/fail.ts";
import { requireRunId } from "../common/run-words.ts";
import { findRunDirectory, noWorkTree, type RunDirectory, runFiles } from "./directory.ts";
import { ledgerFailure, PREFIX } from "./fail.ts";
import { impactLines } from "./impacts/repair.ts";
import { isComplete, readStore } from "./impacts/store.ts";
import { pointedRuns, readPointer, type TrustedRun } from "./pointer.ts";
import { tokenOf } from "./token.ts";

export interface ShowOptions {
  runId: string | undefined;
  impacts: boolean;
  tail: number | undefined;
  phase: string | undefined;
  token: string | undefined;
}

/** One record of a run, as `ledger show RUN --json` prints it. */
export interface ShownRecord {
  /** Line of the ledger, from 1. */
  line: number;
  phase: string;
  /** Head of its token: `GATE`; null for free text. */
  token: string | null;
  /** What stands in the token's brackets. */
  arg: string | null;
  text: string;
}

/** Print the open runs, a run's records, or its impacts (docs/spec/craft-run.md 2.11). */
export async function show(host: Host, options: ShowOptions): Promise<Outcome> {
  refuseIdleFlags(options);
  const directory = await findRunDirectory(host);
  if (directory === undefined) throw await noWorkTree(host);
  if (options.runId === undefined) return showRuns(host, directory);
  const runId = requireRunId(PREFIX, options.runId);
  const state = directory.state === "directory" ? readPointer(directory, runId, host.now()) : undefined;
  if (state?.kind !== "trusted") throw ledgerFailure(`no open run: ${runId}`);
  try {
    return options.impacts ? showImpacts(state.run) : showRecords(state.run, options);
  } catch (error) {
    if (error instanceof Refused) throw ledgerFailure(reasonOf(error));
    throw error;
  }
}

function refuseIdleFlags({ runId, impacts, tail, phase, token }: ShowOptions): void {
  const chooses = tail !== undefined || phase !== undefined || token !== undefined;
  if (chooses && (runId === undefined || impacts)) {
    throw ledgerFailure("--tail, --phase and --token choose records: name a run, without --impacts", 2);
  }
  if (impacts && runId === undefined) throw ledgerFailure("--impacts shows those of a run; name it", 2);
}

function showRuns(host: Host, directory: RunDirectory): Outcome {
  const runs = pointedRuns(directory)
    .map((runId) => {
      const state = readPointer(directory, runId, host.now());
      const since =
        state.kind === "trusted" ? state.run.stamp : state.kind === "untrusted" ? state.stamp : undefined;
      const { ledger } = runFiles(directory.path, runId);
      return { run: runId, since: since ?? "unknown", ledger, trusted: state.kind === "trusted" };
    })
    .sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
  const lines = runs.map(
    ({ run, since, ledger, trusted }) =>
      `${run} ${since} ${printable(ledger)}${trusted ? "" : " untrusted"}\n`,
  );
  return { data: runs, text: lines.join("") };
}

function showRecords(run: TrustedRun, { phase, token, tail }: ShowOptions): Outcome<ShownRecord[]> {
  let records: ShownRecord[] = [];
  const keep = tail === undefined ? Number.POSITIVE_INFINITY : tail;
  visitRecords(run.files.ledger, run.runId, (record) => {
    if (phase !== undefined && record.phase !== phase) return;
    if (token !== undefined && record.token !== token) return;
    records.push(record);
    // Twice as many as asked for, then cut: memory stays flat and no record is moved often.
    if (records.length > 2 * keep + 64) records = keep === 0 ? [] : records.slice(-keep);
  });
  if (tail !== undefined) records = tail === 0 ? [] : records.slice(-tail);
  const lines = records.map((record) => `${run.runId} ${record.phase} ${printable(record.text)}\n`);
  return { data: records, text: lines.join("") };
}

/** Every record of a run in its order: lines whose first field is the run-id. */
export function visitRecords(ledger: string, runId: string, visit: (record: ShownRecord) => void): void {
  const decoder = new TextDecoder();
  const head = `${runId} `;
  let number = 0;
  let offset = 0;
  readRecords(ledger, { uid: undefined }, ({ bytes, offset: at }) => {
    // Empty lines are passed over by the reader; each is one byte.
    number += 1 + (at - offset);
    offset = at + bytes.length + 1;
    const line = decoder.decode(bytes);
    if (!line.startsWith(head)) return;
    const space = line.indexOf(" ", head.length);
    if (space < 0) return;
    const raw = line.slice(space + 1);
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    visit({ line: number, phase: line.slice(head.length, space), ...tokenOf(text), text });
  });
}

function showImpacts({ files, runId }: TrustedRun): Outcome {
  const lines = impactLines(files.ledger, runId);
  const data = readStore(files.impacts).map((impact) => ({
    id: impact.id,
    title: impact.title ?? null,
    phase: impact.phase ?? null,
    captured: impact.captured ?? null,
    locus: impact.locus ?? null,
    reason: impact.reason ?? null,
    proof: impact.proof ?? null,
    expected: impact.expected ?? null,
    verdict: impact.verdict?.verdict ?? null,
    rationale: impact.verdict?.rationale ?? null,
    verdictAt: impact.verdict?.at ?? null,
    deferredLine: lines.deferred.has(impact.id),
    filed: lines.filed.has(impact.id),
    incomplete: !isComplete(impact),
  }));
  const notes = data
    .filter(({ incomplete }) => incomplete)
    .map(({ id }) => `${PREFIX}impact ${id} is incomplete; defer the finding again`);
  return { data, text: printableBlock(storeText(files.impacts)), notes };
}

function storeText(path: string): string {
  try {
    return new TextDecoder().decode(readOwnedFile(path, { uid: undefined, maxBytes: 64 * 1024 * 1024 }));
  } catch (error) {
    if (error instanceof Refused && error.reason === "absent") return "";
    throw error;
  }
}
