import { readSync } from "node:fs";
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

async function collect(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const part of stream) {
    total += part.length;
    if (total > maxBytes) return undefined;
    parts.push(part);
  }
  const all = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function stdinStream(): AsyncIterable<Uint8Array> {
  if ("Bun" in globalThis) return Bun.stdin.stream() as unknown as AsyncIterable<Uint8Array>;
  return process.stdin as unknown as AsyncIterable<Uint8Array>;
}
