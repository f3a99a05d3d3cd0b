import { type ForeignCall, openLibrary } from "../../../runtime/ffi.ts";
import { osHandle } from "../../../runtime/os-handle.ts";
import { windowsCommandLine } from "../windows-command-line.ts";
import { environmentBlock, wide } from "./wide.ts";

const CREATE_SUSPENDED = 0x0004;
const DETACHED_PROCESS = 0x0008;
const CREATE_NEW_PROCESS_GROUP = 0x0200;
const CREATE_UNICODE_ENVIRONMENT = 0x0400;
const EXTENDED_STARTUPINFO_PRESENT = 0x0008_0000;
const CREATE_BREAKAWAY_FROM_JOB = 0x0100_0000;
const CREATE_NO_WINDOW = 0x0800_0000;

const STARTUP_BYTES = 112; // sizeof(STARTUPINFOEXW), 64-bit
const USE_STANDARD_HANDLES = 0x0100;
const HANDLE_LIST = 0x0002_0002; // PROC_THREAD_ATTRIBUTE_HANDLE_LIST
const THIS_PROCESS = -1;
const SAME_ACCESS = 2;
const READ_AND_WRITE = 0xc000_0000;
const SHARE_ALL = 7;
const OPEN_EXISTING = 3;
const SIGNALLED = 0; // WAIT_OBJECT_0

const FUNCTIONS = {
  CreateProcessW: {
    args: ["buffer", "buffer", "buffer", "buffer", "i32", "u32", "buffer", "buffer", "buffer", "buffer"],
    returns: "i32",
  },
  GetLastError: { args: [], returns: "u32" },
  CreateFileW: { args: ["buffer", "u32", "u32", "buffer", "u32", "u32", "i64"], returns: "i64" },
  DuplicateHandle: { args: ["i64", "i64", "i64", "buffer", "u32", "i32", "u32"], returns: "i32" },
  LocalAlloc: { args: ["u32", "i64"], returns: "i64" },
  LocalFree: { args: ["i64"], returns: "i64" },
  RtlMoveMemory: { args: ["i64", "buffer", "i64"], returns: "i64" },
  InitializeProcThreadAttributeList: { args: ["i64", "u32", "u32", "buffer"], returns: "i32" },
  UpdateProcThreadAttribute: { args: ["i64", "u32", "i64", "i64", "i64", "i64", "i64"], returns: "i32" },
  ResumeThread: { args: ["i64"], returns: "u32" },
  WaitForSingleObject: { args: ["i64", "u32"], returns: "u32" },
  GetExitCodeProcess: { args: ["i64", "buffer"], returns: "i32" },
  TerminateProcess: { args: ["i64", "u32"], returns: "i32" },
  CloseHandle: { args: ["i64"], returns: "i32" },
} as const;

type Kernel = Record<keyof typeof FUNCTIONS, ForeignCall>;
let opened: Promise<Kernel | undefined> | undefined;

async function kernel(): Promise<Kernel> {
  opened ??= openLibrary(["kernel32.dll"], FUNCTIONS);
  const system = await opened;
  if (system === undefined) throw new Error("this runtime cannot call kernel32.dll");
  return system;
}

/** A process made by the system call, in hand from its start, so that its pid is nobody else's until `close`. */
export interface CreatedProcess {
  readonly pid: number;
  readonly handle: number;
  /** All 32 bits of its exit code; undefined while it runs. */
  exitCode(): number | undefined;
  terminate(): void;
  close(): void;
}

/** One that runs nothing before `resume`, which is false when the system refuses. */
export interface SuspendedProcess extends CreatedProcess {
  resume(): boolean;
}

export interface CreateOptions {
  /** Working directory; the caller's without. */
  cwd?: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** The null device, or an open descriptor. */
  stdout: "ignore" | number;
  stderr: "ignore" | number;
  /** The words are joined as they are, since they carry their quotes already. */
  verbatim?: boolean;
}

/**
 * Start a process that outlives this one (docs/spec/jobs.md 12.2): the runtime's own children sit in a job object that is
 * killed with it (oven-sh/bun#31603). It leaves the caller's job object where that lets it, has no console, and inherits
 * nothing but its streams. Throws an error with the system's code when it cannot be made.
 */
export async function createDetached(
  words: readonly string[],
  options: CreateOptions,
): Promise<CreatedProcess> {
  const system = await kernel();
  const flags = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP;
  return withStartup(system, options, (startup) => {
    // A job object may let nobody leave; to run in it is better than not at all.
    const made =
      create(system, words, options, flags | CREATE_BREAKAWAY_FROM_JOB, startup) ??
      create(system, words, options, flags, startup);
    if (made === undefined) throw refusal(system.GetLastError());
    system.CloseHandle(made.thread);
    return inHand(system, made);
  });
}

/**
 * Make a process that runs nothing yet, with a console that has no window: programs it starts use that and open none.
 * Throws an error with the system's code when it cannot be made.
 */
export async function createSuspended(
  words: readonly string[],
  options: CreateOptions,
): Promise<SuspendedProcess> {
  const system = await kernel();
  const flags = CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP;
  return withStartup(system, options, (startup) => {
    const made = create(system, words, options, flags, startup);
    if (made === undefined) throw refusal(system.GetLastError());
    return {
      ...inHand(system, made),
      resume() {
        const before = system.ResumeThread(made.thread);
        system.CloseHandle(made.thread);
        return before !== 0xffff_ffff;
      },
    };
  });
}

