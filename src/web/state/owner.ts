import type { Host } from "../../kernel/call/host.ts";
import { isRunning, processFacts, startIdentity } from "../../kernel/process/index.ts";
import { isPassing } from "../../kernel/process/passing.ts";
import { printable } from "../../kernel/text/printable.ts";
import { processArguments } from "./process-arguments.ts";

/** Processes looked at on the way up; no real chain is near as long. */
const MOST_STEPS = 64;

/**
 * The process whose end ends the server started by this call (docs/spec/web.md 4.3): the nearest above that is not there
 * for this one command only. Null where there is none, or one on the way cannot be read: nobody to watch.
 */
export async function resolveOwner(host: Host): Promise<number | null> {
  // A launcher script that could not replace itself does not count as a parent.
  let pid =
    host.launcherPid === undefined ? host.parentPid : ((await processFacts(host.launcherPid))?.parent ?? 0);
  for (let step = 0; pid > 1 && step < MOST_STEPS; step++) {
    const words = await wordsOf(pid, host);
    if (words === undefined) return null;
    if (!isPassing(words)) return pid;
    pid = (await processFacts(pid))?.parent ?? 0;
  }
  return null;
}

async function wordsOf(pid: number, host: Host): Promise<readonly string[] | undefined> {
  const args = await processArguments(pid, host);
  if (args === undefined) return undefined;
  if ("words" in args) return args.words;
  return Array.from(args.flat.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? bare!);
}

/** A process as the log names it: its program, and the script that an interpreter runs. */
export async function nameOf(pid: number, host: Host): Promise<string> {
  const [program = "", script = ""] = (await wordsOf(pid, host)) ?? [];
  const names = [program, script.startsWith("-") || !/[/\\.]/.test(script) ? "" : script].map((path) =>
    printable(/[^/\\]*$/.exec(path)![0]),
  );
  return names.filter((name) => name !== "").join(" ") || "unknown";
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
