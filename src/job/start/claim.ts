import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode, JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { createExclusive, type Flush } from "../../kernel/files/atomic.ts";
import { FileError } from "../../kernel/files/file-io.ts";
import { asciiJson } from "../../kernel/text/python-json.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { compactSeconds } from "../../kernel/text/time.ts";
import { FILE_MODE, JSON_CAP, LOG, META, REASON } from "../record/directory.ts";
import { jobIdOf } from "../record/roots.ts";
import type { JobMeta } from "../schema.ts";

const CLAIM_ATTEMPTS = 16;

/** What `claimDirectory` mints. */
export function isJobId(text: string): boolean {
  return /^\d{8}T\d{6}Z-[0-9a-f]{8}$/.test(text);
}

/** A directory no other job has or will have; of the name that is asked for, or of a new one. Throws `JigError`. */
export function claimDirectory(host: Pick<Host, "now">, jobs: string, asked?: string): string {
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    const directory = join(jobs, asked ?? `${compactSeconds(host.now())}-${randomHex(4)}`);
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) === "EEXIST" && asked === undefined) continue;
      throw new FileError("cannot create", directory, error);
    }
    // The umask may have taken our own bits away.
    chmodSync(directory, 0o700);
    return directory;
  }
  throw new JigError(`could not claim a unique job dir after ${CLAIM_ATTEMPTS} attempts`);
}

/** Write `meta.json`; the directory goes again when it cannot be. Throws `JigError`. */
export function writeMeta(directory: string, meta: JobMeta): void {
  const text = `${asciiJson(meta, 2)}\n`;
  if (text.length > JSON_CAP) {
    // Nobody could ever read it back.
    rmSync(directory, { recursive: true, force: true });
    throw new JigError(
      `preflight failed for job ${meta.job_id}: job metadata exceeds ${JSON_CAP} bytes; pass long input as a file`,
    );
  }
  try {
    createNew(join(directory, META), text, "content");
  } catch (error) {
    // Those who read `jobs` from outside expect metadata in every directory.
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Why nothing was detached, for those who ask later: whoever called `start` may have lost what it said. */
export async function writePreflightReason(directory: string, reason: string): Promise<void> {
  const { reasonLine } = await import("../record/publish.ts");
  try {
    createNew(join(directory, REASON), reasonLine(reason), "nothing");
  } catch {
    // The reason is decoration; the state is not.
  }
}

/** The empty log of a job that is about to be handed over. Throws `JigError`. */
export function createLog(directory: string): void {
  try {
    createNew(join(directory, LOG), "", "nothing");
  } catch (error) {
    const id = jobIdOf(directory);
    throw new JigError(
      `preflight failed for job ${id}: job dir not writable (${osReason(error)}); nothing was detached`,
    );
  }
}

/** The names become durable when the supervisor flushes the directory with its `pid`; a job cut off before is none. */
export function createNew(path: string, content: string, flush: Flush): void {
  if (!createExclusive(path, content, FILE_MODE, flush))
    throw new FileError("cannot create", path, { code: "EEXIST" });
}
