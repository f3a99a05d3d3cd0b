/** Reading and changing an artifact; every change is made by one writer at a time (docs/spec/flow.md 1.7). */
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { FileError } from "../../kernel/files/file-io.ts";
import { printable } from "../../kernel/text/printable.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import type { Layout } from "../common/layout.ts";
import { withArtifactLock } from "../common/lock.ts";
import { writeLossless } from "../common/lossless-json.ts";
import {
  insideProject,
  MAX_ARTIFACT_BYTES,
  parseStateObject,
  readStateBytes,
  readStateText,
  StateFileError,
  stateText,
} from "../common/state-file.ts";
import { type AppendedEvents, appendEventLines, type EventFields, endsInLog, eventLine } from "./events.ts";
import { type Artifact, endsInHistory } from "./read.ts";

/** A workflow's artifact. Throws `StateFileError` (exit 1) with line and column; the file is never touched. */
export function readArtifact(layout: Layout, wf: string): Artifact {
  const path = layout.artifact(wf);
  return parseStateObject(path, readStateText(layout.root, path, MAX_ARTIFACT_BYTES));
}

/** Done: nothing more is expected of the workflow (docs/spec/flow.md 4). */
export function isDone(layout: Layout, wf: string, artifact: Artifact): boolean {
  return endsInHistory(artifact) || endsInLog(layout, wf);
}

/** What a change comes to. */
export interface Change<T> {
  result: T;
  /** Events to append once the artifact is written. */
  events?: readonly EventFields[];
  /** False: nothing is to be written, neither artifact nor events. */
  write?: boolean;
}

export interface Updated<T> {
  result: T;
  /** Whole lines for stderr. */
  notes: readonly string[];
  /** The lines that were appended to the log. */
  lines: readonly string[];
}

/** What others did between our reading and our writing was seen this often in a row. */
const MOST_TRIES = 5;

type StoreHost = Pick<Host, "env" | "pid" | "now">;

/**
 * Change an artifact under its lock: read, change in place, write. `change` gets the moment (`updated_at`) and may be
 * called again on newer bytes when a tool without our lock wrote in between; it throws to write nothing. Events are
 * appended after the artifact is written, under the same lock; one that is too long stops the change before anything is
 * written. Throws `JigError`.
 */
export function updateArtifact<T>(
  host: StoreHost,
  layout: Layout,
  wf: string,
  change: (artifact: Artifact, at: string) => Change<T> | Promise<Change<T>>,
): Promise<Updated<T>> {
  // Without it the lock file of a workflow that does not exist would be made.
  insideProject(layout.root, layout.artifact(wf));
  return withArtifactLock(host, layout, wf, () => updateLocked(host, layout, wf, change));
}

/** As `updateArtifact`, for a caller that holds the artifact's lock. */
export async function updateLocked<T>(
  host: StoreHost,
  layout: Layout,
  wf: string,
  change: (artifact: Artifact, at: string) => Change<T> | Promise<Change<T>>,
): Promise<Updated<T>> {
  const path = layout.artifact(wf);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = readStateBytes(layout.root, path, MAX_ARTIFACT_BYTES);
    const artifact = parseStateObject(path, stateText(path, before));
    const now = host.now();
    const at = isoSeconds(now);
    const { result, events = [], write } = await change(artifact, at);
    if (write === false) return { result, notes: [], lines: [] };
    const lines = events.map((event) => eventLine(wf, { ts: at, ...event }, now));
    artifact.set("updated_at", at);
    const unchanged = () => sameBytes(readStateBytes(layout.root, path, MAX_ARTIFACT_BYTES), before);
    const written = writeArtifact(layout, wf, artifact, unchanged);
    if (written === "changed-meanwhile") continue;
    const appended = appendAfter(layout, wf, lines);
    if (written === "written") return { result, ...appended };
    throw new JigError(`${printable(path)} was changed, but ${written.unflushed.message}`, {
      cause: written.unflushed,
      hint: "the change is there; a power cut may still undo it",
    });
  }
  throw new StateFileError(path, "artifact keeps changing underneath; nothing was written", {
    hint: "another program writes it without jig's lock; try again when that is done",
  });
}

/** `unflushed`: the new artifact is in its place, and may not outlast a power cut. */
type Written = "written" | "changed-meanwhile" | { unflushed: FileError };

/** Replace the artifact, unless `stillWanted` says no right before. The caller holds the lock. */
function writeArtifact(layout: Layout, wf: string, artifact: Artifact, stillWanted: () => boolean): Written {
  const path = layout.artifact(wf);
  const text = `${writeLossless(artifact)}\n`;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_ARTIFACT_BYTES) {
    throw new StateFileError(path, `would be ${bytes.length} bytes; ${MAX_ARTIFACT_BYTES} are the limit`, {
      hint: "keep long results in files and name them in the artifact",
    });
  }
  try {
    const replaced = writeFileAtomic(insideProject(layout.root, path), bytes, {
      keepMode: true,
      stillWanted,
    });
    return replaced ? "written" : "changed-meanwhile";
  } catch (error) {
    // Only after the rename: what belongs to the change, its events, still has to follow.
    if (error instanceof FileError && isInPlace(layout, path, bytes)) return { unflushed: error };
    throw error;
  }
}

function isInPlace(layout: Layout, path: string, bytes: Uint8Array): boolean {
  try {
    return sameBytes(readStateBytes(layout.root, path, MAX_ARTIFACT_BYTES), bytes);
  } catch {
    return false;
  }
}

function appendAfter(layout: Layout, wf: string, lines: readonly string[]): AppendedEvents {
  if (lines.length === 0) return { lines, notes: [] };
  try {
    return appendEventLines(layout, wf, lines);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    throw new JigError(
      `${printable(layout.artifact(wf))} was changed, but its event log was not: ${error.message}`,
      { cause: error, ...(error.hint === undefined ? {} : { hint: error.hint }) },
    );
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
