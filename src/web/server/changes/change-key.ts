import { createHash } from "node:crypto";
import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";

/**
 * The change key of a tree (docs/spec/web.md 12.2): 40 hex digits from path, modification time and size of every regular
 * file in it. It is a sum over files, so one changed file costs one file, and equal trees have equal keys.
 */
export interface ChangeKey {
  readonly key: string;
  /** Directories seen by the last scan, the root included. */
  readonly directories: number;
  /** Whether a scan has been made. */
  readonly known: boolean;
  /** Look at the whole tree, in slices that leave room for other work. */
  scan(): Promise<void>;
  /**
   * Look again at these relative paths only. `torn`: one of them is empty for the moment, as between the truncation
   * and the write of a save; nothing was taken over. `scan`: something else than a file changed.
   */
  touch(paths: Iterable<string>, acceptTorn: boolean): "done" | "torn" | "scan";
}

interface Entry {
  mtimeMs: number;
  size: number;
  digest: Buffer;
}

/** Milliseconds of a scan in one go. */
const SLICE_MS = 5;

/** What editors and systems leave beside a file (docs/spec/web.md 12.2). */
export function isDropping(name: string): boolean {
  return (
    name === ".DS_Store" ||
    name === "Thumbs.db" ||
    name === "4913" ||
    name.startsWith(".#") ||
    name.endsWith("~") ||
    /\.(swp|swx|swo|tmp)$/.test(name)
  );
}

export function makeChangeKey(root: string, monotonic: () => number): ChangeKey {
  let entries = new Map<string, Entry>();
  let directories = new Set<string>();
  let sum = new Uint32Array(5);
  let known = false;

  async function scan(): Promise<void> {
    const found = new Map<string, Entry>();
    const folders = new Set<string>();
    const waiting = [""];
    let sliceEnd = monotonic() + SLICE_MS;
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      folders.add(folder);
      for (const child of childrenOf(join(root, folder))) {
        const path = folder === "" ? child.name : `${folder}/${child.name}`;
        if (child.isDirectory()) waiting.push(path);
        else if (!isDropping(child.name) && mayBeFile(child)) {
          const entry = look(path, entries.get(path));
          if (entry !== undefined) found.set(path, entry);
        }
        if (monotonic() > sliceEnd) {
          await new Promise((resolve) => setImmediate(resolve));
          sliceEnd = monotonic() + SLICE_MS;
        }
      }
    }
    entries = found;
    directories = folders;
    sum = new Uint32Array(5);
    for (const entry of found.values()) accumulate(sum, entry.digest, 1);
    known = true;
  }

  function look(path: string, before: Entry | undefined): Entry | undefined {
    const stat = statOf(join(root, path));
    if (stat === undefined || !stat.isFile()) return undefined;
    return entryFor(path, stat, before);
  }

  function touch(paths: Iterable<string>, acceptTorn: boolean): "done" | "torn" | "scan" {
    const changes: [path: string, before: Entry | undefined, now: Entry | undefined][] = [];
    let torn = false;
    for (const path of paths) {
      if (isDropping(path.slice(path.lastIndexOf("/") + 1)) && !directories.has(path)) continue;
      const stat = statOf(join(root, path));
      if (directories.has(path) || stat?.isDirectory()) return "scan";
      const before = entries.get(path);
      const now = stat?.isFile() ? entryFor(path, stat, before) : undefined;
      if (now?.size === 0 && before?.size !== 0) torn = true;
      if (now !== before) changes.push([path, before, now]);
    }
    if (torn && !acceptTorn) return "torn";
    for (const [path, before, now] of changes) {
      if (before !== undefined) accumulate(sum, before.digest, -1);
      if (now === undefined) entries.delete(path);
      else {
        accumulate(sum, now.digest, 1);
        entries.set(path, now);
      }
    }
    return "done";
  }

  return {
    get key() {
      return [...sum].map((word) => word.toString(16).padStart(8, "0")).join("");
    },
    get directories() {
      return directories.size;
    },
    get known() {
      return known;
    },
    scan,
    touch,
  };
}

function entryFor(path: string, stat: Stats, before: Entry | undefined): Entry {
  const { mtimeMs, size } = stat;
  if (before !== undefined && before.mtimeMs === mtimeMs && before.size === size) return before;
  const digest = createHash("sha1").update(`${path}\0${mtimeMs}\0${size}`).digest();
  return { mtimeMs, size, digest };
}

function accumulate(sum: Uint32Array, digest: Buffer, sign: 1 | -1): void {
  for (let word = 0; word < 5; word++) sum[word]! += sign * digest.readUInt32BE(word * 4);
}

// Some file systems do not tell the kind with the name; the look decides.
function mayBeFile(child: Dirent): boolean {
  return child.isFile() || !(child.isSymbolicLink() || child.isFIFO() || child.isSocket());
}

function childrenOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
