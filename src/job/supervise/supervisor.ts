import { closeSync, constants, fstatSync, lstatSync, openSync, statSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { osReason } from "../../kernel/call/errors.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import {
  killTree,
  pidNamespace,
  requireProcessHandles,
  startIdentity,
  sweepSession,
} from "../../kernel/process/index.ts";
import { isBatchFile, throughCmd } from "../../kernel/process/windows-command-line.ts";
import { asciiJson } from "../../kernel/text/python-json.ts";
import { sleep } from "../../kernel/text/time.ts";
import { releaseMemory } from "../../runtime/memory.ts";
import { type Child, type ChildExit, spawn } from "../../runtime/spawn.ts";
import { classifyExit, type TerminalRecord, type WorkerExit } from "../record/classify.ts";
import { FILE_MODE, HAND_OVER, LOG, lookAt, PID, REAP_MARKER } from "../record/directory.ts";
import { readJsonObject, resultEvidence } from "../record/files.ts";
import { publishRecord } from "../record/publish.ts";
import { hasRecord } from "../record/state.ts";
import type { JobHandOver, JobPid } from "../schema.ts";
import { workerEnvironment } from "../start/environment.ts";
import { type Decision, decide, nextLook, type Watch } from "./decide.ts";

const PUBLISH_AGAIN_MS = 2_000;
const PUBLISH_FOR_MS = 60_000;

/** The supervisor's own part of the outside world; it runs apart from any command, so there is no `Host`. */
const self = { uid: process.geteuid?.(), pid: process.pid, now: () => Date.now() };

/**
 * The detached loop of one job (docs/spec/jobs.md sections 6 and 7): run the worker, watch it, publish exactly one terminal
 * record. Gives the exit code: 2 when the directory is not one that `start` has just prepared, and nothing was run.
 */
export async function supervise(directory: string): Promise<number> {
  const requests = listen();
  const handOver = takeHandOver(directory);
  if (handOver === undefined) return 2;
  const identity = await startIdentity(self.pid);
  let worker: Worker;
  try {
    // No worker is started that could not be ended.
    await requireProcessHandles();
    worker = await launch(directory, handOver);
  } catch (error) {
    await publish(directory, { state: "failed", reason: `could not launch worker: ${osReason(error)}` });
    return 0;
  }
  let record: TerminalRecord;
  try {
    await writePid(directory, worker, identity);
    record = await watchOver(directory, worker, handOver, requests);
  } catch {
    await endTree(worker, 0);
    record = { state: "failed", reason: "supervisor crashed before classification" };
  }
  await publish(directory, record);
  return 0;
}

/** What the outside can ask of a supervisor, and the way it wakes the loop. */
interface Requests {
  reap: boolean;
  wake(): void;
}

/** In place before the `pid` file names us: hang-up is ignored, interrupt and terminate ask for a reap. */
function listen(): Requests {
  const requests: Requests = { reap: false, wake: () => {} };
  const reap = () => {
    requests.reap = true;
    requests.wake();
  };
  process.on("SIGHUP", () => {});
  process.on("SIGINT", reap);
  process.on("SIGTERM", reap);
  return requests;
}

/** Read and remove what `start` left for us; whoever removes it is the job's one supervisor. */
function takeHandOver(directory: string): JobHandOver | undefined {
  const stat = lookAt(directory);
  if (!stat?.isDirectory() || (self.uid !== undefined && stat.uid !== self.uid)) return undefined;
  const path = join(directory, HAND_OVER);
  const read = readJsonObject(self, path);
  if (!("value" in read) || lookAt(join(directory, PID)) !== undefined || hasRecord(directory))
    return undefined;
  try {
    unlinkSync(path);
  } catch {
    return undefined;
  }
  // Written by `start` of this same program a moment ago, in a directory nobody else can write.
  return read.value as unknown as JobHandOver;
}

interface Worker {
  child: Child;
  identity: string | undefined;
  /** Settled by the loop when the worker's end is seen. */
  exit: ChildExit | undefined;
  /** Windows: the job object it is a member of. */
  jobName?: string;
}

/** Start the worker in a session of its own, stdout and stderr on one append descriptor. Throws the system's error. */
async function launch(directory: string, { argv }: JobHandOver): Promise<Worker> {
  const log = openLog(join(directory, LOG));
  try {
    const env = workerEnvironment(process.env, {
      id: basename(directory),
      directory,
      workerIsJig: isSameFile(argv[0]!, process.execPath),
      executable: process.execPath,
    });
    const isBatch = process.platform === "win32" && isBatchFile(argv[0]!);
    const words = isBatch ? throughCmd(argv, process.env["SystemRoot"]) : argv;
    const child = await spawn(words, { env, stdout: log, stderr: log, detached: true, verbatim: isBatch });
    // Read before the event loop can see its end (the process table is loaded by now): then the pid means nothing.
    const worker: Worker = { child, identity: await startIdentity(child.pid), exit: undefined };
    if (process.platform !== "win32") return worker;
    const { joinJobObject } = await import("../windows/job-object.ts");
    const jobName = await joinJobObject(basename(directory), child.pid);
    return jobName === undefined ? worker : { ...worker, jobName };
  } finally {
    closeSync(log);
  }
}

