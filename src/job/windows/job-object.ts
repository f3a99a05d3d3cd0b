import { type ForeignCall, openLibrary } from "../../runtime/ffi.ts";
import { wide } from "./wide.ts";

// Written from the documentation of the system calls; not run on Windows yet.

const SET_QUOTA_AND_TERMINATE = 0x0101;
const JOB_OBJECT_TERMINATE = 0x0008;

const FUNCTIONS = {
  CreateJobObjectW: { args: ["buffer", "buffer"], returns: "i64" },
  OpenJobObjectW: { args: ["u32", "i32", "buffer"], returns: "i64" },
  AssignProcessToJobObject: { args: ["i64", "i64"], returns: "i32" },
  TerminateJobObject: { args: ["i64", "u32"], returns: "i32" },
  OpenProcess: { args: ["u32", "i32", "u32"], returns: "i64" },
  CloseHandle: { args: ["i64"], returns: "i32" },
} as const;

type Calls = Record<keyof typeof FUNCTIONS, ForeignCall>;

function kernel(): Promise<Calls | undefined> {
  return openLibrary(["kernel32.dll"], FUNCTIONS);
}

/** The name a job's object has (docs/spec/jobs.md 4.1). */
export function jobObjectName(jobId: string): string {
  return `Local\\ce-peer-job-${jobId}`;
}

/**
 * Make a process a member of the job's named object, which stands in for a process group. The object does not kill on
 * close, and our handle keeps its name alive. Undefined when the process could not be assigned.
 */
export async function joinJobObject(jobId: string, pid: number): Promise<string | undefined> {
  const system = await kernel();
  if (system === undefined) return undefined;
  const name = jobObjectName(jobId);
  const object = system.CreateJobObjectW(null, wide(name));
  const process = system.OpenProcess(SET_QUOTA_AND_TERMINATE, 0, pid);
  const assigned = object !== 0 && process !== 0 && system.AssignProcessToJobObject(object, process) !== 0;
  if (process !== 0) system.CloseHandle(process);
  if (assigned) return name;
  if (object !== 0) system.CloseHandle(object);
  return undefined;
}

/** Terminate every member of a named job object; false when its name is gone, with the last handle on it. */
export async function terminateJobObject(name: string): Promise<boolean> {
  const system = await kernel();
  const object = system?.OpenJobObjectW(JOB_OBJECT_TERMINATE, 0, wide(name)) ?? 0;
  if (system === undefined || object === 0) return false;
  const terminated = system.TerminateJobObject(object, 1) !== 0;
  system.CloseHandle(object);
  return terminated;
}
