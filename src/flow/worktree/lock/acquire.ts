/** Taking and releasing the merge lock (docs/spec/flow-worktree.md 4.2, 4.3). */
import { mkdirSync } from "node:fs";
import type { Host } from "../../../kernel/call/host.ts";
import {
  type DirectoryLock,
  isHeld,
  type LockSighting,
  reclaimDirectoryLock,
  sightLock,
  tryDirectoryLock,
} from "../../../kernel/files/lock.ts";
import { wholeNumber } from "../../../kernel/text/number.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { sleep } from "../../../kernel/text/time.ts";
import { errorClass } from "../../common/error-class.ts";
import type { Layout } from "../../common/layout.ts";
import { insideProject } from "../../common/state-file.ts";
import { type Decision, decideLock, decisionLine, isReclaimable } from "./decide.ts";
import { holderMetadata, METADATA, metadataPath } from "./metadata.ts";

const ATTEMPTS = 9;
const INTERVAL_MS = 5000;
/** More than this in one call is somebody making stale locks. */
const MOST_RECLAIMS = 20;

/** Who asks for the lock. */
export interface LockHolder {
  wf: string;
  /** The absolute path of its worktree. */
  worktreePath: string;
}

export interface LockBudget {
  /** Attempts; `JIG_FLOW_MERGE_LOCK_ATTEMPTS`, else 9. */
  attempts?: number | undefined;
  /** Milliseconds between two; `JIG_FLOW_MERGE_LOCK_INTERVAL_MS`, else 5000. */
  intervalMs?: number | undefined;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

/** A lock that was taken away from a holder proven gone. */
export interface Reclaimed {
  /** `STALE_HOLDER_DEAD wf-…`. */
  decision: string;
  /** The old metadata, as text; null when there was none. */
  metadata: string | null;
}

export interface Waited {
  attempts: number;
  waitedMs: number;
  reclaimed: Reclaimed[];
}

/** The lock was not got. */
export interface LockRefusal {
  /** The holding workflow, `unknown`, or the class of a local error. */
  holder: string;
  /** The decision's line; undefined when the lock could not even be tried. */
  decision: string | undefined;
  /** What happened and what to do, for a person. */
  message: string;
}

export type Acquired = Waited & ({ lock: DirectoryLock } | { refused: LockRefusal });

type LockHost = Pick<Host, "cwd" | "env" | "platform" | "pid" | "now">;

/**
 * Take the merge lock of a project, waiting for a living holder and reclaiming from one that is proven gone. A local error
 * (the directory cannot be written) is reported at once. Nothing is thrown for what is found.
 */
export async function acquireMergeLock(
  host: LockHost,
  layout: Layout,
  holder: LockHolder,
  budget: LockBudget = {},
): Promise<Acquired> {
  const attempts = Math.max(1, budget.attempts ?? variable(host, "JIG_FLOW_MERGE_LOCK_ATTEMPTS") ?? ATTEMPTS);
  const intervalMs = budget.intervalMs ?? variable(host, "JIG_FLOW_MERGE_LOCK_INTERVAL_MS") ?? INTERVAL_MS;
  const waited: Waited = { attempts: 0, waitedMs: 0, reclaimed: [] };
  for (;;) {
    waited.attempts++;
    let attempt: DirectoryLock | LockSighting;
    try {
      insideProject(layout.root, layout.worktrees);
      mkdirSync(layout.worktrees, { recursive: true });
      const metadata = await holderMetadata(host, holder.wf, holder.worktreePath);
      attempt = tryDirectoryLock(layout.mergeLock, metadata, { metadataName: METADATA });
    } catch (error) {
      return { ...waited, refused: localError(layout, error) };
    }
    if (isHeld(attempt)) return { ...waited, lock: attempt };
    const decision = await judge(host, layout, holder.wf);
    const mayReclaim = isReclaimable(decision) && waited.reclaimed.length < MOST_RECLAIMS;
    if (mayReclaim && reclaim(layout, attempt)) {
      waited.reclaimed.push({ decision: decisionLine(decision), metadata: textOf(attempt) });
      continue;
    }
    if (waited.attempts < attempts && !budget.signal?.aborted) {
      const before = performance.now();
      await sleep(intervalMs, budget.signal);
      waited.waitedMs += Math.round(performance.now() - before);
    }
    if (waited.attempts >= attempts || budget.signal?.aborted) {
      return { ...waited, refused: contention(layout, decision) };
    }
  }
}

/** Judge the lock that stands there now, its process included. */
export function judge(host: LockHost, layout: Layout, ownId?: string): Promise<Decision> {
  return decideLock(host, {
    metadataPath: metadataPath(layout.mergeLock),
    root: layout.root,
    ownId,
    askProcess: true,
  });
}

/** What the lock looks like now. */
export function sightMergeLock(layout: Layout): LockSighting {
  return sightLock(layout.mergeLock, METADATA);
}

/** Take away the very lock that was seen; false when it is another by now, or cannot be moved. */
export function reclaim(layout: Layout, seen: LockSighting): boolean {
  return reclaimDirectoryLock(layout.mergeLock, seen, { metadataName: METADATA });
}

/** The metadata of a sighting as text; null without any. */
export function textOf({ metadata }: LockSighting): string | null {
  return metadata === undefined ? null : new TextDecoder().decode(metadata);
}

function variable({ env }: Pick<Host, "env">, name: string): number | undefined {
  return wholeNumber(env[name]);
}

function localError(layout: Layout, error: unknown): LockRefusal {
  const holder = errorClass(error);
  return { holder, decision: undefined, message: ownTrouble(layout, holder) };
}

function contention(layout: Layout, decision: Decision): LockRefusal {
  const line = decisionLine(decision);
  const holder = decision.subject;
  if (decision.word === "LOCK_READ_ERROR" || decision.word === "GIT_WORKTREE_LIST_ERROR") {
    return { holder, decision: line, message: ownTrouble(layout, holder) };
  }
  const whose = holder === "unknown" ? "a workflow that has not signed it" : `workflow ${printable(holder)}`;
  return {
    holder,
    decision: line,
    message:
      `The merge lock ${printable(layout.mergeLock)} is held by ${whose}. Nothing was touched. Wait until it is done and ` +
      "run the same command again; remove the lock only after making sure that workflow is dead (jig flow worktree unlock).",
  };
}

function ownTrouble(layout: Layout, holder: string): string {
  return (
    `The merge lock ${printable(layout.mergeLock)} cannot be used: ${printable(holder)}. This is a problem of this machine and ` +
    "no other workflow's doing. Nothing was touched. Check the permissions of that directory and that git is on PATH, " +
    "then run the same command again."
  );
}
