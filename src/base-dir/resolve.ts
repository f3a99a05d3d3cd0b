import { lstatSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { absoluteFrom, isInside, realOrPlain, resolveReal, samePath } from "../kernel/files/contain.ts";
import { Refused } from "../kernel/files/owned-file.ts";
import { fixedTempDirectory, userTempDirectory } from "../kernel/shared/temp-root.ts";
import { ANCHOR_NAME, type Anchor, anchorIn, readAnchorInPlace } from "./anchor.ts";
import { fatal, plainFatal, withErrorLines } from "./fatal.ts";
import { renderResolution } from "./render.ts";
import type { Resolution } from "./schema.ts";

export interface ResolveOptions {
  /** Present, also when empty: the task form. */
  taskName: string | undefined;
  dryRun: boolean;
}

/**
 * Decide the base directory and record the decision in its anchor (docs/spec/base-dir.md section 4). Every failure is exit 1
 * with nothing changed that existed before.
 */
export function resolveBase(host: Host, options: ResolveOptions): Promise<Outcome<Resolution>> {
  return withErrorLines(async () => {
    const notes: string[] = [];
    const temporary = tempCandidate(host);
    const cwd = host.cwd;
    const data =
      options.taskName === undefined
        ? await resolveShared(host, cwd, temporary, options.dryRun, notes)
        : (await import("./resolve-task.ts")).resolveTask(host, cwd, options.taskName, options.dryRun, notes);
    return { data, text: renderResolution(data), notes };
  });
}

/** The directory in the system's temporary space that is offered when the working directory must not be used. */
function tempCandidate(host: Host): string {
  const parent = host.platform === "win32" ? userTempDirectory(host) : fixedTempDirectory(host);
  return join(parent, "claude-code");
}

async function resolveShared(
  host: Host,
  cwd: string,
  temporary: string,
  dryRun: boolean,
  notes: string[],
): Promise<Resolution> {
  if (host.home === undefined) throw plainFatal("HOME environment variable is not set or is empty");
  const atHome = isHome(cwd, host.home);
  const existing =
    (atHome ? readTempAnchor(host, temporary, notes) : undefined) ?? readAnchorInPlace(anchorIn(cwd));
  if (existing !== undefined) return fromAnchor(existing);
  if (atHome) {
    return { status: "needs-user-input", base: null, source: null, candidates: [temporary, cwd] };
  }
  // The first call alone pays for what makes an anchor.
  const { establishAnchor } = await import("./folder.ts");
  const result = establishAnchor(cwd, "cwd-inference", dryRun, host.now());
  if (!result.written) return fromAnchor(result.anchor);
  notes.push(...(await import("./drift.ts")).driftNote(host, cwd));
  return { status: "resolved", base: cwd, source: "cwd-inference", anchor: dryRun ? null : anchorIn(cwd) };
}

function fromAnchor(anchor: Anchor): Resolution {
  return { status: "resolved", base: anchor.base, source: "anchor", anchor: anchor.path };
}

/** Home itself, or `Home/.claude` and below: no place for output unless a person says so. */
function isHome(cwd: string, home: string): boolean {
  const here = resolveReal(cwd);
  // Another user's home, kept by a change of user, may be closed to us; then its spelling has to do.
  const there = realOrPlain(absoluteFrom(cwd, home));
  return samePath(here, there) || isInside(realOrPlain(join(there, ".claude")), here);
}

/** The temp candidate has a predictable name in a shared directory, so only what this user owns is believed. */
function readTempAnchor(host: Host, directory: string, notes: string[]): Anchor | undefined {
  const isOurs = (stat: Stats) => host.uid === undefined || stat.uid === host.uid;
  try {
    // Both the name and what it leads to: a foreign link to a directory of ours would steer us there.
    const named = lookWith(lstatSync, directory);
    if (named === undefined) return undefined;
    const meant = isOurs(named) ? lookWith(statSync, directory) : named;
    if (meant === undefined) return undefined;
    if (isOurs(meant)) return readAnchorInPlace(anchorIn(directory), host.uid);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  notes.push(`warning: ignoring ${directory}: it or its ${ANCHOR_NAME} is owned by another user`);
  return undefined;
}

function lookWith(look: typeof lstatSync | typeof statSync, path: string): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fatal(`cannot look at ${path}: ${osReason(error)}`, error);
  }
}
