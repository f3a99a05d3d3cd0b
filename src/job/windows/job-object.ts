import { wide } from "../../kernel/process/windows/wide.ts";
import { sleep } from "../../kernel/text/time.ts";
import { type ForeignCall, openLibrary } from "../../runtime/ffi.ts";

const JOB_OBJECT_QUERY_AND_TERMINATE = 0x000c;
const BASIC_ACCOUNTING = 1; // JobObjectBasicAccountingInformation
const ACCOUNTING_BYTES = 48;
const ACTIVE_PROCESSES_AT = 40;

/** How long terminated members may take to be gone. */
const EMPTY_WITHIN_MS = 5_000;
const POLL_MS = 10;

const FUNCTIONS = {
  CreateJobObjectW: { args: ["buffer", "buffer"], returns: "i64" },
  OpenJobObjectW: { args: ["u32", "i32", "buffer"], returns: "i64" },
  AssignProcessToJobObject: { args: ["i64", "i64"], returns: "i32" },
  TerminateJobObject: { args: ["i64", "u32"], returns: "i32" },
  QueryInformationJobObject: { args: ["i64", "u32", "buffer", "u32", "buffer"], returns: "i32" },
  CloseHandle: { args: ["i64"], returns: "i32" },
} as const;

type Kernel = Record<keyof typeof FUNCTIONS, ForeignCall>;
let opened: Promise<Kernel | undefined> | undefined;

function kernel(): Promise<Kernel | undefined> {
  opened ??= openLibrary(["kernel32.dll"], FUNCTIONS);
  return opened;
}

/** The name a job's object has (docs/spec/jobs.md 4.1). */
export function jobObjectName(jobId: string): string {
  return `Local\\ce-peer-job-${jobId}`;
}

/**
 * Make a process a member of the job's named object, which stands in for a process group. The object does not kill on
 * close, and our handle keeps its name alive. Gives the name; undefined when the process could not be assigned.
 */
export async function joinJobObject(jobId: string, process: number): Promise<string | undefined> {
  const system = await kernel();
  if (system === undefined) return undefined;
  const name = jobObjectName(jobId);
  const object = system.CreateJobObjectW(null, wide(name));
  if (object === 0) return undefined;
  if (system.AssignProcessToJobObject(object, process) !== 0) return name;
  system.CloseHandle(object);
  return undefined;
}

/**
 * Terminate every member of a named job object and wait until none is left; false when its name is gone, with the last
 * handle on it, or somebody could not be ended.
 */
export async function terminateJobObject(name: string): Promise<boolean> {
  const system = await kernel();
  const object = system?.OpenJobObjectW(JOB_OBJECT_QUERY_AND_TERMINATE, 0, wide(name)) ?? 0;
  if (system === undefined || object === 0) return false;
  try {
    if (system.TerminateJobObject(object, 1) === 0) return false;
    const deadline = performance.now() + EMPTY_WITHIN_MS;
    while (activeProcesses(system, object) > 0) {
      if (performance.now() > deadline) return false;
      await sleep(POLL_MS);
    }
    return true;
  } finally {
    system.CloseHandle(object);
  }
}

function activeProcesses(system: Kernel, object: number): number {
  const facts = new Uint8Array(ACCOUNTING_BYTES);
  if (system.QueryInformationJobObject(object, BASIC_ACCOUNTING, facts, facts.length, null) === 0) return 0;
  return new DataView(facts.buffer).getUint32(ACTIVE_PROCESSES_AT, true);
}
