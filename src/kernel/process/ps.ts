import { cLibrary, type ForeignCall, openLibrary } from "../../runtime/ffi.ts";
import { outputOf } from "./capture.ts";
import { findExecutable } from "./executable.ts";
import type { ProcessFacts, ProcessTable } from "./facts.ts";

const COLUMNS = ["-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat=", "-o", "lstart="];
const TIMEOUT_MS = 5_000;

/** The `ps` of POSIX systems, where there is no `/proc`. Identity: `<boot> <start time to the second>`. */
export const psProcesses: ProcessTable = {
  read: async (pid) => (await run(["-p", String(pid), ...COLUMNS]))[0],
  snapshot: () => run(["-A", ...COLUMNS]),
  isFromAnotherBoot: async (identity) => !identity.startsWith(`${await bootId()} `),
};

async function run(args: string[]): Promise<ProcessFacts[]> {
  // A sandbox may refuse it; nothing is known about any process then.
  const listing = await output("ps", args);
  if (listing === undefined) return [];
  const boot = await bootId();
  const sessionOf = await sessions();
  return listing.split("\n").flatMap((line) => {
    const facts = parsePsLine(line, boot);
    return facts === undefined ? [] : { ...facts, session: sessionOf(facts.pid) };
  });
}

let library: Promise<{ getsid: ForeignCall } | undefined> | undefined;

/** `ps` prints a kernel address for the session on some systems, so the system is asked; 0 for what it does not tell. */
async function sessions(): Promise<(pid: number) => number> {
  library ??= openLibrary(cLibrary(), { getsid: { args: ["i32"], returns: "i32" } });
  const system = await library;
  return (pid) => Math.max(0, system?.getsid(pid) ?? 0);
}

/** One line of `ps -o pid=,ppid=,pgid=,stat=,lstart=` in the C locale and UTC; the session is not in it. */
export function parsePsLine(line: string, boot: string): ProcessFacts | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
  if (match === null) return undefined;
  const [, pid, parent, group, state, started] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const startedAt = Date.parse(`${started} UTC`);
  if (Number.isNaN(startedAt)) return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: 0,
    zombie: state.startsWith("Z"),
    identity: `${boot} ${new Date(startedAt).toISOString().slice(0, 19)}Z`,
    startedAt,
  };
}

let knownBootId: Promise<string> | undefined;

// macOS names each boot; where nothing does, the start time alone has to do.
function bootId(): Promise<string> {
  knownBootId ??= output("sysctl", ["-n", "kern.bootsessionuuid"]).then((text) => text?.trim() || "boot");
  return knownBootId;
}

async function output(program: string, args: string[]): Promise<string | undefined> {
  const path = findExecutable(program, {
    PATH: `/bin:/usr/bin:/sbin:/usr/sbin:${process.env["PATH"] ?? ""}`,
  });
  if (path === undefined) return undefined;
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  return outputOf([path, ...args], { env, timeoutMs: TIMEOUT_MS, maxBytes: 64 << 20 });
}
