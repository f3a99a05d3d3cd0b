import { lstatSync } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { isObject, type JsonObject, parseObject } from "../../kernel/text/json.ts";
import { parseIsoSeconds } from "../../kernel/text/time.ts";
import type { Supervision } from "../schema.ts";
import {
  DEFAULT_GRACE_SECONDS,
  DEFAULT_HARD_SECONDS,
  DEFAULT_IDLE_SECONDS,
  DEFAULT_LOG_MAX_BYTES,
  DEFAULT_POLL_SECONDS,
  DEFAULT_RESULT_MAX_BYTES,
} from "../settings.ts";
import type { Evidence } from "./classify.ts";
import { decoder, fileIn, JSON_CAP, META, PID, REASON, REASON_CAP } from "./directory.ts";
import { ours } from "./owner.ts";

type Owner = Pick<Host, "uid">;

/** A job's detail line; undefined when there is none or it cannot be read, since it is decoration only. */
export function readReason(host: Owner, directory: string): string | undefined {
  try {
    const bytes = readOwnedFile(fileIn(directory, REASON), { ...ours(host), maxBytes: REASON_CAP });
    return decoder.decode(bytes).trim();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** What the rest of the program needs of `meta.json`, whoever wrote it. */
export interface MetaFacts {
  label: string | null;
  /** Milliseconds since the epoch: `started_at`, else the file's modification time. */
  startedAt: number;
  resultPath: string | null;
  /** What was at the result path before the worker began. */
  resultBefore: string | null;
  supervision: Supervision;
  /** What was to run the supervisor, in a word; undefined for this machine itself. */
  engine?: string;
}

/** Why there is no metadata: a read that was refused (the error), or content that is no JSON object. */
export type MetaProblem = { refused: Refused } | { invalid: string };

/** Read `meta.json`, tolerant of missing keys: another tool may have written it. */
export function readMeta(host: Owner, directory: string): MetaFacts | MetaProblem {
  const path = fileIn(directory, META);
  const read = readJsonObject(host, path);
  if ("refused" in read || "invalid" in read) return read;
  const meta = read.value;
  const started = typeof meta["started_at"] === "string" ? parseIsoSeconds(meta["started_at"]) : undefined;
  return {
    label: text(meta["label"]),
    startedAt: started ?? modifiedAt(path) ?? 0,
    resultPath: text(meta["result_path"]),
    resultBefore: text(meta["result_before"]),
    supervision: supervisionOf(meta["supervision"]),
    ...engineOf(meta["engine"]),
  };
}

/** As `readMeta`, with any problem as undefined. */
export function metaIfReadable(host: Owner, directory: string): MetaFacts | undefined {
  const meta = readMeta(host, directory);
  return "supervision" in meta ? meta : undefined;
}

function engineOf(value: unknown): { engine?: string } {
  const kind = isObject(value) ? text(value["kind"]) : null;
  return kind === null ? {} : { engine: kind };
}

function supervisionOf(value: unknown): Supervision {
  const given = isObject(value) ? value : {};
  const positive = (key: string, otherwise: number) => {
    const found = given[key];
    return typeof found === "number" && Number.isFinite(found) && found > 0 ? found : otherwise;
  };
  return {
    idle: given["idle"] === null ? null : positive("idle", DEFAULT_IDLE_SECONDS),
    hard: positive("hard", DEFAULT_HARD_SECONDS),
    log_max: positive("log_max", DEFAULT_LOG_MAX_BYTES),
    result_max: positive("result_max", DEFAULT_RESULT_MAX_BYTES),
    poll: positive("poll", DEFAULT_POLL_SECONDS),
    grace: positive("grace", DEFAULT_GRACE_SECONDS),
  };
}

/** Who runs a job, by its `pid` file; pids that cannot be a worker's or supervisor's are left out. */
export interface PidFacts {
  supervisorPid: number | undefined;
  workerPid: number | undefined;
  supervisorIdentity: string | undefined;
  workerIdentity: string | undefined;
  pidNamespace: string | undefined;
  pidNamespaceStart: number | undefined;
  /** Device and inode of the `meta.json` its supervisor has locked, and of the `out.log` its worker holds locked. */
  metaLock: string | undefined;
  logLock: string | undefined;
  /** Windows: the job object the worker is a member of. */
  jobName: string | undefined;
  /** Modification time of the file, milliseconds since the epoch. */
  writtenAt: number;
}

/** Read the `pid` file; undefined when it cannot be read or parsed, which counts as "nobody known". */
export function readPid(host: Owner, directory: string): PidFacts | undefined {
  const path = fileIn(directory, PID);
  const read = readJsonObject(host, path);
  if (!("value" in read)) return undefined;
  const { value } = read;
  return {
    supervisorPid: pid(value["supervisor_pid"]),
    workerPid: pid(value["worker_pid"]),
    supervisorIdentity: text(value["supervisor_identity"]) ?? undefined,
    workerIdentity: text(value["worker_identity"]) ?? undefined,
    pidNamespace: text(value["pid_namespace"]) ?? undefined,
    pidNamespaceStart: pid(value["pid_namespace_start"]),
    metaLock: text(value["meta_lock"]) ?? undefined,
    logLock: text(value["log_lock"]) ?? undefined,
    jobName: text(value["job_name"]) ?? undefined,
    writtenAt: modifiedAt(path) ?? 0,
  };
}

// 0, 1 and negative numbers mean groups, the system or everybody to a signal.
function pid(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 1 ? (value as number) : undefined;
}

export type JsonRead = { value: JsonObject } | MetaProblem;

/** A JSON object of ours, by the reading rules. */
export function readJsonObject(host: Owner, path: string): JsonRead {
  let bytes: Uint8Array;
  try {
    bytes = readOwnedFile(path, { ...ours(host), maxBytes: JSON_CAP });
  } catch (error) {
    if (error instanceof Refused) return { refused: error };
    throw error;
  }
  const value = parseObject(decoder.decode(bytes));
  return value === undefined ? { invalid: `${path}: not a JSON object` } : { value };
}

/**
 * What tells whether a result file was written since: device, inode, size and modification time. Null when there is
 * nothing at the path that could be taken for a result.
 */
export function resultSighting(path: string | null): string | null {
  if (path === null || lookAt(path)?.isFile() !== true) return null;
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

/**
 * What the declared result proves (docs/spec/jobs.md section 1): its size in bytes, when by lstat it is a regular file of
 * size > 0; `stale` when that file is exactly what was there before the worker began.
 */
export function resultEvidence(path: string | null, before: string | null): Evidence {
  const stat = path === null ? undefined : lookAt(path);
  if (!stat?.isFile() || stat.size === 0) return undefined;
  return before !== null && resultSighting(path) === before ? "stale" : stat.size;
}

function modifiedAt(path: string): number | undefined {
  return lookAt(path)?.mtimeMs;
}

/** A non-empty string, else null. */
function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
