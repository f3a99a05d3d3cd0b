import { mkdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { EXIT, JigError, osReason } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../../kernel/files/contain.ts";
import { GitError } from "../../../kernel/repository/git.ts";
import { printable, valueLines } from "../../../kernel/text/printable.ts";
import { randomHex } from "../../../kernel/text/random.ts";
import { type BytePath, byteRecords, parentOf, placeOf, shownPath } from "../tree/byte-path.ts";
import { kindAt, statAt } from "../tree/entry.ts";
import {
  isDeletion,
  isMove,
  isRefused,
  isRename,
  PorcelainError,
  type StatusRecord,
  statusRecords,
} from "../tree/porcelain.ts";
import { linkedTree, look } from "../tree/work-tree.ts";
import { rewrittenTarget } from "./link-target.ts";
import { modeFor, writeEntry } from "./write-entry.ts";

export interface CopyFallbackOptions {
  worktree: string;
  root: string;
}

/**
 * Apply a worktree's uncommitted changes to another tree, record by record: no look at what is newer there, no backup,
 * and what is applied stays applied (docs/spec/flow-worktree.md 6.3). The index is never touched.
 */
export async function copyFallback(host: Host, options: CopyFallbackOptions): Promise<Outcome> {
  const worktree = absoluteFrom(host.cwd, options.worktree);
  const root = absoluteFrom(host.cwd, options.root);
  const records = await recordsOf(host, worktree);
  for (const record of records) refuse(record, worktree);
  for (const record of records) apply(record, worktree, root);
  return {
    data: { applied: records.map(appliedOf) },
    text: valueLines(records.map((record) => `${lineOf(record)}\n`).join("")),
  };
}

async function recordsOf(host: Host, worktree: string): Promise<StatusRecord[]> {
  const words = ["--porcelain=1", "-z", "--untracked-files=all"];
  try {
    const { exitCode, stdout, stderr } = await look(host, linkedTree(worktree), ["status", ...words]);
    if (exitCode !== 0)
      throw failure(`git status failed in worktree ${printable(worktree)}: ${printable(stderr)}`);
    return statusRecords(byteRecords(stdout));
  } catch (error) {
    if (error instanceof PorcelainError) throw failure(printable(error.message));
    if (error instanceof GitError)
      throw failure(`git status failed in worktree: ${printable(error.message)}`);
    throw error;
  }
}

/** What must not be guessed at; looked for in all records before the first is applied. */
function refuse(record: StatusRecord, worktree: string): void {
  const { code } = record;
  const path = quoted(record.path);
  if (isRefused(record)) {
    throw failure(`unsupported/conflict porcelain status '${code}' for ${path}; refusing to guess`);
  }
  if (isMove(record) && kindAt(placeOf(worktree, record.path)) === "absent") {
    throw failure(`rename or copy '${code}' has no source file at ${path}; refusing to guess`);
  }
}

function apply(record: StatusRecord, worktree: string, root: string): void {
  try {
    if (isRename(record)) remove(root, record.from!);
    if (isDeletion(record)) remove(root, record.path);
    else copy(worktree, root, record.path);
  } catch (error) {
    throw failure(
      `copy-fallback failed while applying '${record.code}' to ${quoted(record.path)}: ${printable(osReason(error))}`,
    );
  }
}

function remove(root: string, path: BytePath): void {
  const place = placeOf(root, path);
  if (kindAt(place) !== "absent") unlinkSync(place);
}

/** Beside its place and renamed over it, so that a link there is replaced and not written through. */
function copy(worktree: string, root: string, path: BytePath): void {
  const [from, to] = [placeOf(worktree, path), placeOf(root, path)];
  const source = statAt(from);
  if (source === undefined) throw new JigError("it is no longer in the worktree");
  if (source.isDirectory()) throw new JigError("it is a directory");
  const parent = parentOf(path);
  mkdirSync(parent === undefined ? Buffer.from(root) : placeOf(root, parent), { recursive: true });
  const existing = statAt(to);
  const mode = modeFor(source.mode, existing?.isFile() ? existing.mode : undefined);
  const temporary = Buffer.concat([to, Buffer.from(`.jig-${randomHex(4)}`)]);
  try {
    const kind = source.isSymbolicLink() ? "link" : "file";
    writeEntry(from, temporary, { kind, mode }, (target) => rewrittenTarget(target, worktree, root));
    renameSync(temporary, to);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function lineOf(record: StatusRecord): string {
  const path = shownPath(record.path);
  if (isMove(record)) return `rename_or_copy ${shownPath(record.from!)} ${path}`;
  return `${isDeletion(record) ? "deleted" : "copied"} ${path}`;
}

function appliedOf(record: StatusRecord) {
  const path = shownPath(record.path);
  if (isMove(record)) return { action: "rename_or_copy", path, from: shownPath(record.from!) };
  return { action: isDeletion(record) ? "deleted" : "copied", path };
}

function quoted(path: BytePath): string {
  return `'${printable(shownPath(path))}'`;
}

function failure(message: string): JigError {
  return new JigError(message, { exitCode: EXIT.failed });
}
