import { readableVariables } from "../../kernel/call/environment.ts";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { lookAt } from "../../kernel/files/look.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { asciiJson } from "../../kernel/text/python-json.ts";
import { shellQuote } from "../../kernel/text/shell-word.ts";
import { selfCommand } from "../../runtime/self.ts";
import type { TerminalRecord } from "../record/classify.ts";
import { ENGINE, ENGINE_LOG, fileIn, HAND_OVER, REAP_MARKER, SUPERVISE } from "../record/directory.ts";
import { createEngineFile, hasPid, replaceEngineFile } from "../record/engine-file.ts";
import { freshNow } from "../record/fresh-look.ts";
import { publishFailure, publishRecord } from "../record/publish.ts";
import { recordWithin, writeMarker } from "../record/request.ts";
import { hasRecord } from "../record/state.ts";
import type { JobEngine, SupervisedBy, Supervision } from "../schema.ts";
import { graceOf, isHardCapSaid } from "../settings.ts";
import { createLog, createNew } from "../start/claim.ts";
import { supervisorEnvironment } from "../start/environment.ts";
import { type Budget, budgetOf } from "./budget.ts";
import type { EndedFacts, Engine, EngineLook, OpenJob, Sighting, Submission, Submitted } from "./engine.ts";
import { type Answer, requireTool, runTool, saidLine, silenceOf } from "./tool.ts";
import { isHandOverThere, takeHandOver, withdraw } from "./withdraw.ts";

const SUBMIT_SECONDS = 30;
const ASK_SECONDS = 10;
/** What Slurm gets beyond a job's own limits before it ends the job by itself. */
const TIME_MARGIN_SECONDS = 120;
/** Slurm warns this long before the end, and the grace: it may be a minute early, not late. */
const WARNING_SECONDS = 30;
/** A submission that was never answered may still arrive for so long. */
const UNANSWERED_MS = 60_000;
/** A supervisor sees the marker within a minute, whatever its file system remembers. */
const MARKER_SECONDS = 75;
const RECORD_SECONDS = 5;

/** Exit codes of the batch script, before the supervisor. */
const NO_JOB_DIRECTORY = 97;
const NO_WORKING_DIRECTORY = 96;
const NO_JIG = 98;

const SUPERVISED: SupervisedBy = { kind: "slurm", node: "SLURMD_NODENAME", id: "SLURM_JOB_ID" };

/** A batch job of Slurm (docs/spec/engines.md section 3); node and this machine share the job's directory. */
export const slurm: Engine = {
  async place(host, { target, args, remoteCwd, remoteJig }) {
    if (target === "") return "--on slurm:PARTITION needs the partition's name";
    if (remoteCwd !== undefined || remoteJig !== undefined)
      return "--remote-cwd and --remote-jig are for --on ssh:DEST";
    const array = args.find((word) => /^(-a|--ar)/.test(word));
    if (array !== undefined)
      return `--engine-arg ${array}: an array would run the worker many times under one id`;
    requireTool(host, "sbatch", "Slurm's client");
    const { name, answer, budget } = await clusterName(host, [], budgetOf(ASK_SECONDS));
    if (name === undefined) {
      const why = silenceOf(answer, budget);
      throw new JigError(`slurm did not answer, so nothing was submitted: ${why}`);
    }
    return {
      meta: { kind: "slurm" },
      resultPathOf: ({ resultPath }) => resultPath?.absolute ?? null,
      submit: (at, job) => submit(at, job, { partition: target, args, cluster: name }),
    };
  },

  problemOf({ id, args }) {
    if (id !== null && !/^\d{1,20}$/.test(id)) return "id is no number";
    const [flag, cluster, ...more] = args;
    const plain =
      flag === undefined || (flag === "-M" && /^[\w.][\w.-]*$/.test(cluster ?? "") && more.length === 0);
    return plain ? undefined : "args are not `-M CLUSTER`";
  },

  nameOf: () => "slurm",
  look,
  explain,
  settle,
  stop,
};

// Submission (3.1)

interface Wanted {
  partition: string | undefined;
  args: readonly string[];
  cluster: string;
}

