import { readFileSync } from "node:fs";
import { FIRST_NAMESPACE, pidNamespace } from "../linux.ts";
import { isPassing } from "../passing.ts";
import { type Ancestor, ancestry } from "./ancestors.ts";

const TICKS_PER_SECOND = 100;
/** An agent that is the first process of a container has rarely come to a call before this age. */
const YOUNG_SECONDS = 60;
/** Who is started this soon after the first process of a namespace is what the namespace was made for. */
const TOGETHER_SECONDS = 1;
/** Makes a namespace for each call, however long the call lasts. */
const CODEX = "codex-linux-sandbox";

/**
 * Whether this call runs in a process namespace that was made for it, as some hosts do for each shell command: the
 * kernel kills everything in it when the call ends. Gives the name of the namespace's first process. Linux only.
 */
export function fleetingNamespace(): string | undefined {
  if (process.platform !== "linux" || [FIRST_NAMESPACE, undefined].includes(pidNamespace())) return undefined;
  const uptime = Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
  const chain = ancestry();
  return endsWithCall(chain, uptime) ? nameOf(chain.at(-1)!) : undefined;
}

/** The same, of a chain from this process to the first of its namespace, at this many seconds since the system's start. */
export function endsWithCall(chain: readonly Ancestor[], uptime: number): boolean {
  const first = chain.at(-1);
  if (first === undefined) return false;
  if (chain.length === 1) return true;
  if (!chain.slice(1, -1).every(({ words }) => isPassing(words))) return false;
  if (nameOf(first) === CODEX) return true;
  const age = uptime - first.startTicks / TICKS_PER_SECOND;
  const apart = (chain.at(-2)!.startTicks - first.startTicks) / TICKS_PER_SECOND;
  // A container may be shown its own uptime beside the system's start times: then no age is known.
  return age > -1 && age < YOUNG_SECONDS && (isPassing(first.words) || apart < TOGETHER_SECONDS);
}

function nameOf({ words: [program = "?"] }: Ancestor): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
