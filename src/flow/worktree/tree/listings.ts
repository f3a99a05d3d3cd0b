import type { Host } from "../../../kernel/call/host.ts";
import { asBytePath, type BytePath } from "./byte-path.ts";
import { askRecords, isConfigured, type WorkTree } from "./work-tree.ts";

/** A path's version in a commit or in the index: git's mode (`100644`) and the object's name. */
export interface Version {
  mode: string;
  oid: string;
}

/** An entry of the index. */
export interface IndexEntry extends Version {
  path: BytePath;
  /** 0, or 1 to 3 while it is unmerged. */
  stage: number;
}

export const GITLINK = "160000";

/** Whether a path has the same version on both sides, none included. */
export function isSameVersion(a: Version | undefined, b: Version | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}

/** The versions of paths in a commit or tree; those it has not are not in the map. */
export async function versionsIn(
  host: Host,
  tree: WorkTree,
  commit: string,
  paths: ReadonlySet<BytePath> | "all",
): Promise<Map<BytePath, Version>> {
  const found = new Map<BytePath, Version>();
  if (paths !== "all" && paths.size === 0) return found;
  for (const record of await askRecords(host, tree, ["ls-tree", "-r", "-z", "--full-tree", commit])) {
    const tab = record.indexOf("\t");
    const path = asBytePath(record.slice(tab + 1));
    if (paths !== "all" && !paths.has(path)) continue;
    const [mode, , oid] = record.slice(0, tab).split(" ");
    found.set(path, { mode: mode!, oid: oid! });
  }
  return found;
}

/** Every entry of the index, in its order. */
export async function indexEntries(host: Host, tree: WorkTree): Promise<IndexEntry[]> {
  return (await askRecords(host, tree, ["ls-files", "-s", "-z", "--full-name"])).map((record) => {
    const tab = record.indexOf("\t");
    const [mode, oid, stage] = record.slice(0, tab).split(" ");
    return { path: asBytePath(record.slice(tab + 1)), mode: mode!, oid: oid!, stage: Number(stage) };
  });
}

/** Paths of the index that git is told not to look at in the working tree. */
export interface Flagged {
  skipped: Set<BytePath>;
  assumed: Set<BytePath>;
}

/** Those marked skip-worktree (a sparse checkout), and those marked assume-unchanged. */
export async function flaggedPaths(host: Host, tree: WorkTree): Promise<Flagged> {
  const flagged: Flagged = { skipped: new Set(), assumed: new Set() };
  for (const record of await askRecords(host, tree, ["ls-files", "-v", "-z", "--full-name"])) {
    const [tag, path] = [record[0]!, asBytePath(record.slice(2))];
    // A lower-case letter is an assume-unchanged one.
    if (tag.toUpperCase() === "S") flagged.skipped.add(path);
    if (tag !== tag.toUpperCase()) flagged.assumed.add(path);
  }
  return flagged;
}

/** Whether git leaves files outside its sparse patterns off the disk. */
export function hasSparseCheckout(host: Host, tree: WorkTree): Promise<boolean> {
  return isConfigured(host, tree, "core.sparseCheckout");
}

/** Paths that differ between two commits, with their versions on each side; renames are not looked for. */
export async function changesBetween(
  host: Host,
  tree: WorkTree,
  before: string,
  after: string,
): Promise<Map<BytePath, { before: Version | undefined; after: Version | undefined }>> {
  const words = ["-r", "-z", "--no-renames", "--ignore-submodules=none", before, after];
  const records = await askRecords(host, tree, ["diff-tree", ...words]);
  const changes = new Map<BytePath, { before: Version | undefined; after: Version | undefined }>();
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [mode, newMode, oid, newOid] = records[at]!.slice(1).split(" ");
    changes.set(asBytePath(records[at + 1]!), {
      before: versionOf(mode!, oid!),
      after: versionOf(newMode!, newOid!),
    });
  }
  return changes;
}

function versionOf(mode: string, oid: string): Version | undefined {
  return mode === "000000" ? undefined : { mode, oid };
}
