import { readFileSync } from "node:fs";

/** A process this one descends from, or this one itself, as the `/proc` at hand shows it (Linux). */
export interface Ancestor {
  words: string[];
  /** Clock ticks (100 a second) from the system's start. */
  startTicks: number;
  /** Its pid in its own, innermost process namespace: 1 for the process a namespace lasts as long as. */
  innerPid: number;
}

/**
 * This process and its living parents, nearest first, up to the first of its process namespace. Also under the `/proc`
 * of a namespace around ours, since it starts at `/proc/self`. Empty where that chain cannot be read to its end.
 */
export function ancestry(): Ancestor[] {
  const chain: Ancestor[] = [];
  try {
    for (let name = "self"; ; ) {
      const status = readFileSync(`/proc/${name}/status`, "latin1");
      const innerPid = Number(/^NSpid:.*?(\d+)$/m.exec(status)?.[1]);
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").slice(0, -1);
      chain.push({
        words,
        startTicks: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]),
        innerPid,
      });
      if (innerPid === 1) return chain;
      const parent = /^PPid:\s*(\d+)$/m.exec(status)?.[1];
      if (parent === undefined || parent === "0") return [];
      name = parent;
    }
  } catch {
    return [];
  }
}
