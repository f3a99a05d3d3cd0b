import { closeSync, constants, fstatSync, openSync, readSync, readvSync } from "node:fs";
import { pause } from "./stdio.ts";

/** All of standard input up to a limit; undefined when there is more. */
export function readStdin(maxBytes: number): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const part = new Uint8Array(65_536);
    let count: number;
    try {
      count = readSync(0, part, 0, part.length, null);
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (code === "EOF") break;
      if (code === "EAGAIN") {
        pause(5);
        continue;
      }
      throw error;
    }
    if (count === 0) break;
    total += count;
    if (total > maxBytes) return undefined;
    parts.push(part.subarray(0, count));
  }
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * As `readStdin`, but gives up after a time: undefined when there is more than `maxBytes`, or when the end has not come by
 * then. For a caller that must never be held up.
 */
export async function readStdinWithin(
  maxBytes: number,
  milliseconds: number,
): Promise<Uint8Array | undefined> {
  const unhindered = openUnhindered();
  if (unhindered !== undefined) return pollUntil(unhindered, maxBytes, performance.now() + milliseconds);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([collect(stdinStream(), maxBytes), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Standard input as a descriptor that never makes its reader wait: the pipe opened anew, or the file itself. Undefined
 * for a socket or a terminal, and on systems without /proc. A stream would start threads, which costs a short command a
 * fifth of all it does.
 */
function openUnhindered(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const stat = fstatSync(0);
    if (stat.isFile()) return 0;
    return stat.isFIFO() ? openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK) : undefined;
  } catch {
    return undefined;
  }
}

/** All there is until its end; undefined when it is more than `maxBytes` or has not ended by the deadline. */
function pollUntil(descriptor: number, maxBytes: number, deadline: number): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let total = 0;
  let wait = 1;
  try {
    for (;;) {
      const part = new Uint8Array(65_536);
      const count = readNow(descriptor, part);
      if (count === 0) return joined(parts, total);
      if (count === undefined) {
        if (performance.now() > deadline) return undefined;
        pause(wait);
        wait = Math.min(wait * 2, 20);
        continue;
      }
      total += count;
      if (total > maxBytes) return undefined;
      parts.push(part.subarray(0, count));
    }
  } finally {
    if (descriptor !== 0) closeSync(descriptor);
  }
}

/** Bytes read, 0 at the end; undefined when nothing is there yet. */
function readNow(descriptor: number, into: Uint8Array): number | undefined {
  try {
    // Not `readSync`: its first call in a Bun process makes 50 KB of objects.
    return readvSync(descriptor, [into]);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EAGAIN" || code === "EINTR") return undefined;
    throw error;
  }
}

function joined(parts: readonly Uint8Array[], total: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function collect(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const part of stream) {
    total += part.length;
    if (total > maxBytes) return undefined;
    parts.push(part);
  }
  return joined(parts, total);
}

function stdinStream(): AsyncIterable<Uint8Array> {
  if ("Bun" in globalThis) return Bun.stdin.stream() as unknown as AsyncIterable<Uint8Array>;
  return process.stdin as unknown as AsyncIterable<Uint8Array>;
}
