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
