/** Looking at the directories of a source, each listed once, with links judged against the source's boundary (docs/spec/packs.md 7). */
import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { sep } from "node:path";
import { isInside, resolveReal } from "../kernel/files/contain.ts";
import { byCodePoint } from "../kernel/text/code-point-order.ts";
import { isReadme, isRuleName, isRuleShaped } from "./rule-file.ts";

/** What a directory holds, names sorted. Entries that lead out of the boundary are only in the last two. */
export interface Scan {
  /** Rule-shaped files. */
  rules: string[];
  /** `.md` regular files that are neither rules nor a README. */
  others: string[];
  readme: string | undefined;
  /** Subdirectories that are not hidden. */
  directories: string[];
  outsideFiles: string[];
  outsideDirectories: string[];
}

/** Lists and judges directories below one boundary. */
export interface Scanner {
  scan(directory: string): Scan;
  /** Rule-shaped files directly in each subdirectory that has some. */
  nestedRules(directory: string): { name: string; count: number }[];
  /** Relative paths of every link below a directory that leads out of the boundary, sorted. Links are not followed. */
  escapingLinks(directory: string): string[];
}

type Kind = "file" | "directory" | "other" | "outside-directory" | "outside";

/** `boundary` is a real path; what is passed to the functions must lie in it. */
export function makeScanner(boundary: string): Scanner {
  const listings = new Map<string, Listing>();
  const scans = new Map<string, Scan>();
  return { scan, nestedRules, escapingLinks };

  function list(directory: string): Listing {
    let found = listings.get(directory);
    if (found === undefined) {
      found = readDirectory(directory);
      listings.set(directory, found);
    }
    return found;
  }

  function scan(directory: string): Scan {
    let found = scans.get(directory);
    if (found === undefined) {
      found = scanNow(directory);
      scans.set(directory, found);
    }
    return found;
  }

  function scanNow(directory: string): Scan {
    const found: Scan = {
      rules: [],
      others: [],
      readme: undefined,
      directories: [],
      outsideFiles: [],
      outsideDirectories: [],
    };
    const addFile = (name: string, followLink: boolean) => {
      if (isReadme(name)) {
        if (found.readme === undefined || name < found.readme) found.readme = name;
      } else if (isRuleName(name)) {
        (isRuleShaped(under(directory, name), { followLink }) ? found.rules : found.others).push(name);
      }
    };
    const { files, others } = list(directory);
    for (const name of files) addFile(name, false);
    for (const entry of others) {
      const { name } = entry;
      const hidden = name.startsWith(".");
      const kind = kindOf(entry, under(directory, name), boundary);
      if (kind === "file") addFile(name, entry.isSymbolicLink());
      else if (kind === "directory" && !hidden) found.directories.push(name);
      else if (kind.startsWith("outside") && name.endsWith(".md")) found.outsideFiles.push(name);
      else if (kind === "outside-directory" && !hidden) found.outsideDirectories.push(name);
    }
    found.rules.sort();
    found.others.sort();
    found.directories.sort(byCodePoint);
    found.outsideFiles.sort();
    found.outsideDirectories.sort();
    return found;
  }

  function nestedRules(directory: string): { name: string; count: number }[] {
    return scan(directory)
      .directories.map((name) => ({ name, count: scan(under(directory, name)).rules.length }))
      .filter(({ count }) => count > 0);
  }

  function escapingLinks(directory: string): string[] {
    const escaping: string[] = [];
    const pending = [""];
    for (let relative = pending.pop(); relative !== undefined; relative = pending.pop()) {
      for (const entry of list(relative === "" ? directory : under(directory, relative)).others) {
        const child = relative === "" ? entry.name : `${relative}/${entry.name}`;
        const path = under(directory, child);
        const type = rawType(entry, path);
        if (type === "directory") pending.push(child);
        else if (type === "link" && leavesBoundary(path, boundary)) escaping.push(child);
      }
    }
    return escaping.sort();
  }
}

/** The path of an entry; `path.join` would cost as much as looking at it. */
export function under(directory: string, name: string): string {
  return directory.endsWith(sep) ? directory + name : directory + sep + name;
}

interface Listing {
  /** Names of the plain files, most of what there is. */
  files: string[];
  /** Everything else, also what the file system gives no type for. */
  others: Dirent[];
}

function readDirectory(path: string): Listing {
  const listing: Listing = { files: [], others: [] };
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isFile()) listing.files.push(entry.name);
      else listing.others.push(entry);
    }
  } catch {
    // Not readable for us is not readable for whoever would use the pack.
  }
  return listing;
}

function kindOf(entry: Dirent, path: string, boundary: string): Kind {
  const type = rawType(entry, path);
  if (type !== "link") return type;
  const target = lookThrough(path);
  const isDirectory = target?.isDirectory() ?? false;
  if (leavesBoundary(path, boundary)) return isDirectory ? "outside-directory" : "outside";
  if (isDirectory) return "directory";
  return target?.isFile() ? "file" : "other";
}

function lookThrough(link: string): Stats | undefined {
  try {
    return statSync(link, { throwIfNoEntry: false });
  } catch {
    // A loop, or a target out of reach.
    return undefined;
  }
}

/** Some file systems do not give types in listings. */
function rawType(entry: Dirent, path: string): "file" | "directory" | "link" | "other" {
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "link";
  if (entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice())
    return "other";
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile()) return "file";
  if (stat?.isDirectory()) return "directory";
  return stat?.isSymbolicLink() ? "link" : "other";
}

/** Whether a link's real path is out of the boundary. A loop, or one nobody may look along, counts as leaving. */
function leavesBoundary(path: string, boundary: string): boolean {
  try {
    return !isInside(boundary, resolveReal(path));
  } catch {
    return true;
  }
}
