import { echo } from "./finding.ts";

/** The lines of one file that are in scope. */
interface FileScope {
  /** Every line, and line 0 (the file as a whole). */
  whole: boolean;
  /** Sorted by start and disjoint. */
  ranges: { start: number; end: number }[];
}

/** Which lines of which files are in scope, by repository-relative path. */
export type Scope = ReadonlyMap<string, FileScope>;

export type ParsedScope = { ok: true; scope: Scope } | { ok: false; problem: string };

/**
 * A scope: entries `FILE:START-END` or `FILE:*`, one a line, the last colon splits. Entries are trimmed and empty lines
 * skipped; an empty text is a scope that holds nothing (docs/spec/craft-engine.md 15).
 */
export function parseScope(text: string, repoRoot: string | undefined): ParsedScope {
  const scope = new Map<string, FileScope>();
  for (const raw of text.split("\n")) {
    const entry = raw.trim();
    if (entry === "") continue;
    const read = readEntry(entry);
    if (read === undefined) {
      return {
        ok: false,
        problem: `malformed scope entry ${echo(entry)}; expected FILE:START-END or FILE:*, one a line`,
      };
    }
    const path = relativePath(read.file, repoRoot);
    const file = scope.get(path) ?? { whole: false, ranges: [] };
    if (read.range === undefined) file.whole = true;
    else file.ranges.push(read.range);
    scope.set(path, file);
  }
  for (const file of scope.values()) file.ranges = disjoint(file.ranges);
  return { ok: true, scope };
}

function readEntry(entry: string): { file: string; range?: { start: number; end: number } } | undefined {
  const colon = entry.lastIndexOf(":");
  if (colon <= 0) return undefined;
  const file = entry.slice(0, colon);
  const lines = entry.slice(colon + 1);
  // `a.ts:1-2,b.ts:*` is two entries joined by a comma: its file part ends like an entry.
  if (/:(\*|\d+-\d+)\s*,/.test(file)) return undefined;
  if (lines === "*") return { file };
  const [, start, end] = /^(\d+)-(\d+)$/.exec(lines) ?? [];
  if (start === undefined || end === undefined) return undefined;
  const range = { start: Number(start), end: Number(end) };
  return range.start >= 1 && range.end >= range.start ? { file, range } : undefined;
}

function disjoint(ranges: readonly { start: number; end: number }[]): { start: number; end: number }[] {
  const out: { start: number; end: number }[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last !== undefined && range.start <= last.end + 1) last.end = Math.max(last.end, range.end);
    else out.push({ ...range });
  }
  return out;
}

/** Whether a line of a file is in scope. */
export function isInScope(scope: Scope, path: string, line: number): boolean {
  const file = scope.get(path);
  if (file === undefined) return false;
  if (file.whole) return true;
  let low = 0;
  let high = file.ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (file.ranges[middle]!.end < line) low = middle + 1;
    else high = middle;
  }
  return low < file.ranges.length && file.ranges[low]!.start <= line;
}

/** A path as the scope compares it: without the repository's root and without a leading `./`. */
export function relativePath(path: string, repoRoot: string | undefined): string {
  let out = path;
  const root = repoRoot === undefined ? "" : repoRoot.replace(/\/+$/, "");
  if (repoRoot !== undefined && out.startsWith(`${root}/`)) out = out.slice(root.length + 1);
  while (out.startsWith("./")) out = out.slice(2);
  return out;
}
