import { join } from "node:path";
import * as v from "valibot";
import { JigError } from "../../../kernel/call/errors.ts";
import { createExclusive } from "../../../kernel/files/atomic.ts";
import { readOwnedText } from "../../../kernel/files/owned-file.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { entryBelow } from "../tree/below.ts";
import { type BytePath, parentOf, placeOf, restoredPath, storedPath } from "../tree/byte-path.ts";
import { type EntryState, isSameEntry } from "../tree/entry.ts";
import type { Version } from "../tree/listings.ts";

/** What is to be done at one path of the main tree; `none` where it is done already. */
export interface PlanEntry {
  path: BytePath;
  action: "copy" | "remove" | "none";
  /** The old path of a rename or copy, for reports. */
  from?: BytePath;
  before: EntryState;
  after: EntryState;
  /** The version that HEAD has when the plan is made; null for none. */
  head: Version | null;
  /** What the earlier content is saved as in the plan's directory. */
  saved?: string;
}

/** A copy that is undone whole unless it is done whole (docs/spec/flow-worktree.md 6.1). */
export interface Plan {
  /** Told apart by it, the temporary files of a copy that was cut off are found again. */
  token: string;
  /** Removals first, then copies. */
  entries: PlanEntry[];
  /** Directories the copies need and the main tree has not, from the top down. */
  directories: BytePath[];
}

export const PLAN_FILE = "plan.json";

const StateSchema = v.object({
  kind: v.picklist(["absent", "file", "link", "directory", "other"]),
  mode: v.optional(v.pipe(v.number(), v.integer())),
  hash: v.optional(v.string()),
});

const path = { path: v.string(), path_base64: v.optional(v.string()) };

const PlanSchema = v.object({
  version: v.literal(1),
  token: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
  entries: v.array(
    v.object({
      ...path,
      action: v.picklist(["copy", "remove", "none"]),
      from: v.optional(v.object(path)),
      before: StateSchema,
      after: StateSchema,
      head: v.nullable(v.object({ mode: v.string(), oid: v.string() })),
      saved: v.optional(v.pipe(v.string(), v.regex(/^\d{1,9}$/))),
    }),
  ),
  directories: v.array(v.object(path)),
});

/** Write a plan beside what is saved for it, and flush it. Throws `FileError`. */
export function writePlan(directory: string, { token, entries, directories }: Plan): string {
  const file = join(directory, PLAN_FILE);
  const stored = {
    version: 1,
    token,
    entries: entries.map(({ path, from, ...rest }) => ({
      ...storedPath(path),
      ...(from === undefined ? {} : { from: storedPath(from) }),
      ...rest,
    })),
    directories: directories.map(storedPath),
  };
  if (!createExclusive(file, `${JSON.stringify(stored)}\n`, 0o600)) {
    throw new JigError(`${printable(file)} is there already`);
  }
  return file;
}

const LARGEST_PLAN = 1 << 28;

/** A plan as it was written. Throws `JigError` when it cannot be read or is none: nothing is concluded from it then. */
export function readPlan(file: string): Plan {
  const text = readOwnedText(file, { uid: undefined, maxBytes: LARGEST_PLAN });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new JigError(`${printable(file)} is not JSON`, { cause: error });
  }
  const parsed = v.safeParse(PlanSchema, value);
  if (!parsed.success) throw new JigError(`${printable(file)} is no plan of jig`);
  return {
    token: parsed.output.token,
    directories: parsed.output.directories.map(restoredPath),
    entries: parsed.output.entries.map(
      ({ path, path_base64: bytes, from, saved, before, after, ...rest }) => ({
        ...rest,
        before: stateOf(before),
        after: stateOf(after),
        path: restoredPath({ path, path_base64: bytes }),
        ...(from === undefined ? {} : { from: restoredPath(from) }),
        ...(saved === undefined ? {} : { saved }),
      }),
    ),
  };
}

function stateOf({ kind, mode, hash }: v.InferOutput<typeof StateSchema>): EntryState {
  return { kind, ...(mode === undefined ? {} : { mode }), ...(hash === undefined ? {} : { hash }) };
}

/** Whether a path is still as the plan left it: of a removed one there is no file; a directory may be. */
export function isApplied(root: string, { path, after }: PlanEntry): boolean {
  const now = entryBelow(root, path);
  if (after.kind === "absent") return now.kind === "absent" || now.kind === "directory";
  return isSameEntry(now, after);
}

/** The name a copy is written under before it takes its place, in the same directory. */
export function temporaryPlace(root: string, { token }: Plan, index: number, path: BytePath): Buffer {
  const name = `.jig-copy-${token}-${index}`;
  const parent = parentOf(path);
  return parent === undefined
    ? Buffer.from(`${root}/${name}`)
    : placeOf(root, `${parent}/${name}` as BytePath);
}
