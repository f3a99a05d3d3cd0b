import { asBytePath, type BytePath, shownPath } from "./byte-path.ts";

/** One record of `git status --porcelain=1 -z`. */
export interface StatusRecord {
  /** Two letters: the index against HEAD, the working tree against the index. */
  code: string;
  path: BytePath;
  /** The old path of a rename or copy. */
  from?: BytePath;
}

/** Output that is not what git prints; nothing may be concluded from it. */
export class PorcelainError extends Error {}

const SHORTEST = 4;

/**
 * The records of `git status --porcelain=1 -z`: of a rename or copy the old path is the next field, and nothing is quoted
 * (docs/spec/flow-worktree.md 6). Throws `PorcelainError`.
 */
export function statusRecords(fields: readonly string[]): StatusRecord[] {
  const records: StatusRecord[] = [];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]!;
    if (field.length < SHORTEST || field[2] !== " ") {
      throw new PorcelainError(`unexpected short porcelain token '${shownPath(field)}'`);
    }
    const record: StatusRecord = { code: field.slice(0, 2), path: asBytePath(field.slice(3)) };
    if (isMove(record)) {
      const from = fields[++at];
      if (from === undefined || from === "") {
        throw new PorcelainError(
          `status record '${record.code}' for '${shownPath(record.path)}' is missing its old-path field`,
        );
      }
      record.from = asBytePath(from);
    }
    records.push(record);
  }
  return records;
}

/** A rename or a copy. */
export function isMove({ code }: StatusRecord): boolean {
  return code.includes("R") || code.includes("C");
}

/** A rename, whose old path goes; that of a copy stays. */
export function isRename({ code }: StatusRecord): boolean {
  return code.includes("R");
}

export function isDeletion(record: StatusRecord): boolean {
  return !isMove(record) && record.code.includes("D");
}

/** Unmerged, or not a change at all: neither is carried anywhere. */
export function isRefused({ code }: StatusRecord): boolean {
  return UNMERGED.includes(code) || code.includes("U") || code.includes("!");
}

const UNMERGED: readonly string[] = ["AA", "DD"];