async function submit(host: Host, job: Submission, { partition, args, cluster }: Wanted): Promise<Submitted> {
  const { directory, meta, cwd } = job;
  const [executable] = selfCommand();
  createLog(directory);
  createNew(fileIn(directory, ENGINE_LOG), "", "nothing");
  createNew(fileIn(directory, HAND_OVER), asciiJson({ ...job.handOver, engine: SUPERVISED }), "content");
  const file: JobEngine = { kind: "slurm", id: null, args: [], cluster, cwd, jig: executable! };
  createEngineFile(directory, file);
  const env: Record<string, string | undefined> = supervisorEnvironment(job.env);
  delete env["SBATCH_ARRAY_INX"];
  delete env["SBATCH_WAIT"];
  const budget = budgetOf(SUBMIT_SECONDS);
  const words = [
    "sbatch",
    ...(partition === undefined ? [] : [`--partition=${partition}`]),
    ...limits(meta.supervision, job.env),
    ...args,
    "--parsable",
    `--job-name=${job.id}`,
    "--no-requeue",
    "--output=/dev/null",
  ];
  const answer = await runTool(host, words, { budget, input: batchScript(directory, cwd), env, cwd });
  const number = answer.exitCode === 0 ? parseSubmitted(answer.stdout) : undefined;
  if (number === undefined) return takeBack(host, job, answer);
  const known = { ...file, id: number.id };
  if (number.cluster !== undefined)
    Object.assign(known, { cluster: number.cluster, args: ["-M", number.cluster] });
  try {
    replaceEngineFile(directory, known);
  } catch {
    // It is found again by its name.
  }
  return { id: number.id };
}

/** `--time` and `--signal`: Slurm's own end comes after jig's. What nobody limited the partition limits. */
function limits({ hard, grace }: Supervision, env: Host["env"]): string[] {
  const minutes = Math.ceil((hard + grace + TIME_MARGIN_SECONDS) / 60);
  const isTimed = isHardCapSaid(env) && !env["SBATCH_TIMELIMIT"];
  return [
    ...(isTimed ? [`--time=${minutes}`] : []),
    `--signal=B:TERM@${Math.min(65_535, Math.ceil(WARNING_SECONDS + grace))}`,
  ];
}

/** What runs on the node. Slurm would run it in `/tmp` where a directory is missing, and end it where an output is. */
export function batchScript(directory: string, cwd: string): string {
  const self = selfCommand();
  return `#!/bin/sh
cd ${shellQuote(directory)} || exit ${NO_JOB_DIRECTORY}
exec >>${ENGINE_LOG} 2>&1
cd ${shellQuote(cwd)} || exit ${NO_WORKING_DIRECTORY}
[ -x ${shellQuote(self[0]!)} ] || exit ${NO_JIG}
exec ${[...self, SUPERVISE, directory].map(shellQuote).join(" ")}
`;
}

/** `ID` or `ID;CLUSTER` on its last line. */
export function parseSubmitted(stdout: string): { id: string; cluster: string | undefined } | undefined {
  const match = /^(\d+)(?:;([\w.][\w.-]*))?$/.exec(stdout.trimEnd().split("\n").at(-1) ?? "");
  return match === null ? undefined : { id: match[1]!, cluster: match[2] };
}

/** No answer is no refusal: the batch job may come to run. Whoever has the hand-over decides. */
async function takeBack(host: Host, job: Submission, answer: Answer): Promise<Submitted> {
  let taken: boolean;
  try {
    taken = !takeHandOver(job.directory);
  } catch {
    // Neither proven to run nor to be stopped: to say that nothing runs could start it twice.
    return { id: null, note: `slurm may have job ${job.id}; jig job status ${job.id} will tell` };
  }
  if (taken) return { id: null };
  withdraw(job.directory);
  await runTool(host, ["scancel", `--name=${job.id}`], {
    budget: budgetOf(ASK_SECONDS),
    env: plainEnvironment(host),
  });
  const said = saidLine(answer.stderr) || (answer.exitCode === 0 ? "sbatch named no job" : "");
  const what = answer.late ? `slurm did not answer within ${SUBMIT_SECONDS} s: ` : "slurm refused the job: ";
  throw new JigError(`${what}${said}`);
}

