import { EXIT } from "../../../kernel/call/errors.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printable, printableBlock } from "../../../kernel/text/printable.ts";
import { type Artifact, textAt } from "../../artifact/read.ts";
import type { Gate } from "./gate.ts";
import type { Identity } from "./run.ts";
import type { FinalizeReport } from "./schema.ts";

/** A report on which nothing has happened yet. */
export function emptyReport({
  wf,
  root,
  path,
  branch,
}: Pick<Identity, "wf" | "root" | "path" | "branch">): FinalizeReport {
  return blank(wf, root, path, branch);
}

/** The same, of an artifact that need not be sound. */
export function reportOn(root: string, wf: string, artifact: Artifact): FinalizeReport {
  return blank(wf, root, textAt(artifact, "worktree_path"), textAt(artifact, "worktree_branch"));
}

function blank(wf: string, root: string, path: string | null, branch: string | null): FinalizeReport {
  return {
    outcome: "skipped",
    gate: null,
    holder: null,
    workflow_uuid: wf,
    project_root: root,
    worktree_path: path,
    worktree_branch: branch,
    merge: { result: null, head_before: null, head_after: null, output: null },
    copy: { ran: false, applied: [], skipped: [], diverged: [], backup_dir: null },
    cleanup: {
      worktree_removed: false,
      branch_deleted: false,
      failed_command: null,
      output: null,
      trash: null,
      kept_dir: null,
      kept: [],
      ignored_files_discarded: 0,
    },
    lock: { attempts: 0, waited_ms: 0, reclaimed: [], decision: null },
    operation: null,
    would_overwrite: [],
    ignored_entries: [],
    warnings: [],
    message: "",
    next: "memory_finalize",
  };
}

const GOOD: readonly FinalizeReport["outcome"][] = [
  "merged_and_removed",
  "removed_no_merge_needed",
  "skipped",
  "skipped_worktree_path_missing",
  "skipped_worktree_branch_missing",
  "already_finalized",
  "dry_run",
];

/** The end of a run: exit 0, or 3 where a person must decide. */
export function outcomeOf(
  report: FinalizeReport,
  outcome: FinalizeReport["outcome"],
  message: string,
): Outcome<FinalizeReport> {
  const isGood = GOOD.includes(outcome);
  const data = {
    ...report,
    outcome,
    message,
    next: isGood ? ("memory_finalize" as const) : ("resolve_and_rerun" as const),
  };
  return {
    data,
    text: `${outcome}\n${printableBlock(message)}`,
    exitCode: isGood ? EXIT.done : EXIT.notThisTime,
    notes: report.warnings.map((warning) => `warning: ${printable(warning)}`),
  };
}

/** What happened, what is untouched, what to do. */
export function gateMessage({ facts }: Pick<Gate, "facts">): string {
  const reason = facts.reason.endsWith(".") ? facts.reason : `${facts.reason}.`;
  return [reason[0]!.toUpperCase() + reason.slice(1), facts.advice].filter(Boolean).join(" ");
}
