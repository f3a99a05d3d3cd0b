/** All content there is in a project: what is on disk, and what its repository can reach. */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { gitAt } from "./template.ts";

/** Directories of caches, which finalize may drop. */
const CACHES = new Set(["node_modules"]);

/** A content's id, one place where it is, and the id it has with the line ends that git stores. */
export type Contents = Map<string, { where: string; stored: string }>;

/** The id git gives to bytes. */
function blobId(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** The id after `text=auto`. */
function storedId(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  return text.includes("\r\n") ? blobId(Buffer.from(text.replaceAll("\r\n", "\n"), "latin1")) : blobId(bytes);
}

/** git keeps a link's target as a blob. */
function linkBlob(target: string): string {
  return blobId(Buffer.from(target, "latin1"));
}

export interface Place {
  root: string;
  home: string;
  /** The worktree's path: links into it are told apart from no other by their rewriting. */
  tree: string;
  wf: string;
}

/** What is there now. `caches`: with what may be dropped. */
export function contentsOf(place: Place, { caches }: { caches: boolean }): Contents {
  const found: Contents = new Map();
  const own = join(place.root, ".craftflow/state/workflows", place.wf);
  const skip = new Set([
    join(place.root, ".git"),
    `${own}.json`,
    `${own}.events.jsonl`,
    `${own}.lock`,
    join(place.root, ".claude/worktrees/.merge.lock"),
  ]);
  const visit = (directory: Buffer) => {
    let names: Buffer[];
    try {
      names = readdirSync(directory, { encoding: "buffer" });
    } catch {
      return; // It went while we looked.
    }
    for (const name of names) {
      const path = Buffer.concat([directory, Buffer.from("/"), name]);
      const text = path.toString();
      if (skip.has(text) || name.toString() === ".git") continue;
      if (!caches && CACHES.has(name.toString())) continue;
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      if (stat.isDirectory()) visit(path);
      else if (stat.isSymbolicLink()) {
        const target = linkOf(path, place);
        found.set(`link ${target}`, { where: relative(place.root, text), stored: linkBlob(target) });
      } else if (stat.isFile()) {
        const bytes = readFileSync(path);
        found.set(blobId(bytes), { where: relative(place.root, text), stored: storedId(bytes) });
      }
    }
  };
  visit(Buffer.from(place.root));
  return found;
}

/** A link's target, one into the worktree as if it led to the same place in the main tree. */
function linkOf(path: Buffer, { root, tree }: Place): string {
  const target = readlinkSync(path, { encoding: "buffer" }).toString("latin1");
  return target.startsWith(`${tree}/`) ? root + target.slice(tree.length) : target;
}

/** Every object that refs and the HEADs of all worktrees reach; `indexes`: also what is staged anywhere. */
export function reachable({ root, home }: Place, { indexes }: { indexes: boolean }): Set<string> {
  const words = [
    "rev-list",
    "--objects",
    "--no-object-names",
    "--all",
    ...(indexes ? ["--indexed-objects"] : []),
  ];
  const out = gitAt(root, home, ...words).toString() + onRemotes(root, home);
  return new Set(out.split("\n").filter((line) => line !== ""));
}

/** What a submodule has from its remote is there for good. */
function onRemotes(root: string, home: string): string {
  const library = join(root, "..", "library");
  if (!existsSync(library)) return "";
  return gitAt(library, home, "rev-list", "--objects", "--no-object-names", "--all").toString();
}

/** All there was, to be compared later. */
export interface Snapshot {
  disk: Contents;
  objects: Set<string>;
}

export function snapshot(place: Place): Snapshot {
  return { disk: contentsOf(place, { caches: false }), objects: reachable(place, { indexes: false }) };
}

/** What of an earlier snapshot is nowhere any more. */
export function lostSince(before: Snapshot, place: Place): string[] {
  const disk = contentsOf(place, { caches: true });
  const objects = reachable(place, { indexes: true });
  const lost: string[] = [];
  for (const [id, { where, stored }] of before.disk) {
    if (!disk.has(id) && !objects.has(id) && !objects.has(stored))
      lost.push(`${id} of ${JSON.stringify(where)}`);
  }
  for (const id of before.objects) {
    if (!objects.has(id) && !disk.has(id)) lost.push(`object ${id}`);
  }
  return lost;
}
