/** The argument WF (docs/spec/flow.md 1.4). */
import { readdirSync, statSync } from "node:fs";
import { EXIT, errorCode, JigError, UsageError } from "../../kernel/call/errors.ts";
import { FileError } from "../../kernel/files/file-io.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { editDistance } from "../../kernel/text/nearest.ts";
import { printable } from "../../kernel/text/printable.ts";
import { isWorkflowId, type Layout } from "./layout.ts";

export const LATEST = "@latest";

/** `write`: a full id or its last eight hex digits; `read` takes a unique beginning and `@latest`, too. */
export type Purpose = "read" | "write";

/** The id a word names. Throws: exit 2 for no id at all, 1 when there is none, 3 when several are meant. */
export function findWorkflow(layout: Layout, word: string, purpose: Purpose): string {
  if (purpose === "read" && word === LATEST) return newestWorkflow(layout);
  if (!isWorkflowId(word)) {
    throw new UsageError(`${printable(JSON.stringify(word))} is not a workflow id`, {
      hint: "an id has letters, digits, '.', '_' and '-', at most 200; jig flow list shows those of this project",
    });
  }
  if (lookAt(layout.artifact(word)) !== undefined) return word;
  const ids = workflowIds(layout);
  const matches = ids.filter((id) => isMeant(id, word, purpose));
  if (matches.length === 1) return matches[0]!;
  if (matches.length > 1) {
    throw new JigError(`${word} is ambiguous: ${listed(matches)}`, {
      exitCode: EXIT.notThisTime,
      hint: "give a whole id",
    });
  }
  throw noSuch(layout, word, ids);
}

function isMeant(id: string, word: string, purpose: Purpose): boolean {
  if (/^[0-9a-f]{8}$/.test(word) && id.endsWith(`-${word}`)) return true;
  return purpose === "read" && id.startsWith(word);
}

/** Ids of a project's artifacts, in code-unit order; nothing is read of them. */
export function workflowIds(layout: Layout): string[] {
  let names: string[];
  try {
    names = readdirSync(layout.workflows);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw new FileError("cannot list", layout.workflows, error);
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter(isWorkflowId)
    .sort();
}

/** Ids with the modification times (milliseconds) of their artifacts, newest first. */
export function workflowsByAge(layout: Layout): { id: string; modifiedMs: number }[] {
  return workflowIds(layout)
    .flatMap((id) => {
      const stat = statSync(layout.artifact(id), { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ id, modifiedMs: stat.mtimeMs }];
    })
    .sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? 1 : -1));
}

function newestWorkflow(layout: Layout): string {
  const newest = workflowsByAge(layout)[0];
  if (newest === undefined) throw noSuch(layout, LATEST, []);
  return newest.id;
}

function noSuch(layout: Layout, word: string, ids: readonly string[]): JigError {
  const near = [...ids]
    .map((id) => ({ id, distance: editDistance(id, word, id.length + word.length) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 5)
    .map(({ id }) => id);
  const where = `no workflow ${printable(word)} in ${printable(layout.root)}`;
  return near.length === 0
    ? new JigError(where, { hint: "jig flow new starts one" })
    : new JigError(`${where}; near: ${listed(near)}`);
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 20).join(", ");
  return ids.length > 20 ? `${shown}, and ${ids.length - 20} more` : shown;
}
