import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { type ForeignCall, openLibrary } from "./ffi.ts";
import { flock } from "./flock.ts";
import { osHandle } from "./os-handle.ts";

/** An exclusive lock of the operating system, held until `release` or the end of this process, however it ends. */
export interface HeldLock {
  release(): void;
}

/**
 * Try once to take the kernel lock on a file, which is made (0600, empty) when missing and never removed.
 * Undefined when another holder has it, or when the file was replaced meanwhile (try again). Throws the operating
 * system's error when the file cannot be opened; a symlink is not followed.
 */
export async function tryLockFile(path: string): Promise<HeldLock | undefined> {
  if ("Bun" in globalThis) return tryWithBun(path);
  if ("Deno" in globalThis) return tryWithDeno(path);
  return tryWithNode(path);
}

/** Whether an open descriptor is still what the path names: a removed and remade file would give two holders. */
function isStillAt(path: string, inode: number, device: number): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return now !== undefined && now.ino === inode && now.dev === device;
}

async function tryWithBun(path: string): Promise<HeldLock | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const descriptor = openSync(path, flags, 0o600);
  try {
    const stat = fstatSync(descriptor);
    if ((await lockNow(descriptor)) && isStillAt(path, stat.ino, stat.dev)) {
      return { release: () => closeSync(descriptor) };
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  closeSync(descriptor);
  return undefined;
}

async function lockNow(descriptor: number): Promise<boolean> {
  if (process.platform === "win32") return lockOnWindows(descriptor);
  return (await flock(descriptor, "exclusive")) === true;
}

let kernel: Promise<{ LockFileEx: ForeignCall } | undefined> | undefined;

/** LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY */
const EXCLUSIVE_NOW = 2 | 1;

/** Where the locked byte lies, in the upper half of a 64-bit offset. */
const FAR_BEYOND_THE_END = 0x4000_0000;

/**
 * Windows has no flock. A locked range cannot be read or written by others there, so it is one that no file reaches. All
 * who lock do so here; the handle's end lets go, as its process's does.
 */
async function lockOnWindows(descriptor: number): Promise<boolean> {
  kernel ??= openLibrary(["kernel32.dll"], {
    LockFileEx: { args: ["i64", "u32", "u32", "u32", "u32", "buffer"], returns: "i32" },
  });
  const system = await kernel;
  if (system === undefined) throw new Error("this runtime cannot call kernel32.dll");
  const place = new Uint8Array(32); // OVERLAPPED
  new DataView(place.buffer).setUint32(20, FAR_BEYOND_THE_END, true);
  return system.LockFileEx(await osHandle(descriptor), EXCLUSIVE_NOW, 0, 1, 0, place) !== 0;
}

// The few calls used here; Deno's own types are not loaded when Bun's are.
interface DenoFile {
  tryLockSync(exclusive: boolean): boolean;
  statSync(): { ino: number | null; dev: number };
  close(): void;
}

function tryWithDeno(path: string): HeldLock | undefined {
  const deno = (globalThis as unknown as { Deno: { openSync(path: string, options: object): DenoFile } })
    .Deno;
  const noFollow = constants.O_NOFOLLOW ?? 0;
  const file = deno.openSync(path, {
    read: true,
    write: true,
    create: true,
    mode: 0o600,
    customFlags: noFollow,
  });
  const { ino, dev } = file.statSync();
  if (file.tryLockSync(true) && (ino === null || isStillAt(path, ino, dev)))
    return { release: () => file.close() };
  file.close();
  return undefined;
}

/**
 * Plain Node has no kernel lock. jig never runs on it but for its unit tests, which get an exclusive file beside the
 * path instead: `<path>.held` with the holder's pid, taken over when that process is gone.
 */
function tryWithNode(path: string): HeldLock | undefined {
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  const held = `${path}.held`;
  try {
    const descriptor = openSync(held, "wx", 0o600);
    writeSync(descriptor, String(process.pid));
    closeSync(descriptor);
    return { release: () => rmSync(held, { force: true }) };
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
  const holder = Number(readFileIfThere(held));
  if (holder > 0 && !isAlive(holder)) rmSync(held, { force: true });
  return undefined;
}

function readFileIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH";
  }
}
