import { isoSeconds } from "../../../kernel/text/time.ts";
import { setAt } from "../../artifact/read.ts";
import { updateArtifact } from "../../artifact/store.ts";
import type { Journal, Stage } from "./journal.ts";
import type { Run } from "./run.ts";

/** Note a stage and what goes with it, before the work it announces. A write that fails stops the run. */
export async function enter(
  run: Run,
  stage: Stage,
  facts: Partial<Omit<Journal, "stage">> = {},
): Promise<void> {
  run.journal = { ...run.journal, ...facts, stage };
  await updateArtifact(run.host, run.layout, run.wf, (artifact) => {
    setAt(artifact, "worktree_finalize", run.journal);
    return { result: undefined };
  });
}

/** A new attempt begins at step 4: nothing is left to settle. */
export function begin(run: Run): Promise<void> {
  const { attempt } = run.journal;
  return enter(run, "locked", {
    attempt: attempt + 1,
    started_at: isoSeconds(run.host.now()),
    plan: null,
    trash: null,
  });
}
