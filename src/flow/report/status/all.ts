import { printable } from "../../../kernel/text/printable.ts";
import { textAt } from "../../artifact/read.ts";
import { ageOf, goalOf, LABELS, type Looked, oneLine } from "./look.ts";

const WIDTHS = [15, 38, 7, 22, 10];
const HEADER = ["STATE", "WORKFLOW ID", "TYPE", "PHASE CURSOR", "UPDATED", "GOAL"];
const RULE_WIDTH = 136;
const GOAL_CHARACTERS = 55;

/** Every workflow in a row of its own, under a head (docs/spec/flow.md 14). */
export function allText(rows: readonly string[]): string {
  return [row(HEADER), "─".repeat(RULE_WIDTH), ...rows].join("\n");
}

/** The row of a workflow. */
export function rowOf(looked: Looked, now: number): string {
  const { artifact, id, state } = looked;
  return row([
    LABELS[state].trimEnd(),
    id,
    textAt(artifact, "workflow_type") ?? "?",
    textAt(artifact, "phase_cursor") || "—",
    ageOf(looked, now),
    oneLine(goalOf(artifact), GOAL_CHARACTERS),
  ]);
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, column) => {
      const text = printable(cell);
      return text + " ".repeat(Math.max(0, (WIDTHS[column] ?? 0) - [...text].length));
    })
    .join("  ")
    .trimEnd();
}
