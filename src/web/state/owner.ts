import { basename } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isRunning, processFacts, startIdentity } from "../../kernel/process/index.ts";
import { processArguments } from "./process-arguments.ts";

/**
 * The process whose end ends the server started by this call (docs/spec/web.md 4.3): the grandparent, because the parent is
 * the shell of one command and the harness is above it. Null: nobody to watch.
 */
export async function resolveOwner(host: Host): Promise<number | null> {
  // A launcher script that could not replace itself does not count as a parent.
  const parent =
    host.launcherPid === undefined ? host.parentPid : ((await processFacts(host.launcherPid))?.parent ?? 0);
  if (parent <= 1) return null;
  const grandparent = (await processFacts(parent))?.parent ?? 0;
  if (grandparent > 1) return grandparent;
  return (await isAboutToExit(parent, host)) ? null : parent;
}

async function isAboutToExit(parent: number, host: Host): Promise<boolean> {
  if (host.platform === "win32") return true;
  const args = await processArguments(parent, host);
  if (args === undefined) return false;
  return isCommandShell("words" in args ? args.words : args.flat.split(/\s+/));
}

/** A shell that runs a `-c` command string, and ends with it. */
export function isCommandShell(words: readonly string[]): boolean {
  const name = basename(words[0] ?? "").replace(/^-/, "");
  if (!/^(ba|da|z|k|a|fi|c|tc)?sh$/.test(name)) return false;
  for (const word of words.slice(1)) {
    if (!/^[-+]/.test(word)) return false;
    if (/^-[a-z]*c/i.test(word)) return true;
  }
  return false;
}

/** A watched process: its pid and start time together, since pids are used again. */
export interface Owner {
  pid: number;
  isGone(): Promise<boolean>;
}

/** Undefined for a process that does not run now: it would end the server at its first check. */
export async function watchOwner(pid: number): Promise<Owner | undefined> {
  if (!(await isRunning(pid))) return undefined;
  const identity = await startIdentity(pid);
  return {
    pid,
    async isGone() {
      if (!(await isRunning(pid))) return true;
      const now = await startIdentity(pid);
      return identity !== undefined && now !== undefined && now !== identity;
    },
  };
}
