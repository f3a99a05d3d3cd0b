import { sep } from "node:path";

/** The files of a job directory (docs/spec/jobs.md 4.1). */
export const META = "meta.json";
export const LOG = "out.log";
export const PID = "pid";
export const REASON = "reason";
export const STATUS = "status";
export const HAND_OVER = ".spawn.json";
export const REAP_MARKER = ".reap";
/** There as long as an engine may have the job (docs/spec/engines.md 2.3). */
export const ENGINE = "engine.json";
/** What an engine said of a job that ended without a record (docs/spec/engines.md 2.4). */
export const ENDED = ".ended";
/** What the batch script and the supervisor say on a node. */
export const ENGINE_LOG = "engine.log";
/** Held by the one caller that ends a job whose supervisor is gone. */
export const REAP_LOCK = ".reap.lock";

/** The internal mode that supervises a job: its word before the job's directory (docs/spec/jobs.md section 6). */
export const SUPERVISE = "__supervise";

/** A job's file. Both parts are normal already, and `list` asks for tens of thousands. */
export function fileIn(directory: string, name: string): string {
  return directory + sep + name;
}

/** Exact mode of every file in a job directory. */
export const FILE_MODE = 0o600;

/** Most bytes read of each (docs/spec/jobs.md 4.2). */
export const STATUS_CAP = 256;
export const REASON_CAP = 1_024;
export const JSON_CAP = 65_536;

/** One for all reads: making one costs more than a small read. */
export const decoder = new TextDecoder();
