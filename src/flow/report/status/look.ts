/** A workflow as a status sees it (docs/spec/flow.md 14). */

import { statSync } from "node:fs";
import { JigError } from "../../../kernel/call/errors.ts";
import { type Artifact, textAt } from "../../artifact/read.ts";
import { stateOf, type WorkflowState } from "../../artifact/state.ts";
import { isDone, readArtifact } from "../../artifact/store.ts";
import type { Layout } from "../../common/layout.ts";
import { parseTimestamp } from "../../common/timestamp.ts";
import { workflowsByAge } from "../../common/workflow.ts";

export interface Seen {
  id: string;
  artifact: Artifact;
  modifiedMs: number;
}

export interface Looked extends Seen {
  done: boolean;
  state: WorkflowState;
}

/** Labels of one width, for the head of a report. */
export const LABELS: Readonly<Record<WorkflowState, string>> = {
  BLOCKED: "⚠️  BLOCKED",
  DONE: "✅ DONE   ",
  RUNNING: "🟢 RUNNING",
  IDLE: "⏸  IDLE   ",
};

/** What an artifact says, and how long ago it was written. Throws `JigError` for one that cannot be read. */
export function seeWorkflow(layout: Layout, id: string): Seen {
  const artifact = readArtifact(layout, id);
  const modifiedMs = statSync(layout.artifact(id), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return { id, artifact, modifiedMs };
}

/** The same with its state, for which the event log is looked through. */
export function lookAtWorkflow(layout: Layout, seen: Seen, now: number): Looked {
  const done = isDone(layout, seen.id, seen.artifact);
  return { ...seen, done, state: stateOf(seen.artifact, { done, modifiedMs: seen.modifiedMs, now }) };
}

/** Workflows that can be read, newest first; `unreadable` gets a line for each of the others. */
export function* readableWorkflows(layout: Layout, unreadable: (line: string) => void): Generator<Seen> {
  for (const { id } of workflowsByAge(layout)) {
    try {
      yield seeWorkflow(layout, id);
    } catch (error) {
      if (!(error instanceof JigError)) throw error;
      unreadable(`passed over: ${error.message}`);
    }
  }
}

/** What the workflow is for, as it was written. */
export function goalOf(artifact: Artifact): string {
  const goal = textAt(artifact, "intent.goal");
  return goal === null || goal.trim() === "" ? (textAt(artifact, "user_request") ?? "") : goal;
}

/** A text on one line, at most this many characters, `…` at the end of what was cut. */
export function oneLine(text: string, characters: number): string {
  const line = text
    .slice(0, characters * LONGEST_RUN)
    .replaceAll(/\s+/g, " ")
    .trim();
  const all = [...line];
  return all.length <= characters ? line : `${all.slice(0, characters - 1).join("")}…`;
}

/** More blanks in a row than this shorten what is shown; they are not worth reading a long text for. */
const LONGEST_RUN = 8;

/** How long ago the artifact says it was written, else the file: `5m ago`; `?` when neither is known. */
export function ageOf({ artifact, modifiedMs }: Seen, now: number): string {
  const written = parseTimestamp(textAt(artifact, "updated_at") ?? "");
  const at = written ?? (modifiedMs > 0 ? modifiedMs : undefined);
  if (at === undefined) return "?";
  const seconds = Math.max(0, Math.floor((now - at) / 1_000));
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h ago`;
  return `${Math.floor(seconds / 86_400)}d ago`;
}
