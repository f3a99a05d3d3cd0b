import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What the tests left behind: temporary files, processes, worktrees, entries in the shared per-user roots. */
export function leftovers(temp: string, before: ReadonlySet<string>): string[] {
  const files = readdirSync(temp)
    .filter((name) => !FOREIGN.test(name))
    .map((name) => `temporary file ${join(temp, name)}`);
  const shared = [...sharedRoots()]
    .filter((entry) => !before.has(entry))
    .map((entry) => `directory ${entry}`);
  return [...files, ...processesUsing(temp), ...worktrees(), ...shared];
}

/** What vitest (a random name of 21 characters) and Chromium keep for themselves; they clean up in their own time. */
const FOREIGN = /^([\w-]{21}|\.?org\.chromium\..*|\.?com\.google\..*|node-compile-cache)$/;

/** Runs in the real per-user roots, which no test may touch. */
export function sharedRoots(): Set<string> {
  const root = `/tmp/compound-engineering-${process.geteuid?.()}`;
  return new Set(
    [root, "/tmp/claude-code"].flatMap((path) => entriesOf(path).map((name) => join(path, name))),
  );
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Live processes that name the tests' directory or work in it (Linux). */
function processesUsing(temp: string): string[] {
  return entriesOf("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const directory = readlinkSync(`/proc/${pid}/cwd`);
        return line.includes(temp) || directory.startsWith(temp) ? [`process ${pid}: ${line}`] : [];
      } catch {
        return [];
      }
    });
}

function worktrees(): string[] {
  const list = Bun.spawnSync(["git", "worktree", "list", "--porcelain"], {
    stderr: "ignore",
  }).stdout.toString();
  const paths = list.split("\n").filter((line) => line.startsWith("worktree "));
  return paths.slice(1).map((line) => `git ${line}`);
}
