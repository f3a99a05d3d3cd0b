import { accessSync, closeSync, constants, openSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { osReason } from "../call/errors.ts";
import { isSameDirectory } from "../files/contain.ts";
import { lookAt } from "../files/look.ts";
import {
  checkDirectory,
  type DirectoryProblem,
  ensurePrivateDirectory,
  makeDirectory,
  makePrivate,
  PrivateDirectoryError,
  type PrivateDirectoryOptions,
  waitForCreator,
} from "../files/private-dir.ts";
import { randomHex } from "../text/random.ts";
import {
  fallbackTempRoot,
  primaryTempRoot,
  TEMP_REMEDY,
  type TempHost,
  type TempRootPurpose,
} from "./temp-root.ts";

/** The private per-user root that was picked, shared by jobs, scratch directories and the pack cache. */
export interface TempRoot {
  path: string;
  fallback: boolean;
  /** A `note:` line when the fallback is used although an owned primary root exists. */
  notes: string[];
}

/**
 * Pick the root for something new and make it: the primary one when it can be made, is a real directory of ours and
 * takes a write; else the fallback (docs/spec/config.md section 7, docs/spec/jobs.md 5.1). Throws `PrivateDirectoryError` about
 * the fallback, also when it takes no write, or `JigError`, exit 1. With `create: false` nothing is made; an absent root counts as usable when its
 * parent is writable.
 */
export async function chooseTempRoot(
  host: TempHost,
  purpose: TempRootPurpose,
  options: { create?: boolean } = {},
): Promise<TempRoot> {
  const create = options.create ?? true;
  const primary = primaryTempRoot(host, purpose);
  const directory = { uid: host.uid, platform: host.platform, managed: true };
  // Windows: one root, no second choice; the owner and the access list are its protection.
  if (host.platform === "win32" || isUsable(primary, host.uid, create)) {
    if (create) await ensurePrivateDirectory(primary, [], directory);
    return { path: primary, fallback: false, notes: [] };
  }
  const path = fallbackTempRoot(host, purpose);
  if (create) await makeFallback(path, directory);
  const owned = lookAt(primary);
  const notes =
    owned?.isDirectory() && owned.uid === host.uid && !isSameDirectory(primary, path)
      ? [`note: ${primary} exists but is not writable here; using ${path}`]
      : [];
  return { path, fallback: true, notes };
}

/** The last choice: what keeps it from being used is told with the way round. */
async function makeFallback(path: string, options: PrivateDirectoryOptions): Promise<void> {
  try {
    await ensurePrivateDirectory(path, [], options);
  } catch (error) {
    if (!(error instanceof PrivateDirectoryError) || PLANTED.includes(error.problem)) throw error;
    throw new PrivateDirectoryError(path, error.problem, error.message, error.cause, TEMP_REMEDY);
  }
  const refusal = writeRefusal(path);
  if (refusal === undefined) return;
  const message = `cannot write in ${path}: ${osReason(refusal)}`;
  throw new PrivateDirectoryError(path, "system", message, refusal, TEMP_REMEDY);
}

/** Problems of something that is there and not ours: to be looked at by its owner, not to be gone round. */
const PLANTED: readonly DirectoryProblem[] = ["not-directory", "foreign-owner"];

/** Whether the primary root would do: made when absent and allowed to, never through a symlink. */
function isUsable(path: string, uid: number | undefined, create: boolean): boolean {
  if (!create) {
    const stat = lookAt(path);
    if (stat === undefined) return mayWrite(dirname(path));
    return stat.isDirectory() && stat.uid === uid && mayWrite(path);
  }
  try {
    const created = makeDirectory(path);
    checkDirectory(path, uid);
    // The umask may have taken our own bits away; the write below needs them.
    if (created) makePrivate(path);
    else waitForCreator(path);
  } catch (error) {
    if (error instanceof PrivateDirectoryError) return false;
    throw error;
  }
  return writeRefusal(path) === undefined;
}

/** What refuses a real write: a sandbox may deny it where the permission bits and `access` say yes. */
function writeRefusal(path: string): unknown {
  const probe = join(path, `.tmp-${randomHex(8)}`);
  try {
    closeSync(openSync(probe, "wx", 0o600));
  } catch (error) {
    return error;
  }
  try {
    unlinkSync(probe);
  } catch {
    // Another process cleaned up; the write was possible.
  }
  return undefined;
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
