import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import { demoGit } from "../git.ts";
import { jsonOf, type Step } from "../step.ts";

interface Finalized {
  outcome: string;
  copy: { applied: unknown[] };
}

/** A workflow's work in a worktree of its own, one part committed and one not, brought back into the main tree. */
export const isolation: Step = {
  id: "isolation",
  title: "An isolated worktree, finalized under the merge lock",
  needsGit: true,
  async run(demo) {
    // What the steps before left in the example, so that the main tree is clean.
    await demoGit(demo, ["add", "--all"]);
    await demoGit(demo, ["commit", "--quiet", "--allow-empty", "--message", "What the run wrote so far"]);
    const request = join(demo.directory, "request.txt");
    writeFileSync(request, "Round discounts half up");
    const { workflow_uuid: wf } = jsonOf<{ workflow_uuid: string }>(
      await demo.jig(["flow", "new", "--type", "BUILD", "--request-file", request, "--json"]),
    );
    const { worktree_path: tree } = jsonOf<{ worktree_path: string | null }>(
      await demo.jig(["flow", "worktree", "create", wf, "--json"]),
    );
    if (tree === null) throw new JigError("flow worktree create fell back to the main tree");
    writeFileSync(join(tree, "rounding.md"), "Half a cent goes up.\n");
    await demoGit(demo, ["add", "rounding.md"], tree);
    await demoGit(demo, ["commit", "--quiet", "--message", "Say how discounts are rounded"], tree);
    writeFileSync(join(tree, "todo.txt"), "tell the shop\n");
    const report = jsonOf<Finalized>(await demo.jig(["flow", "worktree", "finalize", wf, "--json"]));
    const arrived = ["rounding.md", "todo.txt"].every(
      (name) => readFileSync(join(demo.project, name), "utf8") !== "",
    );
    if (!arrived) throw new JigError("the worktree's work did not arrive in the main tree");
    await demo.jig(["flow", "close", wf, "--outcome", "completed"]);
    return `${report.outcome}: one commit merged, ${report.copy.applied.length} uncommitted file carried over`;
  },
};
