import { lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { absoluteFrom, resolveReal } from "../kernel/files/contain.ts";
import { printable } from "../kernel/text/printable.ts";
import { ANCHOR_NAME, type AnchorSource, anchorIn, describes, readAnchor } from "./anchor.ts";
import { checkArgument, fatal, withErrorLines } from "./fatal.ts";
import { oneLine } from "./render.ts";
import type { Recorded } from "./schema.ts";
import { writeAnchor } from "./write-anchor.ts";

export interface RecordOptions {
  base: string;
  source: Exclude<AnchorSource, "task-scope">;
}

/**
 * Record a person's choice of base directory in its anchor (docs/spec/base-dir.md section 6). An anchor that already names
 * the directory is left untouched; one that names another directory wins, exit 1.
 */
export function recordBase(host: Host, options: RecordOptions): Promise<Outcome<Recorded>> {
  return withErrorLines(() => {
    checkArgument(host, "base", options.base);
    if (!isAbsolute(options.base)) throw fatal(`base must be an absolute path, got '${options.base}'`);
    const base = normalise(absoluteFrom(host.cwd, options.base));
    const written = recordIn(base, options.source, host.now());
    const anchor = anchorIn(base);
    return {
      data: { anchor },
      text: `anchor: ${oneLine(anchor)}\n`,
      notes: written && hasGitEntry(base) ? [TIP] : [],
    };
  });
}

const TIP = `tip: to keep ${ANCHOR_NAME} out of every git status, add that line to ~/.config/git/ignore`;

/** True when the anchor was written by this call, false when a matching one was there. */
function recordIn(base: string, source: AnchorSource, now: number): boolean {
  for (;;) {
    const existing = readAnchor(anchorIn(base));
    if (existing !== undefined) {
      if (describes(existing, base)) return false;
      throw fatal(
        `anchor ${existing.path} records base=${printable(existing.base)}, not ${base}; refusing to overwrite it`,
      );
    }
    try {
      mkdirSync(base, { recursive: true });
    } catch (error) {
      throw fatal(`cannot create ${base}: ${osReason(error)}`, error);
    }
    if (writeAnchor(base, source, now)) return true;
  }
}

/**
 * The path's text without trailing and doubled slashes and `.`; a `..` goes to the real parent of what stands before
 * it, or cancels a missing component. Symlinks elsewhere stay as typed.
 */
function normalise(path: string): string {
  const { root } = parse(path);
  let out = root;
  for (const part of path.slice(root.length).split(sep === "\\" ? /[\\/]/ : "/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") out = join(out, part);
    else out = dirname(isThere(out) ? resolveReal(out) : out);
  }
  return out;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function hasGitEntry(directory: string): boolean {
  try {
    return statSync(join(directory, ".git"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
