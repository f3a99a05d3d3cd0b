import { readFileSync } from "node:fs";
import { cLibrary, openLibrary } from "./ffi.ts";

/**
 * The soft limit of open files a process has; undefined where the system does not tell (anything but Linux). The
 * runtime raises its own to the hard one before its first line, so what a caller had is seen in its parent only.
 */
export function openFilesOf(pid: number): number | undefined {
  try {
    const limits = readFileSync(`/proc/${pid}/limits`, "latin1");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

// Linux only, as is the question above.
const RLIMIT_NOFILE = 7;

/** Below this the runtime could not start a child: it has descriptors of its own open. */
const LEAST_TO_START = 32;

interface Started {
  pid: number;
}

/**
 * Start a child under this soft limit of open files (undefined: under the runtime's), and go on with the runtime's.
 */
export async function startUnderLimit<S extends Started>(
  soft: number | undefined,
  start: () => Promise<S>,
): Promise<S> {
  const limits = soft === undefined ? undefined : await openLimits();
  if (soft === undefined || limits === undefined || soft >= limits.own) return start();
  limits.set(0, Math.max(soft, LEAST_TO_START));
  try {
    const child = await start();
    if (soft < LEAST_TO_START) limits.set(child.pid, soft);
    return child;
  } finally {
    limits.set(0, limits.own);
  }
}

interface OpenLimits {
  /** The soft limit of this process. */
  own: number;
  /** Give a process (0: this one) a soft limit. */
  set(pid: number, soft: number): void;
}

async function openLimits(): Promise<OpenLimits | undefined> {
  const system = await openLibrary(cLibrary(), {
    prlimit: { args: ["i32", "i32", "buffer", "buffer"], returns: "i32" },
  });
  const pair = new BigUint64Array(2);
  const bytes = new Uint8Array(pair.buffer);
  if (system === undefined || system.prlimit(0, RLIMIT_NOFILE, null, bytes) !== 0) return undefined;
  return {
    own: Number(pair[0]),
    set(pid, soft) {
      pair[0] = BigInt(soft);
      system.prlimit(pid, RLIMIT_NOFILE, bytes, null);
    },
  };
}
