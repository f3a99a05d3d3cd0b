import { join, resolve } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { readOwnedText } from "../../../kernel/files/owned-file.ts";
import { type BytePath, bytePathOf, childOf, placeOf, shownPath } from "./byte-path.ts";
import { kindAt } from "./entry.ts";
import { flaggedPaths, GITLINK, indexEntries } from "./listings.ts";
import { commitOf } from "./refs.ts";
import { statusOf } from "./status.ts";
import { namedTree, type WorkTree } from "./work-tree.ts";

/** A submodule that has a repository of its own in a working tree. */
export interface Populated {
  /** From the top of the outermost tree. */
  path: BytePath;
  /** The commit that the index above it names. */
  oid: string;
  gitDirectory: string;
  tree: WorkTree;
}

const LARGEST_GIT_FILE = 8192;

/**
 * The populated submodules of a tree, and those inside them. Each is named by its git directory, so that it can be asked
 * also where the tree has been moved: its own `core.worktree` then names the old place.
 */
export async function populatedIn(host: Host, tree: WorkTree): Promise<Populated[]> {
  const found: Populated[] = [];
  for (const { path, mode, oid } of await indexEntries(host, tree)) {
    if (mode !== GITLINK || kindAt(placeOf(tree.top, childOf(path, ".git"))) === "absent") continue;
    const text = shownPath(path);
    // git runs in directories, whose names it gets as text.
    if (bytePathOf(text) !== path) throw new JigError(`the name of submodule ${text} is not UTF-8`);
    const place = join(tree.top, text);
    const gitDirectory = gitDirectoryOf(place);
    const inner = namedTree(place, gitDirectory);
    found.push({ path, oid, gitDirectory, tree: inner });
    for (const one of await populatedIn(host, inner)) found.push({ ...one, path: childOf(path, one.path) });
  }
  return found;
}

/** The git directory of a working tree as its `.git` says, without asking git. */
function gitDirectoryOf(place: string): string {
  const entry = join(place, ".git");
  if (kindAt(Buffer.from(entry)) === "directory") return entry;
  const text = readOwnedText(entry, { uid: undefined, maxBytes: LARGEST_GIT_FILE, allowSymlink: true });
  if (!text.startsWith("gitdir: ")) throw new JigError(`${entry} does not say where its repository is`);
  return resolve(place, text.slice("gitdir: ".length).replace(/\r?\n$/, ""));
}

/** What a submodule has that the tree around it does not say; undefined when it is clean, at the commit of the index. */
export async function submoduleDirt(host: Host, { tree, oid }: Populated): Promise<string | undefined> {
  const head = await commitOf(host, tree, "HEAD");
  if (head !== oid) return `is at ${head ?? "no commit"} and the index names ${oid}`;
  const [first] = await statusOf(host, tree);
  if (first !== undefined) return `has uncommitted changes, such as ${shownPath(first.path)}`;
  const { skipped, assumed } = await flaggedPaths(host, tree);
  const hidden = [...assumed, ...[...skipped].filter((path) => kindAt(placeOf(tree.top, path)) !== "absent")];
  if (hidden.length > 0) return `has files that git is told not to look at, such as ${shownPath(hidden[0]!)}`;
  return undefined;
}
