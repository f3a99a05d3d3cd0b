import { dirname, isAbsolute, normalize } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { isInside, realOrPlain } from "../../../kernel/files/contain.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { type Artifact, mapAt, pendingGate, textAt } from "../../artifact/read.ts";
import type { Layout } from "../../common/layout.ts";
import { isOneDirectory } from "../tree/work-tree.ts";
import { isBranchName } from "./branch-name.ts";
import type { FinalizeOptions, Identity } from "./run.ts";
import { type FinalizeReport, WORKTREE_GATES } from "./schema.ts";

export const FINAL_MODES: readonly string[] = ["merged_and_removed", "removed_no_merge_needed"];

/** There is nothing to finalize. */
export interface Settled {
  outcome: Extract<
    FinalizeReport["outcome"],
    | "skipped"
    | "already_finalized"
    | "blocked_by_gate"
    | "skipped_worktree_path_missing"
    | "skipped_worktree_branch_missing"
  >;
  message: string;
}

export function isWorktreeGate(name: string | null): boolean {
  return (WORKTREE_GATES as readonly (string | null)[]).includes(name);
}

/** Step 1, before any git command: what the artifact says, and whether it may steer a merge and a deletion. */
export function identify(
  host: Host,
  layout: Layout,
  artifact: Artifact,
  options: FinalizeOptions & { wf: string },
): Identity | Settled {
  const mode = textAt(artifact, "worktree_mode");
  if (mode !== "auto_created") {
    return FINAL_MODES.includes(mode ?? "")
      ? { outcome: "already_finalized", message: "The worktree was finalized before." }
      : {
          outcome: "skipped",
          message: "The workflow has no worktree of its own; its work is in the main tree.",
        };
  }
  const gate = pendingGate(artifact);
  if (gate !== null && !isWorktreeGate(gate)) {
    return {
      outcome: "blocked_by_gate",
      message: `The gate ${printable(gate)} is set. Nothing was touched. Resolve it first, then run the same command again.`,
    };
  }
  const [path, branch] = [textAt(artifact, "worktree_path"), textAt(artifact, "worktree_branch")];
  if (path === null || path === "") {
    return {
      outcome: "skipped_worktree_path_missing",
      message: "The artifact names no worktree path; nothing was touched.",
    };
  }
  if (branch === null || branch === "") {
    return {
      outcome: "skipped_worktree_branch_missing",
      message: "The artifact names no worktree branch; nothing was touched.",
    };
  }
  const { wf } = options;
  const root = soundRoot(layout, wf, path, branch);
  if (isInside(realOrPlain(path), realOrPlain(host.cwd))) {
    throw new JigError(
      `the working directory is inside the worktree ${printable(path)}; nothing was changed`,
      {
        hint: "run it from outside, such as the project's root",
      },
    );
  }
  return { host, layout, wf, root, path, branch, base: baseOf(artifact), options };
}

/** The directory three levels above the worktree. Throws unless it is the project that holds the artifact. */
function soundRoot(layout: Layout, wf: string, path: string, branch: string): string {
  const folder = dirname(path);
  const root = dirname(dirname(folder));
  const hint =
    "nothing was changed; when the project was moved, correct the path with " +
    `jig flow set ${wf} worktree_path='"…"' --owned`;
  const isSound =
    isAbsolute(path) &&
    normalize(path) === path &&
    folder === `${root === "/" ? "" : root}/.claude/worktrees`;
  if (!isSound || path.slice(folder.length + 1).startsWith(".") || path.endsWith("/")) {
    throw new JigError(
      `worktree_path of ${wf} is ${printable(path)}, expected an absolute {root}/.claude/worktrees/{name}`,
      { hint },
    );
  }
  if (!isOneDirectory(root, layout.root)) {
    throw new JigError(
      `worktree_path of ${wf} is ${printable(path)}, which is not in its project ${printable(layout.root)}`,
      { hint },
    );
  }
  if (!isBranchName(branch)) {
    throw new JigError(`worktree_branch of ${wf} is ${printable(branch)}, which is no name of a branch`, {
      hint: "nothing was changed; correct it with jig flow set --owned",
    });
  }
  return root;
}

function baseOf(artifact: Artifact): Identity["base"] {
  const base = mapAt(artifact, "worktree_base");
  const [branch, commit] = [base.get("branch"), base.get("commit")];
  if (typeof commit !== "string" || !/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  return { branch: typeof branch === "string" ? branch : null, commit };
}
