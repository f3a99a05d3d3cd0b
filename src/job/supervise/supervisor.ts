import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { lookAt } from "../../kernel/files/look.ts";
import {
  pidNamespace,
  pidNamespaceStart,
  requireProcessHandles,
  startIdentity,
} from "../../kernel/process/index.ts";
import { asciiJson } from "../../kernel/text/python-json.ts";
import { sleep } from "../../kernel/text/time.ts";
import type { TerminalRecord } from "../record/classify.ts";
import { FILE_MODE, HAND_OVER, PID } from "../record/directory.ts";
import { readJsonObject } from "../record/files.ts";
import { lockForLife } from "../record/locks.ts";
import { publishRecord } from "../record/publish.ts";
import { hasRecord } from "../record/state.ts";
import type { JobHandOver, JobPid, SupervisedBy } from "../schema.ts";
import { endTree } from "./end-tree.ts";
import { launch, type Worker } from "./launch.ts";
import { type Requests, watchOver } from "./watch-over.ts";

const PUBLISH_AGAIN_MS = 2_000;
const PUBLISH_FOR_MS = 60_000;

/** The supervisor's own part of the outside world; it runs apart from any command, so there is no `Host`. */
const self = {
  uid: process.geteuid?.(),
  pid: process.pid,
  env: process.env,
  executable: process.execPath,
  now: () => Date.now(),
};

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
  let metaLock: string | undefined;
  try {
    if (handOver.engine !== undefined) await preflightHere(handOver);
    // No worker is started that could not be ended.
    await requireProcessHandles();
    metaLock = await lockForLife(directory);
    worker = await launch(self, directory, handOver);
  } catch (error) {
    const { launchFailure } = await import("../../kernel/process/launch-failure.ts");
    const why = error instanceof NotHere ? error.message : launchFailure(handOver.argv[0]!, error);
    await publish(directory, { state: "failed", reason: `could not launch worker: ${why}` });
    return 0;
  }
  let record: TerminalRecord | undefined;
  try {
    await writePid(directory, worker, { identity, metaLock, engine: handOver.engine });
    record = await watchOver(directory, worker, handOver, requests);
  } catch {
    await endTree(worker, 0);
    record = { state: "failed", reason: "supervisor crashed before classification" };
  }
  if (record !== undefined) await publish(directory, record);
  return 0;
}

/** The worker cannot be run on this node. */
class NotHere extends Error {}

/** Look for the worker where it will run, as `start` does for one on its own machine. Throws `NotHere`. */
async function preflightHere(handOver: JobHandOver): Promise<void> {
  const { preflight } = await import("../start/preflight.ts");
  const given = handOver.argv[0]!;
  const here = { cwd: process.cwd(), env: self.env, platform: process.platform };
  const { argv, problem } = await preflight(here, handOver.argv);
  if (problem !== undefined) {
    throw new NotHere(`'${given}' ${problem} on ${self.env[handOver.engine!.node] ?? "the node"}`);
  }
  handOver.argv = argv;
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

interface Beginning {
  identity: string | undefined;
  metaLock: string | undefined;
  engine: SupervisedBy | undefined;
}

async function writePid(
  directory: string,
  worker: Worker,
  { identity, metaLock, engine }: Beginning,
): Promise<void> {
  const [namespace, namespaceStart] = [await pidNamespace(), await pidNamespaceStart()];
  const pid: JobPid = {
    supervisor_pid: self.pid,
    worker_pid: worker.child.pid,
    // The supervisor leads the session `start` made for it.
    ...(process.platform === "win32" ? {} : { supervisor_pgid: self.pid }),
    ...(worker.jobName === undefined ? {} : { job_name: worker.jobName }),
    ...(namespace === undefined ? {} : { pid_namespace: namespace }),
    ...(namespaceStart === undefined ? {} : { pid_namespace_start: namespaceStart }),
    ...(metaLock === undefined ? {} : { meta_lock: metaLock }),
    ...(worker.logLock === undefined ? {} : { log_lock: worker.logLock }),
    ...(identity === undefined ? {} : { supervisor_identity: identity }),
    ...(worker.identity === undefined ? {} : { worker_identity: worker.identity }),
    ...(engine === undefined ? {} : nodeFacts(engine)),
  };
  writeFileAtomic(join(directory, PID), `${asciiJson(pid)}\n`, { mode: FILE_MODE });
}

/** Where the engine runs this supervisor, as it says. */
function nodeFacts({ node, id }: SupervisedBy): Pick<JobPid, "host" | "engine_id"> {
  const [host, number] = [self.env[node], self.env[id]];
  return {
    ...(host === undefined ? {} : { host }),
    ...(number === undefined ? {} : { engine_id: number }),
  };
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
