import { unlinkSync } from "node:fs";
import { osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { publishExclusive } from "../../kernel/files/atomic.ts";
import { lookAt } from "../../kernel/files/look.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { asciiJson } from "../../kernel/text/python-json.ts";
import { ENDED, FILE_MODE, fileIn, REAP_MARKER } from "../record/directory.ts";
import { hasPid, nodeOf } from "../record/engine-file.ts";
import { readJsonObject, resultEvidence } from "../record/files.ts";
import { freshNow } from "../record/fresh-look.ts";
import { publishFailure, publishRecord } from "../record/publish.ts";
import { hasRecord } from "../record/state.ts";
import { DEFAULT_RESULT_MAX_BYTES, resultCapOf } from "../settings.ts";
import type { Budget } from "./budget.ts";
import type { OpenJob } from "./engine.ts";
import { takeHandOver } from "./withdraw.ts";

/** How long a record may be on its way after the engine says that a job has ended. */
const ON_ITS_WAY_MS = 30_000;

/**
 * Settle a job that an engine says has ended, once the record had time to arrive and a fresh look finds none
 * (docs/spec/engines.md 2.4 and 3.4). Gives a note when nothing could be concluded.
 */
export async function settleEnded(
  host: Host,
  job: OpenJob,
  said: JsonObject | undefined,
  budget: Budget,
): Promise<string | undefined> {
  const { directory } = job;
  const now = freshNow(directory);
  if (now === undefined) return cannotWrite(job);
  if (hasRecord(directory)) return undefined;
  const path = fileIn(directory, ENDED);
  const seen = lookAt(path);
  if (seen === undefined) return note(host, job, path, said, budget);
  if (now - seen.mtimeMs < ON_ITS_WAY_MS) return undefined;
  const read = readJsonObject(host, path);
  const kept = "value" in read ? read.value : (said ?? {});
  const facts = (await job.engine.explain(host, job, kept, budget)) ?? kept;
  if (freshNow(directory) === undefined) return cannotWrite(job);
  if (hasRecord(directory)) return undefined;
  try {
    // A controller that lost its last minute starts jobs again: this one would run nothing.
    takeHandOver(directory);
    await publishRecord(host, directory, job.engine.settle(job, facts, factsOf(host, job)));
    return undefined;
  } catch (error) {
    return `job ${job.ref}: ${publishFailure(error)}`;
  }
}

/** Write down, exclusively, that it ended and what was said of it. */
async function note(
  host: Host,
  job: OpenJob,
  path: string,
  said: JsonObject | undefined,
  budget: Budget,
): Promise<string | undefined> {
  const facts = await job.engine.explain(host, job, undefined, budget);
  // Without an answer the next look asks again: an exit code may be all that tells what was wrong.
  if (facts === undefined) return undefined;
  try {
    publishExclusive(path, `${asciiJson({ ...said, ...facts })}\n`, { mode: FILE_MODE });
    return undefined;
  } catch (error) {
    return `job ${job.ref}: ended, but that cannot be written down (${osReason(error)})`;
  }
}

/** It is there again: what was said before does not count. */
export function forgetEnded(directory: string): void {
  const path = fileIn(directory, ENDED);
  if (lookAt(path) === undefined) return;
  try {
    unlinkSync(path);
  } catch {
    // Another look has done it, or the disk refuses: its age counts only while the engine says that the job ended.
  }
}

function cannotWrite({ ref, directory }: OpenJob): string {
  return `job ${ref}: nothing can be written in ${directory}, so its end cannot be proven`;
}

function factsOf(host: Host, { directory, meta, ...job }: OpenJob) {
  const evidence = resultEvidence(meta?.resultPath ?? null, meta?.resultBefore ?? null);
  return {
    hasPid: hasPid(directory),
    reapRequested: lookAt(fileIn(directory, REAP_MARKER)) !== undefined,
    node: job.file.dest ?? nodeOf(host, directory),
    evidence: typeof evidence === "number" ? evidence : undefined,
    resultMax: resultCapOf(host.env) ?? meta?.supervision.result_max ?? DEFAULT_RESULT_MAX_BYTES,
  };
}
