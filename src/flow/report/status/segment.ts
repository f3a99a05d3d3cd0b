import { printable } from "../../../kernel/text/printable.ts";
import { textAt } from "../../artifact/read.ts";
import type { ContextUsage } from "../../common/context-usage.ts";
import { goalOf, LABELS, type Looked, oneLine } from "./look.ts";
import { progressOf } from "./phases.ts";

const LABEL_CHARACTERS = 24;
const SUFFIX_CHARACTERS = 8;

/** How full the context may get before it is shown in yellow, and in red. */
const YELLOW_FROM = 0.7;
const RED_FROM = 0.9;

/** A workflow in one short piece of a status line (docs/spec/flow.md 14). */
export function segment(looked: Looked, usage: ContextUsage | null, colour: boolean): string {
  const { artifact, done, state } = looked;
  const progress = progressOf(artifact, done);
  const cursor = textAt(artifact, "phase_cursor");
  const parts = [
    `⚡ ${labelOf(looked)} ${progress.percent}% · ${LABELS[state].trimEnd()}`,
    ...(cursor === null || cursor === "" ? [] : [cursor]),
    ...(progress.total === 0 ? [] : [`(${progress.done}/${progress.total})`]),
  ];
  return printable(parts.join(" ")) + usageText(usage, colour);
}

/** The slug of the id, else the goal, else the end of the id. */
function labelOf({ artifact, id }: Looked): string {
  const slug = /^wf-(.+)-\d{8}-\d{6}-[0-9a-f]{8}$/.exec(id)?.[1];
  return slug ?? (oneLine(goalOf(artifact), LABEL_CHARACTERS) || id.slice(-SUFFIX_CHARACTERS));
}

function usageText(usage: ContextUsage | null, colour: boolean): string {
  const full = usage?.percent_full;
  if (full === null || full === undefined) return "";
  const text = `ctx:${Math.round(full * 100)}%`;
  const code = full >= RED_FROM ? 31 : full >= YELLOW_FROM ? 33 : undefined;
  return ` · ${colour && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text}`;
}
