import { Gate, KEPT, orGate, RERUN } from "../run/gate.ts";
import type { Looked } from "../run/run.ts";
import { BRANCHES, headRef, isContained } from "../tree/refs.ts";

const GATE = "worktree_base_branch_changed";

/** Step 6: the main tree is where the workflow began (docs/spec/flow-worktree.md 5.1). */
export function checkDestination(run: Looked): Promise<void> {
  return orGate(GATE, `${KEPT} Mend what git says. ${RERUN}`, async () => {
    const { host, main, branch, base, options } = run;
    const on = await headRef(host, main);
    if (on === `${BRANCHES}${branch}`) {
      throw new Gate(GATE, {
        reason: `the main tree is on ${branch} itself`,
        advice: `${KEPT} Switch it to the branch that is to get the work. ${RERUN}`,
      });
    }
    if (options["onto-current"] || base === undefined) return;
    const now = on === undefined ? null : on.replace(BRANCHES, "");
    if (now !== base.branch) {
      throw new Gate(GATE, {
        reason: `the worktree was made from ${place(base.branch)}, and the main tree is now on ${place(now)}`,
        advice: `${KEPT} Switch back, or merge into the current one with --onto-current. ${RERUN}`,
      });
    }
    if (!(await isContained(host, main, base.commit, "HEAD"))) {
      throw new Gate(GATE, {
        reason: `the main tree no longer contains ${base.commit}, which the worktree was made from`,
        advice:
          `${KEPT} Its history was rewritten, and merging would bring back what was removed: rebase ${branch}, or merge all ` +
          `the same with --onto-current. ${RERUN}`,
      });
    }
  });
}

function place(branch: string | null): string {
  return branch === null ? "a detached HEAD" : branch;
}
