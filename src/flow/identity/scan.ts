/** Repositories right below a directory (docs/spec/flow.md 2, steps 2 and 3). */
import { type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { errorCode, JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { GitError, git, gitText } from "../../kernel/repository/git.ts";
import { byCodePoint } from "../../kernel/text/code-point-order.ts";

/** How long git may look at one directory, milliseconds. */
const PATIENCE_MS = 5_000;
/** How many directories git looks at side by side. */
const AT_ONCE = 4;

export interface Scan {
  /** Absolute paths, in the order of their characters. */
  candidates: string[];
  /** A sentence for each child that could not be looked at. */
  notes: string[];
}

/**
 * The immediate children of a directory that are the top of a working tree: real directories, no links, no directories
 * that are only inside some outer repository. What cannot be looked at is left out, with a note. Throws the operating
 * system's error when the directory itself cannot be listed.
 */
export async function scanForRepositories(host: Host, directory: string): Promise<Scan> {
  const children = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const found = await inTurn(children, async (entry) => inspect(host, directory, entry));
  return {
    candidates: found.flatMap((one) => ("candidate" in one ? [one.candidate] : [])).sort(byCodePoint),
    notes: found.flatMap((one) => ("note" in one ? [one.note] : [])),
  };
}

type Inspected = { candidate: string } | { note: string } | Record<string, never>;

async function inspect(host: Host, directory: string, entry: Dirent): Promise<Inspected> {
  const path = join(directory, entry.name);
  try {
    // A working tree has an entry of this name in its top directory, so the others need no git.
    if (lstatSync(join(path, ".git"), { throwIfNoEntry: false }) === undefined) return {};
    const result = await git(host, ["rev-parse", "--show-toplevel"], { cwd: path, timeoutMs: PATIENCE_MS });
    if (result.exitCode !== 0) return leftOut(path, result.stderr);
    return isSameFile(path, gitText(result)) ? { candidate: path } : {};
  } catch (error) {
    if (error instanceof GitError) return leftOut(path, error.message);
    if (error instanceof JigError || errorCode(error) === undefined) throw error;
    return leftOut(path, osReason(error));
  }
}

function leftOut(path: string, reason: string): Inspected {
  return { note: `${path} is left out: ${reason.split("\n", 1)[0]}` };
}

/** By device and inode, links followed; false when one of them is not there. Throws the operating system's other errors. */
export function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

/** What ends a word of a request; a dot or a hyphen does not. */
const SEPARATORS = /[\s/\\,:;()[\]{}"'`]+/;

/** The one candidate whose directory is named in the request, letter for letter; undefined when there is none or more. */
export function candidateNamed(candidates: readonly string[], request: string): string | undefined {
  const words = new Set(request.split(SEPARATORS));
  const named = candidates.filter((path) => words.has(basename(path)));
  return named.length === 1 ? named[0] : undefined;
}
