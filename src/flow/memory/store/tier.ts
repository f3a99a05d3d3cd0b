/** Where the memory tiers are (docs/spec/flow.md 9.1). */
import { join } from "node:path";
import { type Layout, type MemoryFile, STATE } from "../../common/layout.ts";
import { WORKSPACE_MEMORY } from "../../common/workspace.ts";
import { templateOf, workspaceTemplateOf } from "../text/files.ts";

export const TIERS = ["workspace", "project", "workflow"] as const;
export type TierName = (typeof TIERS)[number];

export interface Tier {
  name: TierName;
  /** The project or workspace: no file may lead out of it. */
  base: string;
  /** Its `.craftflow/state`, where the memory lock is. */
  state: string;
  directory: string;
  path(file: MemoryFile): string;
  /** The text of a new file. */
  template(file: MemoryFile): string;
}

export function projectTier(layout: Layout): Tier {
  return tier("project", layout.root, layout.projectMemory, templateOf);
}

export function workflowTier(layout: Layout, wf: string): Tier {
  return tier("workflow", layout.root, layout.memory(wf), templateOf);
}

export function workspaceTier(workspace: string): Tier {
  return tier("workspace", workspace, join(workspace, WORKSPACE_MEMORY), workspaceTemplateOf);
}

/** The file that older tools kept directly in the state directory: content for a project file that is missing. */
export function flatPath(layout: Layout, file: MemoryFile): string {
  return join(layout.state, file);
}

function tier(name: TierName, base: string, directory: string, template: (file: MemoryFile) => string): Tier {
  return {
    name,
    base,
    state: join(base, STATE),
    directory,
    path: (file) => join(directory, file),
    template: (file) => template(file),
  };
}
