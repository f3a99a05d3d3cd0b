import { realpathSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isRunning, startIdentity } from "../../kernel/process/index.ts";
import { selfCommand } from "../../runtime/self.ts";
import type { DisplayInfo } from "../schema.ts";
import { type ProcessArguments, processArguments, workingDirectory } from "./process-arguments.ts";
import { type Paths, readInfo, readPid } from "./state-files.ts";

/** The live process that serves a root. */
export interface RunningServer {
  pid: number;
  /** Its start stamp, to signal it and nobody else; undefined where the system does not tell. */
  identity: string | undefined;
  /** Undefined when the info file is missing or unreadable. */
  info: DisplayInfo | undefined;
}

/**
 * The server of a root, parts 1 to 3 of docs/spec/web.md 4.1: the pid file names a running process, and that process is this
 * root's server. A process that is not is never signalled. Throws `UnsafeState`.
 */
export async function findServer(paths: Paths, host: Host): Promise<RunningServer | undefined> {
  const pid = readPid(paths, host.uid);
  if (pid === undefined || pid <= 1 || !(await isRunning(pid))) return undefined;
  const info = readInfo(paths, host.uid);
  const identity = await startIdentity(pid);
  const stamp = info?.pid === pid ? info.pid_start : undefined;
  if (stamp !== undefined && identity !== undefined) {
    return stamp === identity ? { pid, identity, info } : undefined;
  }
  const args = await processArguments(pid, host);
  // Nothing can be read about it: the pid file is all there is.
  const isOurs = args === undefined || isServerOf(args, paths.root, workingDirectory(pid));
  return isOurs ? { pid, identity, info } : undefined;
}

/** Whether a process with these arguments serves this root. `cwd` is that process's own. */
export function isServerOf(args: ProcessArguments, root: string, cwd: string | undefined): boolean {
  if ("flat" in args) {
    return /(^|\s)(serve|start)(\s|$)/.test(args.flat) && namesJig(args.flat) && args.flat.includes(root);
  }
  const { words } = args;
  if (!words.includes("serve") && !words.includes("start")) return false;
  return isJig(words) && words.some((word, index) => isRoot(word, words[index - 1], root, cwd));
}

const OTHER_NAMES = /^(jig([.-].*)?|light-webserver(\.js)?)$/i;

function isJig(words: readonly string[]): boolean {
  const own = selfCommand();
  const script = own.at(-1)!;
  return (
    OTHER_NAMES.test(basename(words[0] ?? "")) ||
    words.includes(script) ||
    words.some((word) => basename(word) === "light-webserver.js")
  );
}

function namesJig(flat: string): boolean {
  return (
    flat.includes(selfCommand().at(-1)!) || /(^|[\s/\\])(jig|light-webserver\.js)(\.exe)?["\s]/.test(flat)
  );
}

function isRoot(word: string, before: string | undefined, root: string, cwd: string | undefined): boolean {
  const value = word.startsWith("--root=") ? word.slice("--root=".length) : word;
  if (value === root) return true;
  if (before !== "--root" && value === word) return false;
  if (!isAbsolute(value) && cwd === undefined) return false;
  const real = realOf(isAbsolute(value) ? value : join(cwd!, value));
  return real !== undefined && real === realOf(root);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
