/** The permit of a memory finalization (docs/spec/flow.md 9.8): while it is there, memory files may be written. */
import { unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../../../kernel/call/errors.ts";
import { writeFileAtomic } from "../../../kernel/files/atomic.ts";
import { realOrPlain, samePath } from "../../../kernel/files/contain.ts";
import { FileError } from "../../../kernel/files/file-io.ts";
import { statIfThere } from "../../../kernel/files/look.ts";
import type { Layout } from "../../common/layout.ts";
import { insideProject, readStateText } from "../../common/state-file.ts";
import { ensureDirectory } from "./directory.ts";

const MAX_PERMIT_BYTES = 4_096;
const STALE_AFTER_MS = 3_600_000;

export interface Permit {
  /** The workflow it was given to. */
  workflow: string;
  /** When, milliseconds since the epoch. */
  setMs: number;
}

/** The permit of a project; undefined when none is given. Throws `StateFileError` when it cannot be read. */
export function readPermit(layout: Layout): Permit | undefined {
  const stat = statIfThere(layout.permit, "cannot read");
  if (stat === undefined) return undefined;
  const workflow = readStateText(layout.root, layout.permit, MAX_PERMIT_BYTES).trim();
  return { workflow, setMs: stat.mtimeMs };
}

/** It still counts: upstream's hooks look at nothing but its presence. */
export function isStale({ setMs }: Permit, now: number): boolean {
  return now - setMs > STALE_AFTER_MS;
}

export function setPermit(layout: Layout, workflow: string): void {
  ensureDirectory(layout.root, layout.state);
  writeFileAtomic(insideProject(layout.root, layout.permit), workflow);
}

/** False when there was none. */
export function clearPermit(layout: Layout): boolean {
  try {
    unlinkSync(layout.permit);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw new FileError("cannot remove", layout.permit, error);
  }
}

/** Why the permit does not cover a memory file; undefined when it does. One workflow's own needs its own permit. */
export function permitted(layout: Layout, path: string): string | undefined {
  const permit = readPermit(layout);
  if (permit === undefined) return "no memory finalization is running (jig flow memory permit set WF)";
  const folder = dirname(path);
  if (!samePath(dirname(folder), realOrPlain(layout.workflows))) return undefined;
  if (samePath(folder, realOrPlain(layout.memory(permit.workflow)))) return undefined;
  return "the permit is another workflow's";
}
