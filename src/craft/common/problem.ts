import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";

/** Something wrong in a file the engine reads, at its place. */
export interface Problem {
  /** The pinned text. */
  message: string;
  /** Follows the pinned text: `did you mean design?`. */
  hint?: string;
  /** The file as it was named; undefined for what came from the command line. */
  file?: string;
  /** 1-based; undefined when no line is to blame. */
  line?: number;
  column?: number;
}

/**
 * A problem on one line (or more, where its text is pinned so): the pinned text, the hint, and natively where it is.
 * Under a drop-in name the place is left out, so that upstream's callers see upstream's text
 * (docs/spec/craft-engine.md, Beyond upstream).
 * `context` is the file the reader knows about already; only another one is named beside the line.
 */
export function problemText(problem: Problem, host: Pick<Host, "invokedAs">, context?: string): string {
  const hint = problem.hint === undefined ? "" : `; ${problem.hint}`;
  return `${problem.message}${hint}${isDropIn(host) ? "" : placeText(problem, context)}`;
}

function placeText({ file, line }: Problem, context: string | undefined): string {
  if (line === undefined) return file === undefined || file === context ? "" : ` (${file})`;
  return file === undefined || file === context ? ` (line ${line})` : ` (${file} line ${line})`;
}

/** Whether the call came under an upstream name. */
export function isDropIn(host: Pick<Host, "invokedAs">): boolean {
  return host.invokedAs !== undefined;
}

/** A message whose inserted values are someone else's words: each is shown on one line, and obeyed by no terminal. */
export function shown(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return strings
    .map((text, index) => (index === 0 ? text : printable(String(values[index - 1])) + text))
    .join("");
}

/** A list in a message: its first twenty, and how many more there are. */
export function listed(words: readonly string[]): string {
  const some = words.slice(0, LONGEST_LIST);
  if (words.length > some.length) some.push(`… and ${words.length - some.length} more`);
  return some.join(", ");
}

const LONGEST_LIST = 20;

/** Errors of one kind that are told; the rest often follows from them, and a hostile file may have a million. */
export const MOST_ERRORS = 100;