// Look (3.3)

const QUEUED = new Set("PENDING CONFIGURING REQUEUED REQUEUE_HOLD RESV_DEL_HOLD SPECIAL_EXIT".split(" "));
const ENDED = new Set(
  "BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED TIMEOUT".split(" "),
);

/** A line of `squeue`. */
export interface Listed {
  id: string;
  name: string;
  state: string;
  node: string;
  reason: string;
}

/** The lines of `squeue --format=%i|%j|%T|%N|%r`; others, such as a cluster's heading, are left out. */
export function parseQueue(stdout: string): Listed[] {
  return stdout.split("\n").flatMap((line) => {
    const [id, name, state, node, ...reason] = line.split("|");
    if (reason.length === 0 || !/^\d/.test(id!)) return [];
    return [{ id: id!, name: name!, state: state!, node: node!, reason: reason.join("|") }];
  });
}

async function look(
  host: Host,
  jobs: readonly OpenJob[],
  budget: Budget,
  use: (look: EngineLook, bring: () => Promise<undefined>) => Promise<void>,
): Promise<void> {
  const groups = [...Map.groupBy(jobs, ({ file }) => file.args.join(" ")).values()];
  const looks = await Promise.all(groups.map((group) => lookAtCluster(host, group, budget)));
  await use(
    {
      sightings: new Map(looks.flatMap(({ sightings }) => [...sightings])),
      notes: looks.flatMap(({ notes }) => notes),
    },
    async () => undefined,
  );
}

async function lookAtCluster(host: Host, jobs: readonly OpenJob[], budget: Budget): Promise<EngineLook> {
  const { args } = jobs[0]!.file;
  const words = [
    "squeue",
    ...args,
    `--user=${host.uid}`,
    "--states=all",
    "--noheader",
    "--format=%i|%j|%T|%N|%r",
  ];
  const answer = await runTool(host, words, { budget, env: plainEnvironment(host) });
  // A uid without a name is told so on stderr, with exit 0 and no line.
  if (answer.exitCode !== 0 || answer.stderr.includes("Invalid user")) {
    const sightings = new Map(jobs.map((job): [OpenJob, Sighting] => [job, { phase: "unknown" }]));
    return { sightings, notes: [`slurm: ${silenceOf(answer, budget)}`] };
  }
  const queue = parseQueue(answer.stdout);
  const byName = Map.groupBy(queue, ({ name }) => name);
  const byId = new Map(queue.map((listed) => [listed.id, listed]));
  const cluster = once(() => clusterName(host, args, budget));
  const sightings = new Map<OpenJob, Sighting>();
  for (const job of jobs) {
    const named = byName.get(job.id) ?? [];
    const listed = named.find(({ id }) => id === job.file.id) ?? named.at(-1);
    if (listed !== undefined) sightings.set(job, sightingOf(job, listed));
    else sightings.set(job, await unlisted(job, byId, cluster));
  }
  return { sightings, notes: [] };
}

function sightingOf({ directory }: OpenJob, { id, state, node, reason }: Listed): Sighting {
  const where = node === "" ? null : node;
  const isQueued = QUEUED.has(state) && !hasPid(directory);
  if (isQueued) return { phase: "queued", id, node: where, reason: reason === "" ? state : reason };
  if (ENDED.has(state)) return { phase: "ended", id, node: where, said: { state, node: where } };
  return { phase: "running", id, node: where };
}

