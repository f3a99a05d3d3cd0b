import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { Report, Result } from "../schema.ts";
import type { Found } from "./scan.ts";

/** What happened to one skill, and what a person should read about it. */
export interface Done {
  result: Result;
  notes: string[];
}

/** What a call did with a skill that was found, and why. */
export function doneWith(
  { name, directory, destination, inspection }: Found,
  action: Result["action"],
  notes: string[],
  more: Partial<Result> = {},
): Done {
  const { agents: hosts } = destination;
  const { state } = inspection;
  return { result: { action, name, dir: directory, hosts, state, backup: null, files: [], ...more }, notes };
}

const TROUBLE = new Set<Result["action"]>(["kept-edited", "refused-foreign", "refused-newer", "failed"]);
const CHANGES = new Set<Result["action"]>(["installed", "updated", "removed"]);

/** The report of install, update and uninstall (docs/spec/skills.md section 4): a line per skill, notes on stderr. */
export function reportOf(done: readonly Done[], before: readonly string[], dryRun: boolean): Outcome<Report> {
  const results = done.map(({ result }) => result);
  // One reason for many skills, such as a lock that cannot be had, is said once.
  const notes = [...new Set([...before, ...done.flatMap((one) => one.notes)])];
  if (results.length > 0) notes.push(summary(results, dryRun));
  return {
    data: { results, notes },
    text: results.map(({ action, name, dir }) => `${action}\t${name}\t${printable(dir)}\n`).join(""),
    notes,
    exitCode: results.some(({ action }) => TROUBLE.has(action)) ? 1 : 0,
  };
}

function summary(results: readonly Result[], dryRun: boolean): string {
  const counts = new Map<string, number>();
  for (const { action } of results) counts.set(action, (counts.get(action) ?? 0) + 1);
  const text = [...counts].map(([action, count]) => `${count} ${action}`).join(", ");
  if (dryRun) return `${text} (dry run: nothing was written)`;
  const changed = results.some(({ action }) => CHANGES.has(action));
  return changed ? `${text}. Some hosts read skills only at session start: start a new session there` : text;
}
