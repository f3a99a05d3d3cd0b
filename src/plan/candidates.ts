/** The files of a directory that may be plans. */
import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../kernel/call/errors.ts";
import { containedRealPath } from "../kernel/files/contain.ts";
import { lookAt } from "../kernel/files/look.ts";
import { decodeUtf8 } from "../kernel/files/owned-file.ts";
import { formatOf } from "./name.ts";
import { readPlanBytes } from "./read/load.ts";
import type { Format } from "./terms.ts";

/** A file that may be a plan, read but not parsed. */
export interface Candidate {
  name: string;
  path: string;
  format: Format;
  bytes: Uint8Array;
  text: string;
  mtime: number;
}

/** The readable documents of a directory; the others are counted. */
export function readCandidates(
  repository: string,
  directory: string,
  counter: { ignored: number },
): Candidate[] {
  let names: string[];
  try {
    names = readdirSync(directory).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const format = formatOf(name);
    const path = join(directory, name);
    const stat = format === undefined ? undefined : lookAt(path);
    if (format === undefined || stat === undefined || stat.isDirectory()) return [];
    const candidate = readCandidate(repository, { name, path, format }, stat);
    if (candidate === undefined) counter.ignored += 1;
    return candidate === undefined ? [] : [candidate];
  });
}

function readCandidate(
  repository: string,
  file: Pick<Candidate, "name" | "path" | "format">,
  stat: Stats,
): Candidate | undefined {
  try {
    if (stat.isSymbolicLink() && containedRealPath(repository, file.path) === undefined) return undefined;
    const bytes = readPlanBytes(file.path);
    const text = decodeUtf8(bytes);
    if (bytes.length === 0 || text === undefined) return undefined;
    return { ...file, bytes, text, mtime: statSync(file.path).mtimeMs };
  } catch (error) {
    if (error instanceof JigError) return undefined;
    throw error;
  }
}
