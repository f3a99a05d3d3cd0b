/** Where workflow state is (docs/spec/flow.md 1.5). */
import { join } from "node:path";

/** The three memory files of each tier. */
export const MEMORY_FILES = ["activeContext.md", "patterns.md", "progress.md"] as const;
export type MemoryFile = (typeof MEMORY_FILES)[number];

const LONGEST_ID = 200;

/** Whether a word has the form of a workflow's id: it becomes a file name, so nothing in it leads elsewhere. */
export function isWorkflowId(word: string): boolean {
  if (word.length === 0 || word.length > LONGEST_ID || word.includes("..")) return false;
  // A loop: the first pattern a process runs costs a short command two milliseconds.
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    const isDigit = code >= 0x30 && code <= 0x39;
    const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
    if (!isDigit && !isLetter && (at === 0 || !"._-".includes(word[at]!))) return false;
  }
  return true;
}

/** `.craftflow/state` below a project's root. */
export const STATE = join(".craftflow", "state");

/** The paths of a project; ids are to be checked before (`isWorkflowId`). */
export interface Layout {
  readonly root: string;
  /** `.craftflow/state`. */
  readonly state: string;
  readonly workflows: string;
  artifact(wf: string): string;
  events(wf: string): string;
  /** The memory tier of one workflow, which also takes what is too long for an event. */
  memory(wf: string): string;
  /** Kernel lock of whoever changes the artifact. */
  lock(wf: string): string;
  readonly projectMemory: string;
  /** Holds the id of the workflow whose memory is being finalized. */
  readonly permit: string;
  readonly snapshot: string;
  readonly hookLog: string;
  readonly denials: string;
  readonly denialLock: string;
  readonly worktrees: string;
  readonly mergeLock: string;
}

/** The layout below a project's root, an absolute path. */
export function layoutOf(root: string): Layout {
  const state = join(root, STATE);
  const workflows = join(state, "workflows");
  const worktrees = join(root, ".claude", "worktrees");
  return {
    root,
    state,
    workflows,
    artifact: (wf) => join(workflows, `${wf}.json`),
    events: (wf) => join(workflows, `${wf}.events.jsonl`),
    memory: (wf) => join(workflows, wf),
    lock: (wf) => join(workflows, `${wf}.lock`),
    projectMemory: join(state, "project"),
    permit: join(state, ".memory-finalize"),
    snapshot: join(state, "precompact-state.json"),
    hookLog: join(state, "craftflow-hook-events.log"),
    denials: join(state, ".denial-tracker.json"),
    denialLock: join(state, ".denial-tracker.lock"),
    worktrees,
    mergeLock: join(worktrees, ".merge.lock"),
  };
}

/** `.memory.lock` of a state directory (a project's `.craftflow/state`, or a workspace's). */
export function memoryLockOf(stateDirectory: string): string {
  return join(stateDirectory, ".memory.lock");
}
