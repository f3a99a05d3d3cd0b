/** The three things a workflow begins with (docs/spec/flow.md 6.1). */
import { mkdirSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { createExclusive, publishExclusive } from "../../kernel/files/atomic.ts";
import { FileError } from "../../kernel/files/file-io.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { Layout } from "../common/layout.ts";
import { fromPlain, writeLossless } from "../common/lossless-json.ts";
import { insideProject } from "../common/state-file.ts";
import { type EventFields, eventLine } from "./events.ts";
import { FIELDS, type WorkflowType } from "./fields.ts";
import type { Artifact } from "./read.ts";

/** What is said of a workflow when it begins. */
export interface Beginning {
  id: string;
  /** `YYYY-MM-DDTHH:MM:SSZ`, when the id was made. */
  at: string;
  type: WorkflowType;
  request: string;
  /** The phase of the first event. */
  phase: string;
  /** The program the agent runs in. */
  agentHost: string;
  taskId: string | null;
  taskTools: boolean | "unknown";
  sessionId: string | null;
  plan: string | null;
  design: string | null;
  /** Why the project's root is no repository. */
  fallbackReason: string | null;
  writablePaths: readonly string[];
  /** What was dropped from the workspace's allowlist. */
  dropped: readonly unknown[];
}

/** Whether anything of a workflow of this id is there. */
export function isTaken(layout: Layout, id: string): boolean {
  return [layout.artifact(id), layout.events(id), layout.memory(id)].some(
    (path) => lookAt(path) !== undefined,
  );
}

/**
 * Make event log, memory directory and artifact, each exclusively. The artifact comes last, so that where it is the other
 * two are as well, even after a crash. A failure removes what this call made. Throws `JigError`.
 */
export function createWorkflow(host: Pick<Host, "now">, layout: Layout, beginning: Beginning): void {
  const { id } = beginning;
  const lines = firstEvents(beginning).map((event) => `${eventLine(id, event, host.now())}\n`);
  const artifact = `${writeLossless(firstArtifact(beginning))}\n`;
  insideProject(layout.root, layout.workflows);
  const made: Made[] = [];
  try {
    made.push(...makeDirectories(layout.workflows));
    if (!createExclusive(layout.events(id), lines.join(""))) throw exists(layout.events(id));
    made.push({ path: layout.events(id), remove: unlinkSync });
    mkdirOnce(layout.memory(id));
    made.push({ path: layout.memory(id), remove: rmdirSync });
    if (!publishExclusive(layout.artifact(id), artifact)) throw exists(layout.artifact(id));
  } catch (error) {
    throw undone(error, made);
  }
}

interface Made {
  path: string;
  remove(path: string): void;
}

/** The directory and its missing parents, the outermost first. */
function makeDirectories(path: string): Made[] {
  let first: string | undefined;
  try {
    first = mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new FileError("cannot make", path, error);
  }
  if (first === undefined) return [];
  const made: Made[] = [];
  for (let current = path; current.length >= first.length; current = dirname(current)) {
    made.unshift({ path: current, remove: rmdirSync });
  }
  return made;
}

function mkdirOnce(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    throw errorCode(error) === "EEXIST" ? exists(path) : new FileError("cannot make", path, error);
  }
}

function exists(path: string): JigError {
  return new JigError(`${printable(path)} exists already; nothing was created`, { hint: "try again" });
}

/** Remove what was made, the last first; what cannot be removed is named. */
function undone(error: unknown, made: readonly Made[]): unknown {
  const left: string[] = [];
  for (const { path, remove } of made.toReversed()) {
    try {
      remove(path);
    } catch (failure) {
      // A directory that another call has put something into is no longer ours alone.
      if (errorCode(failure) !== "ENOTEMPTY" && errorCode(failure) !== "EEXIST") left.push(printable(path));
    }
  }
  if (left.length === 0 || !(error instanceof JigError)) return error;
  return new JigError(`${error.message}; left behind: ${left.join(", ")}`, {
    exitCode: error.exitCode,
    hint: "remove what was left behind",
    cause: error,
  });
}

/** Entries for the history and the log that say how the root was found. */
function rootNotes({ at, fallbackReason, dropped }: Beginning): { event: string; ts: string }[] {
  const fallback = { event: "project_root_resolution_fallback", ts: at, reason: fallbackReason };
  const entries = { event: "workspace_writable_paths_entries_dropped", ts: at, dropped };
  return [...(fallbackReason === null ? [] : [fallback]), ...(dropped.length === 0 ? [] : [entries])];
}

function firstEvents(beginning: Beginning): EventFields[] {
  const { at, agentHost, phase, taskId } = beginning;
  const started = {
    event: "workflow_started",
    ts: at,
    host: agentHost,
    phase,
    task_id: taskId,
    agent: "router",
    decision: "start",
    reason: "User request",
  };
  return [started, ...rootNotes(beginning)];
}

/** The artifact at creation: every field of the page that has a value then, in its order. */
export function firstArtifact(beginning: Beginning): Artifact {
  const { id, at, type, request, phase, taskTools, sessionId, plan, design } = beginning;
  const given: Record<string, unknown> = {
    workflow_uuid: id,
    workflow_id: id,
    workflow_type: type,
    user_request: request,
    plan_file: plan,
    design_file: design,
    workspace_writable_paths: beginning.writablePaths,
    status_history: [{ event: "workflow_started", ts: at, phase }, ...rootNotes(beginning)],
    created_at: at,
    updated_at: at,
    session_id: sessionId,
  };
  const artifact: Artifact = new Map();
  for (const [name, { init }] of Object.entries(FIELDS)) {
    if (name in given) artifact.set(name, fromPlain(given[name]));
    else if (init !== undefined) artifact.set(name, fromPlain(init()));
  }
  const capabilities = artifact.get("capabilities");
  if (capabilities instanceof Map) capabilities.set("task_tools_available", taskTools);
  return artifact;
}
