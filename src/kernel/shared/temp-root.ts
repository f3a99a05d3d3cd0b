import { isAbsolute, join } from "node:path";
import { isReadable } from "../call/environment.ts";
import { JigError } from "../call/errors.ts";
import type { Host } from "../call/host.ts";
import { isSameDirectory } from "../files/contain.ts";

/** What a root is for; only Windows gives each purpose a root of its own. */
export type TempRootPurpose = "jobs" | "scratch" | "packs";

/** What the choice of a root looks at. */
export type TempHost = Pick<Host, "env" | "uid" | "platform" | "home">;

/** What to do where neither root takes a write, as under a sandbox with a read-only `/tmp`. */
export const TEMP_REMEDY = "set TMPDIR to a directory you can write";

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

/** `/tmp/compound-engineering-<uid>`, or the Windows root of that purpose (docs/spec/config.md section 7). */
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

/** `${TMPDIR:-/tmp}/compound-engineering-<uid>`. A relative TMPDIR is an error, exit 1. */
export function fallbackTempRoot(host: TempHost, purpose: TempRootPurpose): string {
  const directory = host.env["TMPDIR"] || fixedTempDirectory(host);
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
  const directory = isReadable(host.env, "TMPDIR") ? host.env["TMPDIR"] : undefined;
  if (!directory || !isAbsolute(directory)) return [primary];
  const fallback = fallbackTempRoot(host, purpose);
  return isSameDirectory(primary, fallback) ? [primary] : [primary, fallback];
}

function ownName(host: TempHost, purpose: TempRootPurpose): string {
  if (host.uid === undefined) {
    throw new JigError(`effective user ID is unavailable; cannot derive the ${purpose} root`);
  }
  return `compound-engineering-${host.uid}`;
}
