import { fstatSync, openSync, type Stats } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import { closeQuietly } from "../../kernel/files/file-io.ts";
import { openOwnedFile, Refused } from "../../kernel/files/owned-file.ts";
import { flock } from "../../runtime/flock.ts";
import { fileIn, LOG, META } from "./directory.ts";
import type { PidFacts } from "./files.ts";

/*
 * Two kernel locks that say who lives where pids say nothing: in another process namespace, or under a foreign /proc. The
 * supervisor keeps `meta.json` locked; the opening of `out.log` that the worker and all it starts write to is locked, too.
 * Nobody else ever locks these two exclusively, and a look only shares.
 */

/** Device and inode of a locked file: a lock proves nothing about a file that has taken its place. */
function markOf({ dev, ino }: Stats): string {
  return `${dev} ${ino}`;
}

/** Lock a job's `meta.json` for as long as this process lives. What the `pid` file says of it; undefined without a lock. */
export async function lockForLife(directory: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  let descriptor: number;
  try {
    descriptor = openSync(fileIn(directory, META), "r+");
  } catch {
    return undefined; // Taken away meanwhile; the job can do without.
  }
  // Never closed: the end of the process does it. Children do not inherit it.
  return lockOpening(descriptor);
}

/** Lock an opening of `out.log` for as long as anybody has it, on from now to the last process that inherits it. */
export async function lockOpening(descriptor: number): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  return (await flock(descriptor, "exclusive")) === true ? markOf(fstatSync(descriptor)) : undefined;
}

/** Whether the supervisor of a job holds its lock. Undefined when that cannot be told: no lock was taken, or the file is gone. */
export function isSupervisorHolding(host: Pick<Host, "uid">, directory: string, pid: PidFacts) {
  return isHeld(host, fileIn(directory, META), pid.metaLock);
}

/** Whether anybody that writes to the log of a job, worker or descendant, has it open. Undefined as above. */
export function isLogHeld(host: Pick<Host, "uid">, directory: string, pid: PidFacts) {
  return isHeld(host, fileIn(directory, LOG), pid.logLock);
}

async function isHeld(
  host: Pick<Host, "uid">,
  path: string,
  mark: string | undefined,
): Promise<boolean | undefined> {
  if (mark === undefined) return undefined;
  try {
    const file = openOwnedFile(path, { uid: host.uid });
    try {
      if (markOf(file.stat) !== mark) return undefined;
      // Shared, so that two looks at one time do not take each other for the holder.
      const got = await flock(file.descriptor, "shared");
      return got === undefined ? undefined : !got;
    } finally {
      closeQuietly(file.descriptor);
    }
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}
