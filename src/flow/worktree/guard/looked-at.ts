import { JigError } from "../../../kernel/call/errors.ts";
import { readArtifact } from "../../artifact/store.ts";
import { KEPT, orGate, RERUN } from "../run/gate.ts";
import { readJournal } from "../run/journal.ts";
import type { Identity, Looked } from "../run/run.ts";
import type { FinalizeReport } from "../run/schema.ts";
import { isOneDirectory, linkedTree, repositoryOf, treeAt } from "../tree/work-tree.ts";

/** The two trees, and where git keeps the main one's state. */
export async function lookedAt(subject: Identity, report: FinalizeReport): Promise<Looked> {
  const { host, layout, wf, root, path } = subject;
  const journal = readJournal(readArtifact(layout, wf), subject);
  const main = treeAt(root);
  const directories = await orGate("worktree_merge_unrecognized_failure", `${KEPT} ${RERUN}`, async () => {
    const found = await repositoryOf(host, main);
    if ("missing" in found) throw new JigError(`git finds no repository in ${root}: ${found.missing}`);
    if (!isOneDirectory(found.top, root))
      throw new JigError(`${root} is not the top of its working tree, ${found.top} is`);
    return found.directories;
  });
  return { ...subject, main, tree: linkedTree(path), directories, journal, report };
}