interface Made {
  pid: number;
  handle: number;
  thread: number;
}

function create(
  system: Kernel,
  words: readonly string[],
  { env, cwd, verbatim }: CreateOptions,
  flags: number,
  startup: Uint8Array,
): Made | undefined {
  const information = new Uint8Array(24);
  const made = system.CreateProcessW(
    null,
    wide(verbatim ? words.join(" ") : windowsCommandLine(words)), // the call may write into it, so each try gets its own
    null,
    null,
    1,
    (flags | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT) >>> 0,
    environmentBlock(env),
    cwd === undefined ? null : wide(cwd),
    startup,
    information,
  );
  if (made === 0) return undefined;
  const view = new DataView(information.buffer);
  return {
    handle: Number(view.getBigInt64(0, true)),
    thread: Number(view.getBigInt64(8, true)),
    pid: view.getUint32(16, true),
  };
}

function inHand(system: Kernel, { pid, handle }: Made): CreatedProcess {
  return {
    pid,
    handle,
    exitCode: () => exitCodeOf(system, handle),
    terminate: () => void system.TerminateProcess(handle, 1),
    close: () => void system.CloseHandle(handle),
  };
}

/** 259 says "still running" and is a code like any other: only a wait tells them apart. */
function exitCodeOf(system: Kernel, handle: number): number | undefined {
  if (system.WaitForSingleObject(handle, 0) !== SIGNALLED) return undefined;
  const code = new Uint8Array(4);
  return system.GetExitCodeProcess(handle, code) === 0
    ? undefined
    : new DataView(code.buffer).getUint32(0, true);
}

/** Do something with the STARTUPINFOEXW for these streams; what was opened for it is closed again. */
async function withStartup<T>(
  system: Kernel,
  { stdout, stderr }: CreateOptions,
  use: (startup: Uint8Array) => T,
): Promise<T> {
  const startup = new Uint8Array(STARTUP_BYTES);
  const view = new DataView(startup.buffer);
  view.setUint32(0, STARTUP_BYTES, true);
  const nothing = nullDevice(system);
  const handles = [nothing];
  try {
    for (const stream of [stdout, stderr]) {
      handles.push(stream === "ignore" ? nothing : inheritable(system, await osHandle(stream)));
    }
    view.setUint32(60, USE_STANDARD_HANDLES, true);
    for (const [index, handle] of handles.entries()) view.setBigInt64(80 + 8 * index, BigInt(handle), true);
    return withHandleList(system, [...new Set(handles)], (list) => {
      view.setBigInt64(104, BigInt(list), true);
      return use(startup);
    });
  } finally {
    for (const handle of new Set(handles)) system.CloseHandle(handle);
  }
}

/** SECURITY_ATTRIBUTES of a handle that a child inherits. */
function inherited(): Uint8Array {
  const attributes = new Uint8Array(24);
  const view = new DataView(attributes.buffer);
  view.setUint32(0, attributes.length, true);
  view.setUint32(16, 1, true);
  return attributes;
}

function nullDevice(system: Kernel): number {
  const handle = system.CreateFileW(wide("NUL"), READ_AND_WRITE, SHARE_ALL, inherited(), OPEN_EXISTING, 0, 0);
  if (handle === -1) throw refusal(system.GetLastError());
  return handle;
}

function inheritable(system: Kernel, handle: number): number {
  const copy = new Uint8Array(8);
  if (system.DuplicateHandle(THIS_PROCESS, handle, THIS_PROCESS, copy, 0, 1, SAME_ACCESS) === 0) {
    throw refusal(system.GetLastError());
  }
  return Number(new DataView(copy.buffer).getBigInt64(0, true));
}

/**
 * Without a list the child would get every inheritable handle, our caller's pipes among them, and whoever reads those to
 * their end would wait for the child. The list holds addresses, so it lies in memory of the system's.
 */
function withHandleList<T>(system: Kernel, handles: readonly number[], use: (list: number) => T): T {
  const size = new Uint8Array(8);
  system.InitializeProcThreadAttributeList(0, 1, 0, size);
  const listBytes = Number(new DataView(size.buffer).getBigInt64(0, true));
  const values = new BigInt64Array(handles.map(BigInt));
  const memory = system.LocalAlloc(0, listBytes + values.byteLength);
  const value = memory + listBytes;
  try {
    system.RtlMoveMemory(value, new Uint8Array(values.buffer), values.byteLength);
    if (
      system.InitializeProcThreadAttributeList(memory, 1, 0, size) === 0 ||
      system.UpdateProcThreadAttribute(memory, 0, HANDLE_LIST, value, values.byteLength, 0, 0) === 0
    ) {
      throw refusal(system.GetLastError());
    }
    return use(memory);
  } finally {
    system.LocalFree(memory);
  }
}

const CODES: Readonly<Record<number, string>> = {
  2: "ENOENT",
  3: "ENOENT",
  5: "EACCES",
  8: "ENOMEM",
  32: "EBUSY",
  193: "ENOEXEC",
  206: "ENAMETOOLONG",
  267: "ENOTDIR",
};

/** The system's refusal, as the runtime's own calls would have put it. */
function refusal(number: number): Error {
  const error = new Error(`the system refused to create the process (error ${number})`);
  const code = CODES[number];
  return code === undefined ? error : Object.assign(error, { code, syscall: "CreateProcessW" });
}
