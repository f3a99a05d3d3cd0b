/** What a workspace says may be written beside its repositories (docs/spec/flow.md 2, workspace allowlist). */
import { dirname, join } from "node:path";
import { resolveReal } from "../../kernel/files/contain.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { errorClass } from "../common/error-class.ts";
import { JsonSyntaxError, type JsonValue, parseLossless } from "../common/lossless-json.ts";
import { pythonSpelling } from "./python-spelling.ts";
import { isSameFile } from "./scan.ts";
import type { DroppedEntry } from "./schema.ts";

export const WORKSPACE_FILE = ".craftflow-workspace.json";

const MAX_BYTES = 8 << 20;
const LONGEST_NAME = 255;

export interface Allowlist {
  /** Absolute real paths, in the order of the file. */
  paths: string[];
  dropped: DroppedEntry[];
}

/**
 * The `writable_paths` of a workspace's configuration. Each entry is judged alone: a bad one is dropped with a reason.
 * `directory` and `candidates` are real paths. A missing file allows nothing and has nothing dropped.
 */
export function readAllowlist(directory: string, candidates: readonly string[]): Allowlist {
  const path = join(directory, WORKSPACE_FILE);
  const read = readConfiguration(path);
  if ("absent" in read) return { paths: [], dropped: [] };
  if ("failed" in read) return wholeFile(`unreadable_or_malformed_json:${read.failed}`);
  const entries = read.value instanceof Map ? read.value.get("writable_paths") : undefined;
  if (!Array.isArray(entries)) return wholeFile("writable_paths_missing_or_not_a_list");
  const allowed: Allowlist = { paths: [], dropped: [] };
  for (const entry of entries) {
    const judged = judgeEntry(entry, directory, candidates);
    if ("path" in judged) allowed.paths.push(judged.path);
    else {
      const spelling = typeof entry === "string" ? entry : pythonSpelling(entry);
      allowed.dropped.push({ entry: spelling, reason: judged.reason });
    }
  }
  return allowed;
}

function wholeFile(reason: string): Allowlist {
  return { paths: [], dropped: [{ entry: null, reason }] };
}

function readConfiguration(path: string): { value: JsonValue } | { absent: true } | { failed: string } {
  let bytes: Uint8Array;
  try {
    bytes = readOwnedFile(path, { uid: undefined, allowSymlink: true, maxBytes: MAX_BYTES });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.reason === "absent" ? { absent: true } : { failed: errorClass(error) };
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return { failed: "UnicodeDecodeError" };
  try {
    return { value: parseLossless(text) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { failed: "JSONDecodeError" };
    throw error;
  }
}

/** Where an entry leads, or why it does not count; the first reason of the table that holds. */
function judgeEntry(
  entry: JsonValue,
  directory: string,
  candidates: readonly string[],
): { path: string } | { reason: string } {
  if (typeof entry !== "string") return { reason: "not_a_string" };
  if (!isChildName(entry)) return { reason: "not_a_direct_workspace_root_child" };
  // Neither can be part of a path: the system takes no NUL, and a lone surrogate would become another character.
  if (entry.includes("\0") || !entry.isWellFormed()) return { reason: "resolve_failed:ValueError" };
  let path: string;
  try {
    path = resolveReal(join(directory, entry));
  } catch (error) {
    return { reason: `resolve_failed:${errorClass(error)}` };
  }
  if (dirname(path) !== directory) return { reason: "resolves_outside_workspace_root" };
  const isCandidate = candidates.some((candidate) => path === candidate || leadsToSame(path, candidate));
  return isCandidate ? { reason: "resolves_inside_nested_repo" } : { path };
}

function isChildName(entry: string): boolean {
  if (entry === "" || entry === "." || entry === "..") return false;
  if (entry.startsWith("~") || /[/\\]/.test(entry)) return false;
  // Characters, of which the longest take two units.
  return entry.length <= 2 * LONGEST_NAME && [...entry].length <= LONGEST_NAME;
}

function leadsToSame(a: string, b: string): boolean {
  try {
    return isSameFile(a, b);
  } catch {
    return false;
  }
}
