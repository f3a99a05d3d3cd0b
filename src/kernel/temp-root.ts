import { accessSync, closeSync, constants, lstatSync, openSync, type Stats, unlinkSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { resolveReal, samePath } from "./contain.ts";
import { JigError } from "./errors.ts";
import type { Host } from "./host.ts";
import {
  checkDirectory,
  ensurePrivateDirectory,
  makeDirectory,
  makePrivate,
  PrivateDirectoryError,
  waitForCreator,
} from "./private-dir.ts";
import { randomHex } from "./random.ts";

/** What a root is for; only Windows gives each purpose a root of its own. */
export type TempRootPurpose = "jobs" | "scratch" | "packs";

/** The private per-user root that was picked, shared by jobs, scratch directories and the pack cache. */
export interface TempRoot {
  path: string;
  fallback: boolean;
  /** A `note:` line when the fallback is used although an owned primary root exists. */
  notes: string[];
}

type TempHost = Pick<Host, "env" | "uid" | "platform" | "home">;

/** What stands for `/tmp`: `JIG_TMP_ROOT` when set. A relative value is an error, exit 1. */
export function fixedTempDirectory(host: Pick<Host, "env">): string {
  const replaced = host.env["JIG_TMP_ROOT"];
  if (!replaced) return "/tmp";
  if (!isAbsolute(replaced)) throw new JigError(`JIG_TMP_ROOT must be an absolute path, got '${replaced}'`);
  return replaced;
}

/** The user's own temporary directory: on Windows where programs keep it, elsewhere `TMPDIR` or `/tmp`. */
export function userTempDirectory(host: TempHost): string {
  if (host.platform !== "win32") return host.env["TMPDIR"] || fixedTempDirectory(host);
  if (host.env["JIG_TMP_ROOT"]) return fixedTempDirectory(host);
  const { TEMP, TMP, SystemRoot } = host.env;
  return (
    TEMP ||
    TMP ||
    (host.home ? join(host.home, "AppData", "Local", "Temp") : `${SystemRoot || "C:\\Windows"}\\Temp`)
  );
}

/** `/tmp/compound-engineering-<uid>`, or the Windows root of that purpose (spec/config.md section 7). */
export function primaryTempRoot(host: TempHost, purpose: TempRootPurpose): string {
  if (host.platform === "win32") {
    const local = host.env["LOCALAPPDATA"];
    return join(
      local && isAbsolute(local) ? local : userTempDirectory(host),
      `compound-engineering-${purpose}`,
    );
  }
  return join(fixedTempDirectory(host), ownName(host, purpose));
}

/** `${TMPDIR:-/tmp}/compound-engineering-<uid>`. A relative TMPDIR, or one that is not UTF-8, is an error, exit 1. */
export function fallbackTempRoot(host: TempHost, purpose: TempRootPurpose): string {
  const directory = host.env["TMPDIR"] || fixedTempDirectory(host);
  if (directory.includes("\ufffd")) throw new JigError("TMPDIR is not valid UTF-8");
  if (!isAbsolute(directory)) throw new JigError(`TMPDIR must be an absolute path, got '${directory}'`);
  return join(directory, ownName(host, purpose));
}

/**
 * Every root a process of this user may have picked, inside or outside a sandbox: where to look for what exists.
 * Nothing is created, a TMPDIR that cannot be used is left out, the same directory by two names is listed once.
 */
export function tempRootCandidates(host: TempHost, purpose: TempRootPurpose): string[] {
  const primary = primaryTempRoot(host, purpose);
  if (host.platform === "win32") return [primary];
  const directory = host.env["TMPDIR"];
  if (!directory || !isAbsolute(directory) || directory.includes("\ufffd")) return [primary];
  const fallback = fallbackTempRoot(host, purpose);
  return isSameDirectory(primary, fallback) ? [primary] : [primary, fallback];
}

/**
 * Pick the root for something new and make it: the primary one when it can be made, is a real directory of ours and
 * takes a write; else the fallback (spec/config.md section 7, spec/jobs.md 5.1). Throws `PrivateDirectoryError` about
 * the fallback, or `JigError`, exit 1. With `create: false` nothing is made; an absent root counts as usable when its
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
  if (create) await ensurePrivateDirectory(path, [], directory);
  const owned = lookAt(primary);
  const notes =
    owned?.isDirectory() && owned.uid === host.uid && !isSameDirectory(primary, path)
      ? [`note: ${primary} exists but is not writable here; using ${path}`]
      : [];
  return { path, fallback: true, notes };
}

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
  return takesWrites(path);
}

/** A real write: a sandbox may deny it where the permission bits and `access` say yes. */
function takesWrites(path: string): boolean {
  const probe = join(path, `.tmp-${randomHex(8)}`);
  try {
    closeSync(openSync(probe, "wx", 0o600));
  } catch {
    return false;
  }
  try {
    unlinkSync(probe);
  } catch {
    // Another process cleaned up; the write was possible.
  }
  return true;
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** By real path, for directories that may not exist; a system that refuses to say counts as different. */
function isSameDirectory(a: string, b: string): boolean {
  try {
    return samePath(resolveReal(a), resolveReal(b));
  } catch {
    return false;
  }
}

function ownName(host: TempHost, purpose: TempRootPurpose): string {
  if (host.uid === undefined) {
    throw new JigError(`effective user ID is unavailable; cannot derive the ${purpose} root`);
  }
  return `compound-engineering-${host.uid}`;
}
