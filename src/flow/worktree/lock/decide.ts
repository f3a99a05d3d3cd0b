/** What to make of a merge lock that is held: a table, in order (docs/spec/flow-worktree.md 4.1). */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { realOrPlain } from "../../../kernel/files/contain.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../../../kernel/files/owned-file.ts";
import { GitError, git, gitRecords } from "../../../kernel/repository/git.ts";
import { type JsonObject, parseObject } from "../../../kernel/text/json.ts";
import { parseIsoSeconds } from "../../../kernel/text/time.ts";
import { textAt } from "../../artifact/read.ts";
import { readArtifact } from "../../artifact/store.ts";
import { errorClass } from "../../common/error-class.ts";
import { isWorkflowId, layoutOf } from "../../common/layout.ts";
import { holderProcess } from "./metadata.ts";

/** Seconds after which a lock without recent activity is stale. */
const STALE_SECONDS = 7200;
/** Seconds within which a holder's artifact shows that it is at work. */
const RECENT_SECONDS = 900;
const MAX_METADATA_BYTES = 65_536;

export type DecisionWord =
  | "STALE_INACTIVE"
  | "STALE_WORKTREE_GONE"
  | "STALE_HOLDER_DEAD"
  | "SELF_RECLAIM"
  | "CONTENDED"
  | "CONTENDED_UNKNOWN_HOLDER"
  | "LOCK_READ_ERROR"
  | "GIT_WORKTREE_LIST_ERROR";

export interface Decision {
  word: DecisionWord;
  /** The holder's id, `unknown`, or what went wrong. */
  subject: string;
  /** The metadata, when it is a JSON object. */
  metadata?: JsonObject;
}

export interface LockQuestion {
  /** The metadata file of the lock. */
  metadataPath: string;
  /** The project's root. */
  root: string;
  /** The asker's own workflow. */
  ownId?: string | undefined;
  /** Whether the recorded process counts, too: in `finalize` and `unlock` alone. */
  askProcess?: boolean;
}

/** The line of a decision: `CONTENDED wf-other-…`. */
export function decisionLine({ word, subject }: Decision): string {
  return `${word} ${subject}`;
}

const RECLAIMABLE: ReadonlySet<DecisionWord> = new Set([
  "STALE_INACTIVE",
  "STALE_WORKTREE_GONE",
  "STALE_HOLDER_DEAD",
  "SELF_RECLAIM",
]);

/** Whether a lock of this decision may be taken away; anything not recognized may not. */
export function isReclaimable({ word }: Decision): boolean {
  return RECLAIMABLE.has(word);
}

/** Judge a lock. Reads files and asks git for its worktrees; changes nothing, and never throws for what it finds. */
export async function decideLock(
  host: Pick<Host, "cwd" | "env" | "platform" | "now">,
  { metadataPath, root, ownId, askProcess }: LockQuestion,
): Promise<Decision> {
  const read = readMetadata(metadataPath);
  if ("error" in read) return { word: "LOCK_READ_ERROR", subject: errorClass(read.error) };
  if (read.metadata === undefined) return withoutMetadata(dirname(metadataPath), host.now());
  const { metadata } = read;
  const listed = await listedWorktrees(host, root);
  if ("failure" in listed) return { word: "GIT_WORKTREE_LIST_ERROR", subject: listed.failure, metadata };
  const id = typeof metadata["workflow_uuid"] === "string" ? metadata["workflow_uuid"] : "unknown";
  const word = await judge(host, { metadata, id, ownId, root, askProcess, paths: listed.paths });
  return { word, subject: id, metadata };
}

interface Known {
  metadata: JsonObject;
  id: string;
  ownId: string | undefined;
  root: string;
  askProcess: boolean | undefined;
  /** Real paths of the worktrees git lists. */
  paths: ReadonlySet<string>;
}

async function judge(host: Pick<Host, "now">, known: Known): Promise<DecisionWord> {
  const { metadata, id, ownId, root, askProcess, paths } = known;
  if (askProcess) {
    const process = await holderProcess(metadata);
    if (process === "gone") return "STALE_HOLDER_DEAD";
    if (process === "running") return "CONTENDED";
  }
  const path = metadata["worktree_path"];
  if (typeof path === "string" && path !== "" && !paths.has(realOrPlain(absolute(path, root)))) {
    return ownId !== undefined && id === ownId ? "SELF_RECLAIM" : "STALE_WORKTREE_GONE";
  }
  const acquired = metadata["acquired_at"];
  const since = typeof acquired === "string" ? parseIsoSeconds(acquired) : undefined;
  const isOld = since !== undefined && host.now() - since > STALE_SECONDS * 1000;
  return isOld && !isActive(host, root, id) ? "STALE_INACTIVE" : "CONTENDED";
}

/** A path that is not absolute counts from the root, as a caller in the root would have it. */
function absolute(path: string, root: string): string {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path) ? path : `${root}/${path}`;
}

/** Whether the holder's artifact was written lately; anything that cannot be read is no sign of life. */
function isActive(host: Pick<Host, "now">, root: string, id: string): boolean {
  if (!isWorkflowId(id)) return false;
  try {
    const updated = parseIsoSeconds(textAt(readArtifact(layoutOf(root), id), "updated_at") ?? "");
    return updated !== undefined && host.now() - updated < RECENT_SECONDS * 1000;
  } catch (error) {
    if (error instanceof JigError) return false;
    throw error;
  }
}

/** Metadata that is missing, or is no JSON object, is undefined: a lock in the moment before it is signed. */
function readMetadata(path: string): { metadata: JsonObject | undefined } | { error: unknown } {
  try {
    const text = decodeUtf8(
      readOwnedFile(path, { uid: undefined, maxBytes: MAX_METADATA_BYTES, allowSymlink: true }),
    );
    return { metadata: text === undefined ? undefined : parseObject(text) };
  } catch (error) {
    return error instanceof Refused && error.reason === "absent" ? { metadata: undefined } : { error };
  }
}

function withoutMetadata(lockDirectory: string, now: number): Decision {
  let isOld = false;
  try {
    isOld = now - statSync(lockDirectory).mtimeMs > STALE_SECONDS * 1000;
  } catch {
    // What cannot be looked at is not old.
  }
  return { word: isOld ? "STALE_INACTIVE" : "CONTENDED_UNKNOWN_HOLDER", subject: "unknown" };
}

/** Real paths of the worktrees git lists, or how it failed, in upstream's words. */
async function listedWorktrees(
  host: Pick<Host, "cwd" | "env" | "platform">,
  root: string,
): Promise<{ paths: ReadonlySet<string> } | { failure: string }> {
  try {
    const { exitCode, stdout, stderr } = await git(host, ["worktree", "list", "--porcelain", "-z"], {
      cwd: root,
    });
    if (exitCode !== 0) {
      return { failure: `NonZeroExit(rc=${exitCode}): ${stderr.trim().replaceAll("\n", " ")}` };
    }
    const prefix = "worktree ";
    const paths = gitRecords(stdout)
      .filter((record) => record.startsWith(prefix))
      .map((record) => realOrPlain(record.slice(prefix.length)));
    return { paths: new Set(paths) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { failure: startFailure(error, root) };
  }
}

function startFailure(error: GitError, root: string): string {
  if (error.failure === "timeout") return "TimeoutError";
  if (error.failure === "missing") return "FileNotFoundError";
  if (error.failure === "directory") {
    return statSync(root, { throwIfNoEntry: false }) === undefined
      ? "FileNotFoundError"
      : "NotADirectoryError";
  }
  return errorClass(error);
}
