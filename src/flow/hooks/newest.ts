import type { Artifact } from "../artifact/read.ts";
import type { Layout } from "../common/layout.ts";
import { MAX_ARTIFACT_BYTES, parseStateObject, readStateText } from "../common/state-file.ts";
import { workflowsByAge } from "../common/workflow.ts";

/** A workflow with its artifact. */
export interface Found {
  id: string;
  artifact: Artifact;
}

/** The workflow whose artifact was modified last; undefined when there is none, or that one cannot be read. */
export function newestWorkflow(layout: Layout): Found | undefined {
  const newest = workflowsByAge(layout)[0];
  if (newest === undefined) return undefined;
  const artifact = artifactOf(layout, newest.id);
  return artifact === undefined ? undefined : { id: newest.id, artifact };
}

/** An artifact; undefined when it cannot be read. */
export function artifactOf(layout: Layout, id: string): Artifact | undefined {
  try {
    return readArtifactFile(layout, id);
  } catch {
    return undefined;
  }
}

/** An artifact. Throws what is wrong with it. */
export function readArtifactFile(layout: Layout, id: string): Artifact {
  const path = layout.artifact(id);
  return parseStateObject(path, readStateText(layout.root, path, MAX_ARTIFACT_BYTES));
}
