import { join } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import { isInside, realOrPlain } from "../../../kernel/files/contain.ts";
import { isDirectory } from "../../../kernel/files/look.ts";
import { type Artifact, listAt, textAt } from "../../artifact/read.ts";
import { MEMORY_FILES } from "../../common/layout.ts";
import { workflowsByAge } from "../../common/workflow.ts";
import { findWritableWorkspace, WORKSPACE_MEMORY } from "../../common/workspace.ts";
import { artifactOf } from "../newest.ts";
import { type Guarded, permitOf } from "./places.ts";

/** What a session's writes are kept inside of (docs/spec/flow.md 15.3). Real paths go in. */
export class Confinement {
  private readonly host: Host;
  /** As the payload has it: the host names its own memory directory after it. */
  private readonly cwd: string;
  private readonly session: string | undefined;
  private readonly projects: readonly Guarded[];
  private granted: Granted | undefined;

  constructor(host: Host, cwd: string, session: string | undefined, projects: readonly Guarded[]) {
    this.host = host;
    this.cwd = cwd;
    this.session = session;
    this.projects = projects;
  }

  /** Whether a file is below the session's directory, the live workflow's worktree, or is one it may write by name. */
  holds(path: string): boolean {
    const real = realOrPlain(this.cwd);
    if (isInside(real, path)) return true;
    // Most writes are inside: no artifact is read for them.
    this.granted ??= grantedBy(liveWorkflow(this.projects, this.session));
    const { files, worktree } = this.granted;
    return (worktree !== undefined && isInside(worktree, path)) || files.has(path);
  }

  /** Whether a file is one that the host or a workspace lets the session write elsewhere. */
  grantsElsewhere(path: string): boolean {
    return isHostMemory(path, this.cwd, this.host) || this.isWorkspaceMemory(path);
  }

  /** Only while memory is finalized, and only through links that stay in the workspace. */
  private isWorkspaceMemory(path: string): boolean {
    const [project] = this.projects;
    if (project === undefined || permitOf(project) === undefined) return false;
    const workspace = findWritableWorkspace(this.host, project.root);
    if (workspace === undefined || !isInside(realOrPlain(workspace), path)) return false;
    return MEMORY_FILES.some((name) => realOrPlain(join(workspace, WORKSPACE_MEMORY, name)) === path);
  }
}

interface Granted {
  worktree: string | undefined;
  files: ReadonlySet<string>;
}

function grantedBy(workflow: Artifact | undefined): Granted {
  if (workflow === undefined) return { worktree: undefined, files: new Set() };
  const paths = listAt(workflow, "workspace_writable_paths").filter((path) => typeof path === "string");
  return {
    worktree: realOrPlain(textAt(workflow, "worktree_path")!),
    files: new Set(paths.map(realOrPlain)),
  };
}

/** The host's own memory directory for a session's directory: its notes, and those of agents one directory deeper. */
function isHostMemory(path: string, cwd: string, { home, platform }: Host): boolean {
  if (home === undefined) return false;
  const separators = platform === "win32" ? "/.\\:" : "/.";
  const name = Array.from(cwd, (character) => (separators.includes(character) ? "-" : character)).join("");
  const directory = realOrPlain(join(home, ".claude", "projects", name));
  if (!isInside(directory, path)) return false;
  const parts = path.slice(directory.length + 1).split(/[\\/]/);
  return isNote(parts) || isNote(parts.slice(1));
}

function isNote(parts: readonly string[]): boolean {
  return (parts.length === 1 && parts[0] === "MEMORY.md") || (parts.length > 1 && parts[0] === "memory");
}

/**
 * The live workflow that grants its worktree and its writable paths: of the first project that has one, so that an empty
 * state directory on the way hides none; the session's own, else the newest.
 */
function liveWorkflow(projects: readonly Guarded[], session: string | undefined): Artifact | undefined {
  for (const { layout } of projects) {
    let newest: Artifact | undefined;
    for (const { id } of workflowsByAge(layout)) {
      const artifact = artifactOf(layout, id);
      if (artifact === undefined || !isLive(artifact)) continue;
      if (session === undefined || artifact.get("session_id") === session) return artifact;
      newest ??= artifact;
    }
    if (newest !== undefined) return newest;
  }
  return undefined;
}

/** Live for confinement (docs/spec/flow.md 4). */
function isLive(artifact: Artifact): boolean {
  const mode = textAt(artifact, "worktree_mode");
  if (mode === "merged_and_removed" || mode === "removed_no_merge_needed") return false;
  const path = textAt(artifact, "worktree_path");
  return path !== null && path !== "" && isDirectory(path);
}