/** A job that is not there by its name (the last four rows of the table). */
async function unlisted(
  { directory, file }: OpenJob,
  byId: ReadonlyMap<string, Listed>,
  cluster: () => Promise<{ name: string | undefined }>,
): Promise<Sighting> {
  const other = file.id === null ? undefined : byId.get(file.id);
  if (other !== undefined) {
    return {
      phase: "unknown",
      note: `slurm's job ${file.id} has another name (${other.name}); is it another cluster's?`,
    };
  }
  const { name } = await cluster();
  if (name === undefined) return { phase: "unknown" };
  if (file.cluster !== undefined && name !== file.cluster) {
    return { phase: "unknown", note: `it is of cluster ${file.cluster}, and ${name} was asked` };
  }
  if (file.id === null && isHandOverThere(directory)) {
    const now = freshNow(directory);
    const made = lookAt(fileIn(directory, ENGINE))?.mtimeMs;
    if (now === undefined || made === undefined || now - made <= UNANSWERED_MS)
      return { phase: "queued", node: null };
    // A supervisor that takes it in this moment runs the worker, and a later look finds it.
    return takeHandOver(directory) ? { phase: "withdrawn" } : { phase: "unknown" };
  }
  return { phase: "ended", node: null };
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

async function clusterName(host: Host, args: readonly string[], budget: Budget) {
  const answer = await runTool(host, ["scontrol", ...args, "show", "config"], {
    budget,
    env: plainEnvironment(host),
  });
  const match = answer.exitCode === 0 ? /^ClusterName\s*=\s*(\S+)/m.exec(answer.stdout) : null;
  return { name: match?.[1], answer, budget };
}

/** Without what a person set for Slurm's listings: `SQUEUE_STATES` hides jobs. */
function plainEnvironment(host: Host): Record<string, string | undefined> {
  const entries = Object.entries(readableVariables(host.env));
  return Object.fromEntries(entries.filter(([name]) => !/^(SQUEUE|SCANCEL|SACCT)_/.test(name)));
}

// Settling (3.4)

async function explain(
  host: Host,
  { id, file }: OpenJob,
  kept: JsonObject | undefined,
  budget: Budget,
): Promise<JsonObject | undefined> {
  if (file.id === null) return kept ?? {};
  const env = plainEnvironment(host);
  const shown = await runTool(host, ["scontrol", ...file.args, "show", "job", "-o", file.id], {
    budget,
    env,
  });
  if (shown.exitCode === 0) {
    const facts = parseShown(shown.stdout, id);
    if (facts !== undefined) return facts;
  } else if (!shown.stderr.includes("Invalid job id")) return kept;
  if (kept !== undefined && typeof kept["state"] === "string") return kept;
  const format = ["-X", "-n", "-P", "-o", "State,ExitCode,NodeList,JobName"];
  const accounted = await runTool(host, ["sacct", ...file.args, ...format, "-j", file.id], { budget, env });
  return (accounted.exitCode === 0 ? parseAccounted(accounted.stdout, id) : undefined) ?? kept ?? {};
}

/** The facts of a `scontrol show job -o` line, if the job is ours. */
export function parseShown(stdout: string, name: string): JsonObject | undefined {
  const field = (key: string) => new RegExp(`(?:^|\\s)${key}=(\\S*)`).exec(stdout)?.[1];
  if (field("JobName") !== name) return undefined;
  return {
    state: field("JobState") ?? null,
    code: field("ExitCode") ?? null,
    node: nodeName(field("NodeList")),
  };
}

/** The facts of a `sacct` line; its state may have more words (`CANCELLED by 0`). */
export function parseAccounted(stdout: string, name: string): JsonObject | undefined {
  for (const line of stdout.split("\n")) {
    const [state, code, node, ...rest] = line.split("|");
    if (rest.join("|") === name) return { state: state!.split(" ")[0]!, code: code!, node: nodeName(node) };
  }
  return undefined;
}

function nodeName(list: string | undefined): string | null {
  return list === undefined || list === "" || /^\(null\)$|^None assigned$/.test(list) ? null : list;
}

const ENDED_BY_SLURM = new Set(["TIMEOUT", "PREEMPTED", "CANCELLED", "DEADLINE"]);

/** The first row that holds (docs/spec/engines.md 3.4). */
function settle({ id, directory, file }: OpenJob, said: JsonObject, seen: EndedFacts): TerminalRecord {
  const text = (key: string) => (typeof said[key] === "string" ? (said[key] as string) : undefined);
  const [state, code] = [text("state"), text("code")];
  const node = text("node") ?? seen.node ?? "the node";
  const failed = (reason: string): TerminalRecord => ({ state: "failed", reason });
  const forgotten = `slurm no longer knows job ${file.id ?? id}`;
  const exit = code === undefined ? "" : `, exit ${code}`;
  switch (Number(code?.split(":")[0] ?? Number.NaN)) {
    case NO_JOB_DIRECTORY:
      return failed(
        `${directory} is not visible on ${node}; set CE_PEER_JOBS_ROOT to a directory that all nodes share`,
      );
    case NO_WORKING_DIRECTORY:
      return failed(`${file.cwd ?? "the working directory"} is not visible on ${node}`);
    case NO_JIG:
      return failed(`jig is not at ${file.jig ?? "its path"} on ${node}`);
  }
  if (seen.reapRequested) {
    const when = seen.hasPid ? "before completion" : "before it started";
    return { state: "timeout", reason: `reaped on request ${when}` };
  }
  if (state !== undefined && ENDED_BY_SLURM.has(state))
    return { state: "timeout", reason: `slurm: ${state}` };
  if (!seen.hasPid) {
    return failed(
      state === undefined
        ? `${forgotten}, and its worker never started`
        : `slurm: ${state}${exit}, before the worker started`,
    );
  }
  if (seen.evidence !== undefined) {
    if (seen.evidence > seen.resultMax) {
      return failed(`result exceeded byte cap (${seen.evidence} > ${seen.resultMax} bytes)`);
    }
    const how = state === undefined ? forgotten : `slurm: ${state}`;
    return { state: "done", reason: `worker published its result (${how})` };
  }
  const reason =
    state === undefined
      ? `${forgotten} and no record was written`
      : `slurm: ${state} on ${node}${exit}, and no record was written`;
  return { state: "died-without-result", reason };
}

// Reap (3.5)

async function stop(host: Host, job: OpenJob): Promise<string[]> {
  const { directory, file, meta } = job;
  const name = `--name=${job.id}`;
  const number = file.id === null ? [] : [file.id];
  const cancel = (...words: string[]) =>
    runTool(host, ["scancel", ...file.args, name, ...words, ...number], {
      budget: budgetOf(ASK_SECONDS),
      env: plainEnvironment(host),
    });
  const isOld = isRequestOld(directory, meta?.supervision.grace ?? graceOf(host.env));
  writeMarker(directory);
  if (takeHandOver(directory)) {
    await publish(host, directory);
    const answer = await cancel();
    if (answer.exitCode === 0 || isOver(answer)) return [];
    const why = silenceOf(answer, budgetOf(ASK_SECONDS));
    return [`job ${job.ref}: slurm may still list it (${why}); it will end as it starts`];
  }
  const answer = await (isOld ? cancel() : cancel("--batch", "--signal=TERM"));
  // The supervisor sees the marker, too, and may have ended it all by now.
  if (answer.exitCode !== 0 && !isOver(answer) && !hasRecord(directory)) {
    const why = silenceOf(answer, budgetOf(ASK_SECONDS));
    throw new JigError(
      `job ${job.ref}: slurm did not answer (${why}); the request stands and is seen within a minute`,
    );
  }
  await recordWithin(directory, Math.min(graceOf(host.env), 1) + RECORD_SECONDS);
  return [];
}

function isRequestOld(directory: string, grace: number): boolean {
  const marker = lookAt(fileIn(directory, REAP_MARKER));
  const now = marker === undefined ? undefined : freshNow(directory);
  return marker !== undefined && now !== undefined && now - marker.mtimeMs > (grace + MARKER_SECONDS) * 1000;
}

/**
 * `ESLURM_INVALID_JOB_ID` (2017) and `ESLURM_ALREADY_DONE` (2021), as much of them as an exit code holds: all that `scancel`
 * says of a job that ended after it was listed, and before it could be signalled.
 */
const SILENTLY_OVER = [2017 & 0xff, 2021 & 0xff];

/** What `scancel` says of a job that has ended. */
function isOver({ exitCode, stderr }: Answer): boolean {
  if (stderr.trim() === "" && SILENTLY_OVER.some((code) => code === exitCode)) return true;
  return /Invalid job id|already completing or completed/i.test(stderr);
}

async function publish(host: Host, directory: string): Promise<void> {
  try {
    await publishRecord(host, directory, { state: "timeout", reason: "reaped on request before it started" });
  } catch (error) {
    throw new JigError(publishFailure(error), { cause: error });
  }
}
