import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import type { ProcessFacts, ProcessTable } from "./facts.ts";

/** `sysconf(_SC_CLK_TCK)`: the unit of start times in `/proc`, 100 on every architecture jig is built for. */
const TICKS_PER_SECOND = 100;

/** `/proc`, without starting any program. Identity: `<boot id> <start time in ticks since boot>`. */
export const linuxProcesses: ProcessTable = {
  read: async (pid) => readProcess(pid),
  snapshot: async () => {
    const facts: ProcessFacts[] = [];
    for (const name of readdirSync("/proc")) {
      const process = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
      if (process !== undefined) facts.push(process);
    }
    return facts;
  },
  isFromAnotherBoot: async (identity) => !identity.startsWith(`${bootId()} `),
};

/**
 * Whether `/proc` is that of our process namespace. It may be one around ours (`unshare --pid` without `--mount-proc`):
 * then its numbers are not those that our signals go to.
 */
export function isOwnProc(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}

/** Where nothing can be told of processes but that they exist. */
export const blindProcesses: ProcessTable = {
  read: async () => undefined,
  snapshot: async () => [],
  isFromAnotherBoot: async () => false,
};

/** Undefined when there is no such process (or another user's is hidden from us). */
export function readProcess(pid: number): (ProcessFacts & { startTicks: number }) | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  const parsed = parseStat(text);
  if (parsed === undefined) return undefined;
  return {
    pid,
    ...parsed.facts,
    startTicks: parsed.startTicks,
    identity: `${bootId()} ${parsed.startTicks}`,
    get startedAt() {
      return bootTime() + (parsed.startTicks * 1000) / TICKS_PER_SECOND;
    },
  };
}

/** Our living processes that were started with this variable: `NAME=value`. */
export function processesWithVariable(variable: string): ProcessFacts[] {
  const wanted = `\0${variable}\0`;
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      if (!`\0${readFileSync(`/proc/${name}/environ`, "utf8")}`.includes(wanted)) return [];
    } catch {
      return [];
    }
    return readProcess(Number(name)) ?? [];
  });
}

/** What tells the processes of one piece of work when their numbers do not. */
export interface ProcessMark {
  /** `NAME=value` that all of them were started with. */
  variable: string;
  /** The file that their standard output and error go to, unless they are redirected. */
  output: string;
}

/** Whether a process of ours bears at least one sign of a mark. */
export function bearsMark(pid: number, { variable, output }: ProcessMark): boolean {
  try {
    if (`\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${variable}\0`)) return true;
    const file = statSync(output, { throwIfNoEntry: false });
    return [1, 2].some((descriptor) => {
      const open = statSync(`/proc/${pid}/fd/${descriptor}`, { throwIfNoEntry: false });
      return open !== undefined && open.ino === file?.ino && open.dev === file.dev;
    });
  } catch {
    return false; // Another user's, or gone.
  }
}

interface Stat {
  facts: Pick<ProcessFacts, "parent" | "group" | "session" | "zombie">;
  startTicks: number;
}

/** The fields of a `/proc/<pid>/stat` line. The name in parentheses is the program's to choose, so count from its end. */
export function parseStat(line: string): Stat | undefined {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const startTicks = Number(fields[19]);
  if (line.lastIndexOf(")") < 0 || fields.length < 20 || !Number.isSafeInteger(startTicks)) return undefined;
  return {
    facts: {
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      zombie: fields[0] === "Z" || fields[0] === "X",
    },
    startTicks,
  };
}

let knownBootId: string | undefined;

function bootId(): string {
  if (knownBootId === undefined) {
    try {
      knownBootId = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    } catch {
      knownBootId = "unknown-boot";
    }
  }
  return knownBootId;
}

/** Milliseconds since the epoch when the system started, by its clock of now. */
function bootTime(): number {
  const uptime = Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
  return Date.now() - uptime * 1000;
}

/** The process namespace the system starts in; its number is part of the kernel's interface. */
export const FIRST_NAMESPACE = "pid:[4026531836]";

/** Text that names the process namespace of this process; pids mean nothing across two of them. Undefined elsewhere. */
export function pidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}
