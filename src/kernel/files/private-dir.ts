import { chmodSync, lstatSync, mkdirSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, JigError, osReason } from "../call/errors.ts";
import { pause } from "./file-io.ts";
import { lookAt } from "./look.ts";
import { isWindowsTrap } from "./windows-names.ts";
import { isForeignOnWindows } from "./windows-owner.ts";

export type DirectoryProblem = "parent-missing" | "not-directory" | "foreign-owner" | "mode" | "system";

/** A directory that cannot be trusted or made; the message is the text of docs/spec/jobs.md 5.2, exit 1. */
export class PrivateDirectoryError extends JigError {
  readonly path: string;
  readonly problem: DirectoryProblem;

  constructor(path: string, problem: DirectoryProblem, message: string, cause?: unknown, hint?: string) {
    super(message, { cause, ...(hint === undefined ? {} : { hint }) });
    this.name = "PrivateDirectoryError";
    this.path = path;
    this.problem = problem;
  }
}

export interface PrivateDirectoryOptions {
  /** The only owner accepted; undefined where the system has no numeric owners (Windows). */
  uid: number | undefined;
  platform: NodeJS.Platform;
  /** Give directories below the base that already exist mode 0700 too; without, they keep theirs. */
  repairAll?: boolean;
  /** The base is the managed default root: on Windows its access list is hardened also when it already existed. */
  managed?: boolean;
}

/**
 * Make `<base>/<component>/…`, each missing part private (0700 whatever the umask), and return the deepest path
 * (docs/spec/jobs.md 5.2). Existing parts must be real directories of ours; the base is repaired to 0700. The base's parent
 * must exist. Throws `PrivateDirectoryError`; a symlink is never followed and nothing is ever removed.
 */
export async function ensurePrivateDirectory(
  base: string,
  components: readonly string[],
  options: PrivateDirectoryOptions,
): Promise<string> {
  const paths = [base];
  for (const component of components) paths.push(join(paths.at(-1)!, component));
  if (options.platform === "win32") await ensureOnWindows(paths, options);
  else for (const path of paths) ensureOne(path, path === base, options);
  return paths.at(-1)!;
}

function ensureOne(path: string, isBase: boolean, options: PrivateDirectoryOptions): void {
  const created = makeDirectory(path);
  checkDirectory(path, options.uid);
  if (created || isBase || options.repairAll) makePrivate(path);
  else waitForCreator(path);
}

/** Create one directory 0700; false when something is there already. Throws `PrivateDirectoryError`. */
export function makeDirectory(path: string): boolean {
  // Mostly it is there already, and a look costs less than an error.
  if (lookAt(path) !== undefined) return false;
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code === "ENOENT" && lstatSync(dirname(path), { throwIfNoEntry: false }) === undefined) {
      const message = `cannot create ${path}: parent directory does not exist`;
      throw new PrivateDirectoryError(path, "parent-missing", message, error);
    }
    throw new PrivateDirectoryError(path, "system", `cannot create ${path}: ${osReason(error)}`, error);
  }
}

/** A real directory (never through a symlink) of this owner. Throws `PrivateDirectoryError`. */
export function checkDirectory(path: string, uid: number | undefined): Stats {
  let stat: Stats;
  try {
    stat = lstatSync(path);
  } catch (error) {
    throw new PrivateDirectoryError(path, "system", `cannot look at ${path}: ${osReason(error)}`, error);
  }
  if (!stat.isDirectory()) {
    const message = `${path}: not a real directory (symlink or file planted?)`;
    throw new PrivateDirectoryError(path, "not-directory", message);
  }
  if (uid !== undefined && stat.uid !== uid) {
    throw new PrivateDirectoryError(path, "foreign-owner", `${path}: not owned by the current user`);
  }
  return stat;
}

/** Set 0700 exactly, whatever the umask made of it. The checks before make sure that it is ours and no symlink. */
export function makePrivate(path: string): void {
  if (modeOf(path) !== 0o700) {
    try {
      chmodSync(path, 0o700);
    } catch (error) {
      // A file system without modes, or one that is read-only: the look below decides.
      if (errorCode(error) === "ENOENT")
        throw new PrivateDirectoryError(path, "system", `${path}: vanished`, error);
    }
  }
  const mode = modeOf(path);
  if (mode !== 0o700) {
    const found = mode.toString(8).padStart(4, "0");
    throw new PrivateDirectoryError(path, "mode", `${path}: must have mode 0700, found ${found}`);
  }
}

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o7777;
}

const CREATOR_PATIENCE_MS = 100;

/** Between another process's mkdir under a hostile umask and its chmod, the directory cannot be used yet. */
export function waitForCreator(path: string): void {
  for (let waited = 0; waited < CREATOR_PATIENCE_MS && (modeOf(path) & 0o700) !== 0o700; waited += 5)
    pause(5);
}

/**
 * Make a base directory and those below it, given from the base down (docs/spec/jobs.md 12.1). What is there must be ours;
 * the first that may be hardened is, once in a process, and what is made below has its list from there. Throws
 * `PrivateDirectoryError`.
 */
async function ensureOnWindows(
  paths: readonly string[],
  { managed }: PrivateDirectoryOptions,
): Promise<void> {
  const { hardenDirectory } = await import("./windows-acl.ts");
  let isHardened = false;
  for (const [index, path] of paths.entries()) {
    const isBase = index === 0;
    if (!isBase && isWindowsTrap(basename(path))) {
      const message = `cannot create ${path}: Windows takes its name for a device or another name`;
      throw new PrivateDirectoryError(path, "system", message);
    }
    const isMade = makeDirectory(path);
    checkDirectory(path, undefined);
    if (!isMade && process.platform === "win32" && isForeignOnWindows(path)) {
      throw new PrivateDirectoryError(path, "foreign-owner", `${path}: not owned by the current user`);
    }
    if (isHardened || !(isMade || (isBase && managed))) continue;
    isHardened = await hardenDirectory(path);
    if (isHardened || !isBase) continue;
    throw new PrivateDirectoryError(
      path,
      "system",
      `${path}: could not harden the jobs-root ACL (icacls failed or is unavailable); refusing to use a root whose privacy is unverified`,
    );
  }
}
