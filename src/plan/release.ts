/** `plan release`: give back a reservation that was not used (docs/spec/plan.md section 2). */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { JigError, osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { publishExclusive } from "../kernel/files/atomic.ts";
import { isSameDirectory } from "../kernel/files/contain.ts";
import { FileError } from "../kernel/files/file-io.ts";
import { parseBaseName } from "./name.ts";
import { findPlace } from "./place.ts";
import type { Release } from "./schema.ts";

/** Delete an empty reservation. Anything else is exit 1 and stays as it is. */
export async function release(host: Host, file: string): Promise<Outcome<Release>> {
  const path = resolve(host.cwd, file);
  const refuse = (why: string) => new JigError(`not an empty reservation: ${file} ${why}`);
  const stat = look(path, refuse);
  if (!stat.isFile()) throw refuse("is not a regular file");
  if (stat.size > 0) throw refuse(`has ${stat.size} bytes`);
  const match = /^(.*)\.(?:md|html)$/.exec(basename(path));
  if (match === null || parseBaseName(match[1]!) === undefined)
    throw refuse("has not the name of a reserved plan");
  const place = await findPlace({ ...host, cwd: dirname(path) });
  if (!isSameDirectory(place.plans, dirname(path))) throw refuse(`is not directly in ${place.plans}`);
  removeEmpty(path, stat, refuse);
  const data = { path, relative: relative(place.repository, path).split(sep).join("/") };
  return { data, text: `released: ${path}\n` };
}

function look(path: string, refuse: (why: string) => JigError): Stats {
  try {
    return lstatSync(path);
  } catch (error) {
    throw refuse(`cannot be looked at: ${osReason(error)}`);
  }
}

/** Delete the file that was looked at. Text that a writer put in at the last moment is put back under its name. */
function removeEmpty(path: string, seen: Stats, refuse: (why: string) => JigError): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    throw new FileError("cannot open", path, error);
  }
  try {
    const now = fstatSync(descriptor);
    if (now.ino !== seen.ino || now.dev !== seen.dev) throw refuse("was replaced meanwhile");
    if (now.size > 0) throw refuse(`has ${now.size} bytes`);
    unlinkSync(path);
    const { size } = fstatSync(descriptor);
    if (size === 0) return;
    const content = new Uint8Array(size);
    readSync(descriptor, content, 0, size, 0);
    publishExclusive(path, content);
    throw refuse("was written meanwhile");
  } catch (error) {
    if (error instanceof JigError) throw error;
    throw new FileError("cannot remove", path, error);
  } finally {
    closeSync(descriptor);
  }
}
