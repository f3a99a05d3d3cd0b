import { readdirSync } from "node:fs";
import { statIfThere } from "../../kernel/files/look.ts";
import { Refused, readOwnedText } from "../../kernel/files/owned-file.ts";
import { isoSeconds, parseIsoSeconds } from "../../kernel/text/time.ts";
import { isRunId, shown } from "../common/run-words.ts";
import { type RunDirectory, type RunFiles, runFiles } from "./directory.ts";
import { ledgerFailure } from "./fail.ts";

/** A pointer is one short line. */
const MAX_POINTER_BYTES = 16_384;

/** How far in the future a run may have been opened by a machine whose clock runs ahead, in milliseconds. */
const CLOCK_TOLERANCE_MS = 300_000;

/** A run whose pointer is trusted (docs/spec/craft-run.md 2.2). */
export interface TrustedRun {
  runId: string;
  /** `<run-id>@<UTC stamp>`. */
  key: string;
  /** When it was opened. */
  stamp: string;
  files: RunFiles;
}

export type PointerState =
  | { kind: "absent" }
  | { kind: "untrusted"; stamp: string | undefined }
  | { kind: "trusted"; run: TrustedRun };

/** The run-key of a run opened now, which needs no escaping in JSON. */
export function runKey(runId: string, milliseconds: number): string {
  return `${runId}@${isoSeconds(milliseconds)}`;
}

/** Read a run's pointer and judge it; only a trusted one is acted on. */
export function readPointer({ path }: RunDirectory, runId: string, now: number): PointerState {
  const files = runFiles(path, runId);
  const found = statIfThere(files.pointer);
  if (found === undefined) return { kind: "absent" };
  const line = found.isFile() ? readLine(files.pointer) : undefined;
  const space = line?.indexOf(" ") ?? -1;
  const key = line?.slice(0, Math.max(space, 0)) ?? "";
  const at = key.indexOf("@");
  const stamp = at > 0 && parseIsoSeconds(key.slice(at + 1)) !== undefined ? key.slice(at + 1) : undefined;
  const trusted =
    line !== undefined &&
    stamp !== undefined &&
    key.slice(0, at) === runId &&
    parseIsoSeconds(stamp)! <= now + CLOCK_TOLERANCE_MS &&
    line.slice(space + 1) === files.ledger &&
    !(statIfThere(files.ledger)?.isSymbolicLink() ?? false);
  return trusted ? { kind: "trusted", run: { runId, key, stamp, files } } : { kind: "untrusted", stamp };
}

function readLine(path: string): string | undefined {
  try {
    const text = readOwnedText(path, { uid: undefined, maxBytes: MAX_POINTER_BYTES });
    const line = text.endsWith("\n") ? text.slice(0, -1) : text;
    return line.includes("\n") ? undefined : line;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** The open run of a run-id. Throws (exit 1) when there is none to trust, or its ledger is gone. */
export function requireOpenRun(directory: RunDirectory, runId: string, now: number): TrustedRun {
  const state =
    directory.state === "directory" ? readPointer(directory, runId, now) : { kind: "absent" as const };
  if (state.kind === "absent") throw ledgerFailure(`no open run: ${runId}`);
  if (state.kind === "untrusted") throw ledgerFailure(`refusing an untrusted pointer for run-id: ${runId}`);
  if (statIfThere(state.run.files.ledger) === undefined) {
    throw ledgerFailure(`ledger is missing, not recreating: ${shown(state.run.files.ledger)}`);
  }
  return state.run;
}

/** Run-ids that have a pointer of any kind, sorted. */
export function pointedRuns({ path, state }: RunDirectory): string[] {
  if (state !== "directory") return [];
  return readdirSync(path)
    .filter((name) => name.endsWith(".pointer"))
    .map((name) => name.slice(0, -".pointer".length))
    .filter(isRunId)
    .sort();
}

/** Every trusted run whose ledger exists, newest run-key first: by stamp, then by key. */
export function trustedRuns(directory: RunDirectory, now: number): TrustedRun[] {
  return pointedRuns(directory)
    .flatMap((runId) => {
      const state = readPointer(directory, runId, now);
      return state.kind === "trusted" && statIfThere(state.run.files.ledger) !== undefined ? [state.run] : [];
    })
    .sort((a, b) => compare(b.stamp, a.stamp) || compare(b.key, a.key));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