function openLog(path: string): number {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
  const stat = fstatSync(descriptor);
  if (stat.isFile() && (self.uid === undefined || stat.uid === self.uid)) return descriptor;
  closeSync(descriptor);
  throw new Error(`${path} is not a regular file of ours`);
}

function isSameFile(a: string, b: string): boolean {
  try {
    const [left, right] = [statSync(a), statSync(b)];
    return left.ino === right.ino && left.dev === right.dev;
  } catch {
    return false;
  }
}

async function writePid(directory: string, worker: Worker, identity: string | undefined): Promise<void> {
  const namespace = await pidNamespace();
  const pid: JobPid = {
    supervisor_pid: self.pid,
    worker_pid: worker.child.pid,
    // The supervisor leads the session `start` made for it.
    ...(process.platform === "win32" ? {} : { supervisor_pgid: self.pid }),
    ...(worker.jobName === undefined ? {} : { job_name: worker.jobName }),
    ...(namespace === undefined ? {} : { pid_namespace: namespace }),
    ...(identity === undefined ? {} : { supervisor_identity: identity }),
    ...(worker.identity === undefined ? {} : { worker_identity: worker.identity }),
  };
  writeFileAtomic(join(directory, PID), `${asciiJson(pid)}\n`, { mode: FILE_MODE });
}

/** Windows has no signal to wake us, so the marker is looked for more often. */
const MARKER_LOOK_MS = process.platform === "win32" ? 250 : Infinity;

/** Watch until the worker ends or has to; end its tree; say what the record is. */
async function watchOver(
  directory: string,
  worker: Worker,
  { conf, result_path: resultPath }: JobHandOver,
  requests: Requests,
): Promise<TerminalRecord> {
  void worker.child.exited.then((exit) => {
    worker.exit = exit;
    requests.wake();
  });
  const marker = join(directory, REAP_MARKER);
  const log = join(directory, LOG);
  const began = performance.now();
  let watch: Watch = { startedAt: began, grewAt: began, logSize: 0 };
  let decision: Decision = { do: "continue" };
  const isReapRequested = () => requests.reap || lookAt(marker) !== undefined;
  releaseMemory();
  while (decision.do === "continue") {
    const wait = Math.min(nextLook(watch, conf, performance.now()), MARKER_LOOK_MS);
    if (worker.exit === undefined && !requests.reap) await wokenWithin(wait, requests);
    ({ decision, watch } = decide(
      {
        workerExited: worker.exit !== undefined,
        reapRequested: isReapRequested(),
        logSize: sizeOf(log),
        now: performance.now(),
      },
      watch,
      conf,
    ));
  }
  if (decision.do === "reap") {
    await endTree(worker, conf.grace * 1000);
    return decision.record;
  }
  const reapRequested = isReapRequested();
  // No background child outlives the record.
  await sweepSession(worker.child.pid, worker.identity);
  return classifyExit({
    exit: await workerExit(worker.exit!),
    resultDeclared: resultPath !== null,
    evidence: resultEvidence(resultPath),
    resultMax: conf.result_max,
    reapRequested,
  });
}

function wokenWithin(milliseconds: number, requests: Requests): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    requests.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function sizeOf(log: string): number {
  try {
    return lstatSync(log).size;
  } catch {
    return 0;
  }
}

async function endTree(worker: Worker, graceMs: number): Promise<void> {
  if (worker.jobName !== undefined) {
    const { terminateJobObject } = await import("../windows/job-object.ts");
    await terminateJobObject(worker.jobName);
  }
  await killTree({
    pid: worker.child.pid,
    identity: worker.identity,
    graceMs,
    leaderEndedWithin: (milliseconds) => exitedWithin(worker.child, milliseconds),
  });
}

async function exitedWithin(child: Child, milliseconds: number): Promise<boolean> {
  const exited = new AbortController();
  void child.exited.then(() => exited.abort());
  await sleep(milliseconds, exited.signal);
  return exited.signal.aborted;
}

/** A signal as its number; a code of 128+n is the worker's own and stays a code. */
async function workerExit(exit: ChildExit): Promise<WorkerExit> {
  if ("code" in exit) return exit;
  if (typeof exit.signal === "number") return { signal: exit.signal };
  const { constants: system } = await import("node:os");
  return { signal: system.signals[exit.signal as NodeJS.Signals] };
}

/** Publish the record; when the disk refuses it, again every 2 s for a minute. */
async function publish(directory: string, record: TerminalRecord): Promise<void> {
  const until = performance.now() + PUBLISH_FOR_MS;
  for (;;) {
    try {
      await publishRecord(self, directory, record);
      return;
    } catch {
      if (performance.now() > until) return;
      await sleep(PUBLISH_AGAIN_MS);
    }
  }
}
