import { JigError } from "../../kernel/call/errors.ts";
import { type Artifact, textAt } from "../artifact/read.ts";
import { isDone, readArtifact } from "../artifact/store.ts";
import type { Layout } from "../common/layout.ts";
import { workflowsByAge } from "../common/workflow.ts";

export interface OpenWorkflow {
  id: string;
  artifact: Artifact;
  session: string | null;
}

export interface OpenWorkflows {
  /** The last changed first. */
  open: OpenWorkflow[];
  /** What is said of artifacts that cannot be read. */
  unreadable: string[];
}

/** The workflows of a project that can be read and are not done (docs/spec/flow.md 4). */
export function openWorkflows(layout: Layout): OpenWorkflows {
  const open: OpenWorkflow[] = [];
  const unreadable: string[] = [];
  for (const { id } of workflowsByAge(layout)) {
    let artifact: Artifact;
    try {
      artifact = readArtifact(layout, id);
    } catch (error) {
      if (!(error instanceof JigError)) throw error;
      unreadable.push(error.message);
      continue;
    }
    if (!isProvenDone(layout, id, artifact))
      open.push({ id, artifact, session: textAt(artifact, "session_id") });
  }
  return { open, unreadable };
}

/** A log that cannot be read proves nothing. */
function isProvenDone(layout: Layout, id: string, artifact: Artifact): boolean {
  try {
    return isDone(layout, id, artifact);
  } catch (error) {
    if (error instanceof JigError) return false;
    throw error;
  }
}
