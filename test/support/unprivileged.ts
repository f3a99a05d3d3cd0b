import { chmodSync, copyFileSync, linkSync } from "node:fs";
import { join } from "node:path";
import { JIG } from "./paths.ts";
import { type RunOptions, type RunOutput, runJig } from "./run.ts";
import { tempDir } from "./temp.ts";

const isRoot = process.geteuid?.() === 0;

/** Whom `runUnprivileged` runs as: nobody when the tests run as root, else the tests' own user. */
export const unprivilegedUid = isRoot ? 65_534 : process.geteuid?.();

/**
 * Run jig as a user whom mode bits bind. Root is not, so root's tests go through setpriv, and from a copy of the
 * binary outside the clone, which may lie where that user cannot go.
 */
export function runUnprivileged(
  words: readonly string[],
  options: RunOptions & { umask?: string } = {},
): Promise<RunOutput> {
  const { umask = "022", program = isRoot ? publicCopy() : JIG, ...rest } = options;
  const drop = isRoot
    ? ["setpriv", `--reuid=${unprivilegedUid}`, `--regid=${unprivilegedUid}`, "--clear-groups"]
    : [];
  const command = [...drop, program, ...words];
  return runJig(["-c", `umask ${umask}; exec "$@"`, "sh", ...command], { ...rest, program: "/bin/sh" });
}

function publicCopy(): string {
  const directory = tempDir();
  chmodSync(directory, 0o755);
  const copy = join(directory, "jig");
  try {
    linkSync(JIG, copy);
  } catch {
    copyFileSync(JIG, copy); // another file system
  }
  return copy;
}
