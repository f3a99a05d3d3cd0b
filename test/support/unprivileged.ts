import { chmodSync, copyFileSync, linkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { JIG } from "./paths.ts";
import { type RunOptions, type RunOutput, runJig } from "./run.ts";
import { makeTempDir, removeDir } from "./temp.ts";

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

let copy: string | undefined;
afterAll(() => {
  if (copy !== undefined) removeDir(dirname(copy));
});

/** One for a test file: 110 MB where no link can be made, as between mounts. */
function publicCopy(): string {
  if (copy !== undefined) return copy;
  const directory = makeTempDir();
  chmodSync(directory, 0o755);
  copy = join(directory, "jig");
  try {
    linkSync(JIG, copy);
  } catch {
    copyFileSync(JIG, copy);
  }
  return copy;
}
