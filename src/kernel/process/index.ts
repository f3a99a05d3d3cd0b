import { existsSync } from "node:fs";
import type { ProcessFacts, ProcessTable, SignalName, TreeKill } from "./facts.ts";
import { exists, holdProcess } from "./hold.ts";
import type { ProcessMark } from "./linux.ts";
import { endedWithin, groupEndedIn, killTreeIn, sweepSessionIn } from "./tree.ts";

export type { ProcessFacts, SignalName, TreeKill } from "./facts.ts";
export type { ProcessMark } from "./linux.ts";
export { exists as isAlive };

let chosen: Promise<ProcessTable> | undefined;

// /proc costs a file read; the others start a program or load the foreign calls, so each is loaded when it is the one.
function table(): Promise<ProcessTable> {
  chosen ??= choose();
  return chosen;
}

async function choose(): Promise<ProcessTable> {
  if (process.platform === "win32") return (await import("./windows/processes.ts")).windowsProcesses;
  if (existsSync("/proc/self/stat")) {
    const { blindProcesses, isOwnProc, linuxProcesses } = await import("./linux.ts");
    return isOwnProc() ? linuxProcesses : blindProcesses;
  }
  return (await import("./ps.ts")).psProcesses;
}

/** What is known about a process; undefined when there is none, or the system does not tell (a sandbox without `ps`). */
export async function processFacts(pid: number): Promise<ProcessFacts | undefined> {
  return (await table()).read(pid);
}

/**
 * Whether a process runs: a zombie does not. Where the system does not tell, existence decides. No process has a pid
 * below 1; to signal 0 or a negative number is to ask about a group.
 */
export async function isRunning(pid: number): Promise<boolean> {
  if (pid < 1) return false;
  const facts = await processFacts(pid);
  return facts === undefined ? exists(pid) : !facts.zombie;
}

/**
 * Stable text that tells this process from another with a recycled pid: boot (where the system names one) and start
 * time; on Windows creation time and image path. Undefined when there is no such process or it cannot be read.
 */
export async function startIdentity(pid: number): Promise<string | undefined> {
  return (await processFacts(pid))?.identity;
}

/**
 * Whether an identity was given on another machine, or before a restart of this one, where the system names its boots: its
 * pid then says nothing here.
 */
export async function isFromAnotherBoot(identity: string): Promise<boolean> {
  return (await table()).isFromAnotherBoot(identity);
}

/** When a process started, in milliseconds since the epoch. */
export async function startedAt(pid: number): Promise<number | undefined> {
  return (await processFacts(pid))?.startedAt;
}

/** Text that names this process's pid namespace (Linux); undefined elsewhere. */
export async function pidNamespace(): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  return (await import("./linux.ts")).pidNamespace();
}

/**
 * When the first process of this process's namespace started, in clock ticks: the number of a namespace that ended is
 * given to another soon. Undefined in the system's first, whose number never is, and where it cannot be read.
 */
export async function pidNamespaceStart(): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  const { FIRST_NAMESPACE, isOwnProc, pidNamespace, readProcess } = await import("./linux.ts");
  if (pidNamespace() === FIRST_NAMESPACE) return undefined;
  if (isOwnProc()) return readProcess(1)?.startTicks;
  return (await import("./namespace/ancestors.ts")).ancestry().at(-1)?.startTicks;
}

/**
 * Our processes that were started with this variable (`NAME=value`): how one is found whose pid nobody recorded.
 * Empty where the system does not tell (anything but Linux).
 */
export async function processesWithVariable(variable: string): Promise<ProcessFacts[]> {
  if (process.platform !== "linux" || !existsSync("/proc/self/environ")) return [];
  return (await import("./linux.ts")).processesWithVariable(variable);
}

/**
 * Signal one process, only if it is still the recorded one (an undefined identity: whoever has the pid). On Linux
 * through a pidfd; elsewhere the identity is compared right before the signal. False when nobody was signalled.
 */
export async function signalProcess(
  pid: number,
  identity: string | undefined,
  signal: SignalName,
): Promise<boolean> {
  const held = await holdProcess(await table(), pid, identity);
  if (held === undefined) return false;
  try {
    return await held.signal(signal);
  } finally {
    held.close();
  }
}

/** A test for the processes that bear a mark; it passes everyone where the system does not tell (anything but Linux). */
export async function markTest(mark: ProcessMark): Promise<(pid: number) => boolean> {
  if (process.platform !== "linux") return () => true;
  const { bearsMark } = await import("./linux.ts");
  return (pid) => bearsMark(pid, mark);
}

/**
 * Make sure that processes can be held before there is one to hold: whoever starts what it must be able to end asks
 * first. Throws `ForeignCallsRefused`.
 */
export async function requireProcessHandles(): Promise<void> {
  (await holdProcess(await table(), process.pid, undefined))?.close();
}

/** Wait until a process is gone, a zombie, or another one; false when it still runs after this many milliseconds. */
export async function processEndedWithin(
  pid: number,
  identity: string | undefined,
  milliseconds: number,
): Promise<boolean> {
  return endedWithin(await table(), pid, identity, milliseconds);
}

/** Wait until no process of a group runs, zombies aside; false when one still does after this many milliseconds. */
export async function groupEndedWithin(leader: number, milliseconds: number): Promise<boolean> {
  return groupEndedIn(await table(), leader, milliseconds);
}

/** End a tree of processes: ask, grace, kill (docs/spec/jobs.md 7.4; on Windows 12.4, without a grace). */
export async function killTree(target: TreeKill): Promise<void> {
  if (process.platform === "win32") return (await import("./windows/processes.ts")).killTreeOnWindows(target);
  return killTreeIn(await table(), target);
}

/**
 * Kill what is left of a process group and session (on Windows: of the tree) after its leader, a child of this process,
 * has ended.
 */
export async function sweepSession(leader: number, identity: string | undefined): Promise<void> {
  if (process.platform === "win32") return killTree({ pid: leader, identity, graceMs: 0 });
  await sweepSessionIn(await table(), { pid: leader, identity });
}
