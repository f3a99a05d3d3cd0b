import { dirname, join, sep } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { absoluteFrom, isStrictlyInside, resolveReal } from "../../../kernel/files/contain.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { type Layout, layoutOf, STATE } from "../../common/layout.ts";
import { withMemoryLock } from "../../common/lock.ts";
import { projectRoot } from "../../common/project.ts";
import { sectionsOf } from "../../common/sections.ts";
import { StateFileError } from "../../common/state-file.ts";
import { appendArchive } from "../store/archive.ts";
import { changeMemory } from "../store/memory-file.ts";
import { permitted } from "../store/permit.ts";
import type { Merged } from "./combine.ts";
import { type MergeRequest, mergeError } from "./payload.ts";
import { archivedOf, mergeRequested } from "./requested.ts";

/**
 * Merge into a memory file (docs/spec/flow.md 9.5, `--apply`): evicted bullets reach the archive first, then the file is
 * replaced. Needs the permit of the project the file belongs to; nothing is written without.
 */
export async function applyMerge(
  host: Host,
  request: MergeRequest,
  file: string,
  project: string | undefined,
): Promise<Outcome> {
  const path = resolveReal(absoluteFrom(host.cwd, file));
  const layout = layoutOf(projectOfFile(path) ?? projectRoot(host, project));
  const refused = permitted(layout, path);
  if (refused !== undefined) throw mergeError(`${printable(file)}: ${refused}`);
  const archive = archiveFile(layout, request);
  const done = await withMemoryLock(host, layout.state, () => {
    let merged: Merged = { text: "", evicted: [], retracted: [], warnings: [] };
    const written = changeMemory(layout.root, path, (text) => {
      if (text === undefined) throw new StateFileError(path, "no such file or directory");
      merged = mergeRequested({ ...request, fileText: text });
      checkResult(file, merged.text);
      if (archive !== undefined) appendArchive(layout.root, archive, merged.evicted);
      return merged.text;
    });
    return { merged, written };
  });
  const { merged, written } = done;
  const archived = archivedOf(request, merged);
  const where = merged.evicted.length === 0 ? "" : `, ${merged.evicted.length} evicted`;
  return {
    data: { applied: path, changed: written, ...archived },
    text: `${written ? "merged into" : "nothing to change in"} ${printable(path)}${where}`,
    notes: merged.warnings,
  };
}

/** A result that is no memory file replaces none. */
function checkResult(file: string, text: string): void {
  if (text.trimStart().startsWith("{") || sectionsOf(text).length === 0) {
    throw mergeError(`${printable(file)} was left as it is: the merged text is no memory file`);
  }
}

/** The project whose state a file is part of; undefined for any other file. */
function projectOfFile(path: string): string | undefined {
  for (let directory = dirname(path); dirname(directory) !== directory; directory = dirname(directory)) {
    if (directory.endsWith(`${sep}${STATE}`)) return dirname(dirname(directory));
  }
  return undefined;
}

function archiveFile(layout: Layout, { archive, change }: MergeRequest): string | undefined {
  if (archive === undefined || change.archivePath === undefined) return undefined;
  const path = join(layout.root, change.archivePath);
  const named = [archive.slug, archive.month].every((part) => !/[/\\\0]/.test(part) && part !== "..");
  if (!named || !isStrictlyInside(layout.root, path)) {
    throw mergeError(
      `invalid payload field: archive leads out of the project: ${printable(change.archivePath)}`,
    );
  }
  return path;
}
