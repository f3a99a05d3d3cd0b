import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasOwnTmp } from "./own-tmp.ts";

/** How long what was just killed may take to be gone, milliseconds. */
const GOING_MS = 5000;

/**
 * What a run of the tests left behind: files in its temporary directory and, where it has a /tmp of its own, beside
 * it; processes; git worktrees.
 */
export async function leftovers(temp: string): Promise<string[]> {
  const files = [temp, ...(hasOwnTmp ? [dirname(temp)] : [])].flatMap((directory) =>
    readdirSync(directory)
      .map((name) => join(directory, name))
      .filter((path) => path !== temp && isOurs(path))
      .map((path) => `temporary file ${path}${insideOf(path)}`),
  );
  const deadline = Date.now() + GOING_MS;
  let processes = processesOf(temp);
  while (processes.length > 0 && Date.now() < deadline) {
    await Bun.sleep(100);
    processes = processesOf(temp);
  }
  return [...files, ...processes, ...worktrees(temp)];
}

const MOST_NAMES = 20;

/** What is in a directory that was left, since its name seldom tells which test made it. */
function insideOf(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return "";
  const names = readdirSync(path, { recursive: true }) as string[];
  const more = names.length > MOST_NAMES ? ", …" : "";
  return ` (${names.slice(0, MOST_NAMES).join(", ") || "empty"}${more})`;
}

/** What vitest (a random name of 21 characters), Bun, Chromium and Wine keep for themselves or clean up in their own time. */
const FOREIGN =
  /^([\w-]{21}|bun-node-.*|\.?org\.chromium\..*|\.?com\.google\..*|\.wine-\d+|wine-\w{6}|node-compile-cache)$/;

/** Whether a path in the run's temporary places is of the tests' making. */
export function isOurs(path: string): boolean {
  return !FOREIGN.test(path.slice(path.lastIndexOf("/") + 1)) && !isKept(path);
}

/** A part of the machine's /tmp that the run was given: a mount, or on the way to one. */
function isKept(path: string): boolean {
  return mounts().some((mount) => mount === path || mount.startsWith(`${path}/`));
}

function mounts(): string[] {
  if (!hasOwnTmp) return [];
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return lines.map((line) => line.split(" ")[4] ?? "").filter((mount) => mount.startsWith("/tmp/"));
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Live processes that name the run's directory, work in it, or share its mount namespace (Linux). */
function processesOf(temp: string): string[] {
  const own = hasOwnTmp ? readlinkSync("/proc/self/ns/mnt") : undefined;
  return entriesOf("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const ours =
          line.includes(temp) ||
          readlinkSync(`/proc/${pid}/cwd`).startsWith(temp) ||
          readlinkSync(`/proc/${pid}/ns/mnt`) === own;
        return ours ? [`process ${pid}: ${line}`] : [];
      } catch {
        return []; // it ended, or is not ours to look at
      }
    });
}

/** Worktrees of this repository that a test made: those in the run's directory. */
function worktrees(temp: string): string[] {
  const list = Bun.spawnSync(["git", "worktree", "list", "--porcelain"], {
    stderr: "ignore",
  }).stdout.toString();
  return list
    .split("\n")
    .filter((line) => line.startsWith(`worktree ${realpathSync(temp)}`))
    .map((line) => `git ${line}`);
}
