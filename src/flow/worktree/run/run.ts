import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { DirectoryLock } from "../../../kernel/files/lock.ts";
import { parseObject } from "../../../kernel/text/json.ts";
import { appendEvents, type EventFields } from "../../artifact/events.ts";
import type { Layout } from "../../common/layout.ts";
import { sightMergeLock, textOf } from "../lock/acquire.ts";
import type { GitDirectories, WorkTree } from "../tree/work-tree.ts";
import { Gate } from "./gate.ts";
import type { Journal } from "./journal.ts";
import type { FinalizeReport } from "./schema.ts";

export interface FinalizeOptions {
  wf: string;
  project?: string | undefined;
  "onto-current"?: boolean | undefined;
  "accept-missing"?: boolean | undefined;
  "abort-on-conflict"?: boolean | undefined;
  "discard-ignored"?: boolean | undefined;
  "lock-attempts"?: number | undefined;
  "lock-interval"?: number | undefined;
  "dry-run"?: boolean | undefined;
}

/** What the artifact says of a workflow's worktree, after step 1 has found it sound. */
export interface Identity {
  host: Host;
  layout: Layout;
  wf: string;
  root: string;
  /** T, the worktree. */
  path: string;
  /** B, its branch, without `refs/heads/`. */
  branch: string;
  /** What the main tree was on when the worktree was made. */
  base: { branch: string | null; commit: string } | undefined;
  options: FinalizeOptions;
}

/** What the steps that only look need. */
export interface Looked extends Identity {
  main: WorkTree;
  tree: WorkTree;
  /** Where git keeps the main tree's state. */
  directories: GitDirectories;
  journal: Journal;
  report: FinalizeReport;
}

/** A run of finalize that holds the merge lock. */
export interface Run extends Looked {
  lock: Pick<DirectoryLock, "isOurs">;
  interruption: AbortSignal | undefined;
}

/** Why finalize has a worktree locked (`git worktree lock`). */
export function ownLockReason({ wf }: Pick<Identity, "wf">): string {
  return `jig finalize ${wf}`;
}

/** SIGINT or SIGTERM has come: the journal says where to go on. */
export class Interrupted extends Error {}

/** Between two steps: end here when a signal has come. */
export function betweenSteps({ interruption }: Run): void {
  if (interruption?.aborted) throw new Interrupted();
}

/** Right before what the lock protects: whether it is still ours (docs/spec/flow-worktree.md 4.2). */
export function stillLocked({ lock, layout }: Run): void {
  if (lock.isOurs()) return;
  const metadata = parseObject(textOf(sightMergeLock(layout)) ?? "");
  const holder = typeof metadata?.["workflow_uuid"] === "string" ? metadata["workflow_uuid"] : "unknown";
  throw new Gate("worktree_merge_locked", {
    reason: `the merge lock was taken over by ${holder}`,
    advice:
      "What was done until then is in the journal. Wait until that workflow is done, then run the same command again.",
    holder,
  });
}

/** Append an event; one that cannot be written is a warning. */
export function note(
  { host, layout, wf, report }: Pick<Run, "host" | "layout" | "wf" | "report">,
  event: EventFields,
): void {
  try {
    report.warnings.push(...appendEvents(host, layout, wf, [event]).notes);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    report.warnings.push(`event ${event.event} was not written: ${error.message}`);
  }
}
