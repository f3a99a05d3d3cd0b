/** An id and the files of a new workflow, in one go (docs/spec/flow.md 6.1). */
import type { Host } from "../../kernel/call/host.ts";
import { type Beginning, createWorkflow, isTaken } from "../artifact/create.ts";
import { layoutOf } from "../common/layout.ts";
import { currentBranch } from "./branch.ts";
import { mintId } from "./mint.ts";
import type { NewWorkflow } from "./schema.ts";

export interface Given extends Omit<Beginning, "id" | "at"> {
  /** The branch the work is on; git's without. */
  branch: string | undefined;
}

/** Mint an id and make the workflow's files. Throws `JigError`, and leaves nothing then. */
export async function begin(host: Host, root: string, given: Given): Promise<NewWorkflow> {
  const layout = layoutOf(root);
  const branch = given.branch ?? (await currentBranch(host, [host.cwd, root]));
  const minted = mintId(host, { request: given.request, branch, isTaken: (id) => isTaken(layout, id) });
  const id = minted.workflow_uuid;
  createWorkflow(host, layout, { ...given, id, at: minted.iso_timestamp });
  return {
    ...minted,
    project_root: root,
    artifact: layout.artifact(id),
    events: layout.events(id),
    state_dir: layout.memory(id),
    session_id: given.sessionId,
  };
}

/** `true`, `false`, and anything else as unknown: what a caller says of a capability. */
export function answerOf(word: string | undefined): boolean | "unknown" {
  if (word === "true") return true;
  return word === "false" ? false : "unknown";
}
