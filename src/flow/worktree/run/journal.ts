import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import { JigError } from "../../../kernel/call/errors.ts";
import { type Artifact, mapAt } from "../../artifact/read.ts";
import type { Layout } from "../../common/layout.ts";
import { toPlain } from "../../common/lossless-json.ts";
import { PLAN_FILE } from "../apply/plan.ts";

/** How far a run has come; each is written before the work it announces (docs/spec/flow-worktree.md 5.3). */
export const STAGES = [
  "locked",
  "merging",
  "merged",
  "copying",
  "copied",
  "set_aside",
  "removing",
  "worktree_removed",
  "branch_deleted",
] as const;

export type Stage = (typeof STAGES)[number];

const oid = v.nullish(v.pipe(v.string(), v.regex(/^[0-9a-f]{40,64}$/)), null);
const path = v.nullish(v.string(), null);

const JournalSchema = v.object({
  stage: v.picklist(STAGES),
  attempt: v.fallback(v.number(), 0),
  started_at: v.fallback(v.string(), ""),
  head_before: oid,
  head_after: oid,
  branch_tip: oid,
  merge_result: v.nullish(v.picklist(["up_to_date", "merged"]), null),
  backup_dir: path,
  plan: path,
  applied: path,
  trash: path,
});

/** `worktree_finalize` of the artifact. */
export interface Journal extends Omit<v.InferOutput<typeof JournalSchema>, "stage"> {
  /** Undefined before the first run. */
  stage: Stage | undefined;
}

const NONE: Journal = {
  stage: undefined,
  attempt: 0,
  started_at: "",
  head_before: null,
  head_after: null,
  branch_tip: null,
  merge_result: null,
  backup_dir: null,
  plan: null,
  applied: null,
  trash: null,
};

/** The journal of an artifact. Throws `JigError` for one that must not steer anything. */
export function readJournal(
  artifact: Artifact,
  { layout, wf, path }: { layout: Layout; wf: string; path: string },
): Journal {
  const stored = toPlain(mapAt(artifact, "worktree_finalize")) as Record<string, unknown>;
  if (Object.keys(stored).length === 0) return NONE;
  const parsed = v.safeParse(JournalSchema, stored);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw damaged(layout.artifact(wf), `${v.getDotPath(issue) ?? ""}: ${issue.message}`);
  }
  const journal = parsed.output;
  const memory = layout.memory(wf);
  const isBackup = (one: string) => dirname(one) === memory && /^copy-backup-[\w.-]+$/.test(basename(one));
  if (journal.trash !== null && !isTrash(journal.trash, path)) {
    throw damaged(layout.artifact(wf), `trash is ${journal.trash}`);
  }
  if (journal.backup_dir !== null && !isBackup(journal.backup_dir)) {
    throw damaged(layout.artifact(wf), `backup_dir is ${journal.backup_dir}`);
  }
  for (const file of [journal.plan, journal.applied]) {
    if (file !== null && !(basename(file) === PLAN_FILE && isBackup(dirname(file)))) {
      throw damaged(layout.artifact(wf), `a plan is ${file}`);
    }
  }
  return journal;
}

/** Whether a path is a name that a worktree is set aside under. */
export function isTrash(trash: string, worktree: string): boolean {
  const name = basename(trash);
  const prefix = `.trash-${basename(worktree)}-`;
  return (
    dirname(trash) === dirname(worktree) &&
    name.startsWith(prefix) &&
    /^[0-9a-f]{8}$/.test(name.slice(prefix.length))
  );
}

export function trashName(worktree: string, hex: string): string {
  return join(dirname(worktree), `.trash-${basename(worktree)}-${hex}`);
}

function damaged(path: string, what: string): JigError {
  return new JigError(`${path}: worktree_finalize is not what jig writes: ${what}`, {
    hint: "nothing was changed; a newer jig may have written it, else mend the field by hand",
  });
}
