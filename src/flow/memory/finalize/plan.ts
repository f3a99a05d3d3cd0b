import { printable } from "../../../kernel/text/printable.ts";
import { type Artifact, textAt } from "../../artifact/read.ts";
import { type Layout, MEMORY_FILES, type MemoryFile } from "../../common/layout.ts";
import type { Merged } from "../merge/combine.ts";
import type { DroppedNote, Note } from "../merge/notes.ts";
import { projectTier, type Tier, workflowTier } from "../store/tier.ts";
import { oneLine } from "../text/add.ts";
import {
  bodyEdit,
  bulletEdit,
  debugResultEdit,
  type Edit,
  lineEdit,
  mergeEdit,
  taskIdEdit,
} from "./edits.ts";
import type { FinalizeInput } from "./input.ts";

/** The edits of one file; what only cleans up is done when the file is there, and makes none. */
export interface FilePlan {
  tier: Tier;
  file: MemoryFile;
  edits: Edit[];
  cleanups: Edit[];
}

/** What goes where (docs/spec/flow.md 9.7). Common Gotchas and Completed, which have a cap, are not among it. */
export function planEdits(
  layout: Layout,
  wf: string,
  artifact: Artifact,
  input: FinalizeInput,
  merged: (merged: Merged) => void,
): FilePlan[] {
  const plans = new Map<string, FilePlan>();
  const planOf = (tier: Tier, file: MemoryFile) => {
    const key = tier.path(file);
    const plan = plans.get(key) ?? { tier, file, edits: [], cleanups: [] };
    plans.set(key, plan);
    return plan;
  };
  const [project, workflow] = [projectTier(layout), workflowTier(layout, wf)];
  // Project first: what is shared is there before the workflow's own says so.
  for (const tier of [project, workflow]) for (const file of MEMORY_FILES) planOf(tier, file);

  const { retractions } = input;
  const learn = (tier: Tier, notes: (Note | DroppedNote)[]) => {
    const { cleanups, edits } = planOf(tier, "activeContext.md");
    const edit = mergeEdit("Learnings", { notes, retractions }, merged);
    if (notes.some((note) => !("warning" in note))) edits.push(edit);
    else if (retractions.length > 0) cleanups.push(edit);
  };
  learn(project, input.promote);
  learn(workflow, [...input.learnings, ...input.promote]);

  const own = planOf(workflow, "activeContext.md").edits;
  for (const text of input.deferred) own.push(bulletEdit("Next Steps", `[Deferred]: ${text}`));
  if (input.debugResult !== undefined) own.push(debugResultEdit(wf, input.debugResult));

  const progress = planOf(workflow, "progress.md").edits;
  for (const text of input.verification) progress.push(bulletEdit("Verification", text));
  if (input.tasks !== undefined) progress.push(bodyEdit("Tasks", input.tasks));

  if (input.summary !== undefined) {
    planOf(project, "progress.md").edits.push(bulletEdit("Completed", input.summary));
  }
  const context = planOf(project, "activeContext.md");
  context.cleanups.push(taskIdEdit(wf));
  context.edits.push(...planReferences(artifact));
  return [...plans.values()];
}

/** A finished plan is what the next session begins with. */
function planReferences(artifact: Artifact): Edit[] {
  const [plan, design] = ["plan_file", "design_file"].map((field) => {
    const path = textAt(artifact, field);
    return path === null || path.trim() === "" ? undefined : printable(oneLine(path).trim());
  });
  if (textAt(artifact, "workflow_type") !== "PLAN" || plan === undefined) return [];
  const waits = textAt(artifact, "planning_review_status") === "needs_clarification";
  return [
    lineEdit("References", "- Plan:", `- Plan: ${plan}`),
    ...(design === undefined ? [] : [lineEdit("References", "- Design:", `- Design: ${design}`)]),
    bulletEdit("Recent Changes", `Plan saved: ${plan}`),
    ...(waits ? [] : [lineEdit("Next Steps", "1. Execute plan:", `1. Execute plan: ${plan}`, "first")]),
  ];
}
