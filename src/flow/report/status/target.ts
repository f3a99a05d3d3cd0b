/** Which workflow a status is about (docs/spec/flow.md 14). */
import { JigError } from "../../../kernel/call/errors.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { textAt } from "../../artifact/read.ts";
import { isDone } from "../../artifact/store.ts";
import { isWorkflowId, type Layout } from "../../common/layout.ts";
import { MAX_MEMORY_BYTES, parseStateObject, readStateText } from "../../common/state-file.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { goalOf, readableWorkflows, type Seen, seeWorkflow } from "./look.ts";

export interface Wanted {
  wf?: string | undefined;
  /** Part of a goal, request or id, any case. */
  feature?: string | undefined;
  /** Path or branch of a worktree. */
  worktree?: string | undefined;
}

/** The workflow that is wanted, the current one without a wish; undefined when the project has none. */
export function chooseWorkflow(
  layout: Layout,
  wanted: Wanted,
  note: (line: string) => void,
): Seen | undefined {
  if (wanted.wf !== undefined) return seeWorkflow(layout, findWorkflow(layout, wanted.wf, "read"));
  const { feature, worktree } = wanted;
  if (feature !== undefined) return byFeature(layout, feature, note);
  if (worktree !== undefined) return byWorktree(layout, worktree, note);
  return currentWorkflow(layout, note);
}

function byFeature(layout: Layout, feature: string, note: (line: string) => void): Seen {
  const part = feature.toLowerCase();
  const matches = [...readableWorkflows(layout, note)].filter(({ artifact, id }) =>
    [goalOf(artifact), textAt(artifact, "user_request") ?? "", id].some((text) =>
      text.toLowerCase().includes(part),
    ),
  );
  if (matches.length === 0) throw noMatch(layout, `--feature ${feature}`);
  if (matches.length > 1) note(severalMatch(feature, matches));
  return matches[0]!;
}

function severalMatch(feature: string, matches: readonly Seen[]): string {
  const others = matches.slice(1, 6).map(({ id }) => id);
  const more = matches.length > 6 ? ", …" : "";
  return `${matches.length} workflows match ${feature}; this is the newest, the others: ${others.join(", ")}${more}`;
}

function byWorktree(layout: Layout, worktree: string, note: (line: string) => void): Seen {
  const all = [...readableWorkflows(layout, note)];
  const plain = worktree.length > 1 && worktree.endsWith("/") ? worktree.slice(0, -1) : worktree;
  const equal = all.find(({ artifact }) =>
    [textAt(artifact, "worktree_path"), textAt(artifact, "worktree_branch")].includes(plain),
  );
  const hex = lastHex(plain);
  const found = equal ?? all.find(({ id }) => hex !== undefined && lastHex(id) === hex);
  if (found === undefined) throw noMatch(layout, `--worktree ${worktree}`);
  return found;
}

/** The eight digits that an id, a worktree's directory and its branch end with. */
function lastHex(text: string): string | undefined {
  return /(?:^|[^0-9a-f])([0-9a-f]{8})$/i.exec(text.slice(-9))?.[1]?.toLowerCase();
}

function noMatch(layout: Layout, what: string): JigError {
  return new JigError(`no workflow in ${printable(layout.root)} matches ${printable(what)}`, {
    hint: "jig flow status --all shows every one",
  });
}

/**
 * The workflow of the last snapshot, else the newest. A snapshot of one that is done counts for nothing while a newer one
 * is open.
 */
export function currentWorkflow(layout: Layout, note: (line: string) => void): Seen | undefined {
  const saved = snapshotWorkflow(layout);
  if (saved !== undefined && !isDone(layout, saved.id, saved.artifact)) return saved;
  for (const seen of readableWorkflows(layout, note)) {
    if (saved === undefined) return seen;
    if (seen.modifiedMs <= saved.modifiedMs) break;
    if (!isDone(layout, seen.id, seen.artifact)) return seen;
  }
  return saved;
}

/** Undefined for a snapshot that is missing, unreadable or of a workflow that is gone. */
function snapshotWorkflow(layout: Layout): Seen | undefined {
  try {
    const text = readStateText(layout.root, layout.snapshot, MAX_MEMORY_BYTES);
    const id = parseStateObject(layout.snapshot, text).get("workflow_uuid");
    return typeof id === "string" && isWorkflowId(id) ? seeWorkflow(layout, id) : undefined;
  } catch (error) {
    if (error instanceof JigError) return undefined;
    throw error;
  }
}
