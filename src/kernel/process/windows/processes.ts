import { type ForeignCall, openLibrary } from "../../../runtime/ffi.ts";
import { sleep } from "../../text/time.ts";
import type { HeldProcess, ProcessFacts, ProcessTable, SignalName, TreeKill } from "../facts.ts";
import { treeVictims } from "./tree.ts";

const QUERY = 0x1000; // PROCESS_QUERY_LIMITED_INFORMATION
const TERMINATE = 0x0001; // PROCESS_TERMINATE
const WAIT = 0x0010_0000; // SYNCHRONIZE
const RUNNING = 0x102; // WAIT_TIMEOUT
const SNAPSHOT_PROCESSES = 0x2;
const ENTRY_BYTES = 568; // sizeof(PROCESSENTRY32W), 64-bit
const UNIX_EPOCH_FILETIME = 116_444_736_000_000_000n;

const FUNCTIONS = {
  OpenProcess: { args: ["u32", "i32", "u32"], returns: "i64" },
  CloseHandle: { args: ["i64"], returns: "i32" },
  TerminateProcess: { args: ["i64", "u32"], returns: "i32" },
  WaitForSingleObject: { args: ["i64", "u32"], returns: "u32" },
  GetProcessTimes: { args: ["i64", "buffer", "buffer", "buffer", "buffer"], returns: "i32" },
  QueryFullProcessImageNameW: { args: ["i64", "u32", "buffer", "buffer"], returns: "i32" },
  CreateToolhelp32Snapshot: { args: ["u32", "u32"], returns: "i64" },
  Process32FirstW: { args: ["i64", "buffer"], returns: "i32" },
  Process32NextW: { args: ["i64", "buffer"], returns: "i32" },
} as const;

type Kernel = Record<keyof typeof FUNCTIONS, ForeignCall>;
let opened: Promise<Kernel | undefined> | undefined;

function kernel(): Promise<Kernel | undefined> {
  opened ??= openLibrary(["kernel32.dll"], FUNCTIONS);
  return opened;
}

/** Toolhelp snapshots and process times. Identity: `<creation time as a 64-bit integer> <image path>`. */
export const windowsProcesses: ProcessTable = {
  read: async (pid) => {
    const system = await kernel();
    return system === undefined ? undefined : readWith(system, pid, 0);
  },
  snapshot: async () => {
    const system = await kernel();
    if (system === undefined) return [];
    return parents(system).flatMap(([pid, parent]) => readWith(system, pid, parent) ?? []);
  },
  // A creation time of an earlier boot is never that of a process of this one.
  isFromAnotherBoot: async () => false,
};

function readWith(system: Kernel, pid: number, parent: number): ProcessFacts | undefined {
  const handle = system.OpenProcess(QUERY | WAIT, 0, pid);
  if (handle === 0) return undefined;
  try {
    return factsOf(system, handle, pid, parent);
  } finally {
    system.CloseHandle(handle);
  }
}

function factsOf(system: Kernel, handle: number, pid: number, parent: number): ProcessFacts | undefined {
  // A process that has ended stays visible while someone holds a handle on it, and may have had the code 259.
  if (system.WaitForSingleObject(handle, 0) !== RUNNING) return undefined;
  const times = [0, 1, 2, 3].map(() => new Uint8Array(8));
  if (system.GetProcessTimes(handle, times[0]!, times[1]!, times[2]!, times[3]!) === 0) return undefined;
  const created = new DataView(times[0]!.buffer).getBigUint64(0, true);
  return {
    pid,
    parent,
    group: 0,
    session: 0,
    zombie: false,
    identity: `${created} ${imagePath(system, handle)}`,
    startedAt: Number((created - UNIX_EPOCH_FILETIME) / 10_000n),
  };
}

function imagePath(system: Kernel, handle: number): string {
  const text = new Uint8Array(65_536);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, text.length / 2, true);
  if (system.QueryFullProcessImageNameW(handle, 0, text, length) === 0) return "";
  return new TextDecoder("utf-16le").decode(text.subarray(0, uint32(length, 0) * 2));
}

function parents(system: Kernel): [pid: number, parent: number][] {
  const snapshot = system.CreateToolhelp32Snapshot(SNAPSHOT_PROCESSES, 0);
  if (snapshot <= 0) return [];
  const pairs: [number, number][] = [];
  const entry = new Uint8Array(ENTRY_BYTES);
  new DataView(entry.buffer).setUint32(0, ENTRY_BYTES, true);
  for (
    let more = system.Process32FirstW(snapshot, entry);
    more !== 0;
    more = system.Process32NextW(snapshot, entry)
  ) {
    pairs.push([uint32(entry, 8), uint32(entry, 32)]);
  }
  system.CloseHandle(snapshot);
  return pairs;
}

function uint32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
}

/** An open handle keeps the pid from being reused, so comparing once is enough. Every signal is a termination. */
export async function holdOnWindows(
  pid: number,
  identity: string | undefined,
): Promise<HeldProcess | undefined> {
  const system = await kernel();
  const handle = system?.OpenProcess(QUERY | WAIT | TERMINATE, 0, pid) ?? 0;
  if (system === undefined || handle === 0) return undefined;
  const facts = factsOf(system, handle, pid, 0);
  if (facts === undefined || (identity !== undefined && facts.identity !== identity)) {
    system.CloseHandle(handle);
    return undefined;
  }
  return {
    pid,
    identity: facts.identity,
    signal: async (_name: SignalName) => system.TerminateProcess(handle, 1) !== 0,
    close: () => system.CloseHandle(handle),
  };
}

const KILLED_WITHIN_MS = 5_000;
const POLL_MS = 10;

/**
 * Terminate a tree by a walk over a process snapshot, deepest first (docs/spec/jobs.md 12.4), until a look finds nobody: a
 * member may start another meanwhile, and one that was terminated takes a moment to be gone.
 */
export async function killTreeOnWindows(target: TreeKill): Promise<void> {
  const deadline = performance.now() + KILLED_WITHIN_MS;
  for (;;) {
    const snapshot = await windowsProcesses.snapshot();
    const victims = treeVictims(snapshot, target, process.pid);
    if (victims.length === 0) break;
    const identities = new Map(snapshot.map((facts) => [facts.pid, facts.identity]));
    for (const pid of victims) {
      const held = await holdOnWindows(pid, identities.get(pid));
      await held?.signal("SIGKILL");
      held?.close();
    }
    if (performance.now() > deadline) break;
    await sleep(POLL_MS);
  }
  await target.leaderEndedWithin?.(KILLED_WITHIN_MS);
}
