import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { publishExclusive, writeFileAtomic } from "../../kernel/files/atomic.ts";
import { LockTimeout, withKernelLock } from "../../kernel/files/lock.ts";
import { ensurePrivateDirectory } from "../../kernel/files/private-dir.ts";
import { chooseTempRoot } from "../../kernel/shared/choose-temp-root.ts";
import { reasonOf } from "../common/fail.ts";
import { DRIVER_EXIT, driverFailure } from "./state-directory.ts";

/** How long a call waits for another of the same state directory, in milliseconds. */
const WAIT_MS = 10_000;

/** The next run's prompt and why it was elected. */
export interface Election {
  rationale: string;
  prompt: string;
}

/** Refuse a second status; it is left as it is (exit 4). */
export function refuseExisting(directory: string): void {
  if (lstatSync(join(directory, "status"), { throwIfNoEntry: false }) !== undefined)
    throw existing(directory);
}

function existing(directory: string): JigError {
  return driverFailure(`a status exists already: ${join(directory, "status")}`, DRIVER_EXIT.statusExists);
}

/**
 * Do something while no other call of this state directory runs. The lock lies outside the directory, which belongs to the
 * driver: in the private scratch root, under a name made from the directory's path.
 */
export async function withDriverLock<T>(
  host: Host,
  directory: string,
  action: () => T | Promise<T>,
): Promise<T> {
  const path = await lockPath(host, directory);
  try {
    return await withKernelLock(path, action, { timeoutMs: WAIT_MS });
  } catch (error) {
    if (error instanceof LockTimeout && error.path === path) {
      throw driverFailure(`another call is busy with ${directory}`);
    }
    throw error;
  }
}

async function lockPath(host: Host, directory: string): Promise<string> {
  try {
    const root = await chooseTempRoot(host, "scratch");
    const options = { uid: host.uid, platform: host.platform, repairAll: true, managed: true };
    const place = await ensurePrivateDirectory(root.path, ["craft-driver"], options);
    return join(place, `${await nameOf(directory)}.lock`);
  } catch (error) {
    throw driverFailure(`no private place for the lock: ${reasonOf(error)}`);
  }
}

async function nameOf(directory: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(directory));
  return [...new Uint8Array(digest).slice(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What our temporary files in the driver's directory begin with. */
const PREFIX = ".jig-driver-";

/** Take away what calls that were killed left; none writes now, since the caller holds the lock. */
function sweep(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(PREFIX)) rmSync(join(directory, name), { force: true });
  }
}

/**
 * Publish a status, complete and once; with an election its two files are there before it, without one none is left.
 * The caller holds the lock. Throws exit 4 when a status appeared meanwhile, exit 2 when it cannot be written.
 */
export function publishStatus(directory: string, status: string, election: Election | undefined): void {
  const next = { rationale: join(directory, "next.md"), prompt: join(directory, "next.prompt") };
  try {
    sweep(directory);
    if (election === undefined) {
      for (const path of Object.values(next)) rmSync(path, { force: true });
    } else {
      writeFileAtomic(next.rationale, election.rationale, { symlink: "replace", prefix: PREFIX });
      writeFileAtomic(next.prompt, election.prompt, { symlink: "replace", prefix: PREFIX });
    }
    if (!publishExclusive(join(directory, "status"), status, { prefix: PREFIX })) throw existing(directory);
  } catch (error) {
    if (error instanceof JigError && error.verbatim) throw error;
    throw driverFailure(reasonOf(error));
  }
}
