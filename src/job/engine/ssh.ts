import { closeSync, fsyncSync, openSync, renameSync, rmSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { EXIT, errorCode, JigError, osReason } from "../../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../../kernel/call/host.ts";
import { writeAll } from "../../kernel/files/file-io.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { isObject, parseObject } from "../../kernel/text/json.ts";
import { printable, printableBlock } from "../../kernel/text/printable.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { shellQuote } from "../../kernel/text/shell-word.ts";
import { parseIsoSeconds } from "../../kernel/text/time.ts";
import { jigVersion } from "../../runtime/build-info.ts";
import { ENGINE, FILE_MODE, fileIn, LOG, STATUS } from "../record/directory.ts";
import { createEngineFile, replaceEngineFile } from "../record/engine-file.ts";
import { freshNow } from "../record/fresh-look.ts";
import { publishRecord } from "../record/publish.ts";
import { hasRecord, terminalState } from "../record/state.ts";
import type { JobEngine, JobMeta, SupervisorState } from "../schema.ts";
import { DEFAULT_LOG_MAX_BYTES, DEFAULT_RESULT_MAX_BYTES } from "../settings.ts";
import { type Budget, budgetOf } from "./budget.ts";
import type {
  Bring,
  Engine,
  EngineLook,
  EngineRequest,
  OpenJob,
  RemoteLogFlags,
  Sighting,
  Submission,
  Submitted,
} from "./engine.ts";
import { openShell, type RemoteShell, type Reply } from "./remote-shell.ts";
import { requireTool, saidLine, silenceOf } from "./tool.ts";
import { withdraw } from "./withdraw.ts";

const SUBMIT_SECONDS = 30;
const ASK_SECONDS = 10;
const BRING_SECONDS = 60;
/** A start that was never answered may still come for so long. */
const UNANSWERED_MS = 60_000;
const ANSWER_BYTES = 16 << 20;

const INSTALL = "curl -fsSL https://github.com/jig-tools/jig/releases/latest/download/install.sh | sh";

/** A job of the jig on another machine (docs/spec/engines.md section 4). */
export const ssh: Engine = {
  async place(host, request) {
    const { target, args } = request;
    const problem = destinationProblem(target);
    if (target === undefined || problem !== undefined) {
      return `--on ssh:DEST needs a destination as ssh takes it: ${problem}`;
    }
    requireTool(host, "ssh", "an OpenSSH client");
    return {
      meta: { kind: "ssh", dest: target },
      resultPathOf: ({ directory, resultPath }) => (resultPath === null ? null : fileIn(directory, RESULT)),
      submit: (at, job) => submit(at, job, { ...request, dest: target, args }),
    };
  },

  problemOf({ id, args, dest, jig }, jobId) {
    if (id !== null && id !== jobId) return "id is another job's";
    if (destinationProblem(dest) !== undefined) return "dest is no destination";
    if (!args.every((word) => /^-[^-]/.test(word))) return "args do not all begin with a dash";
    return typeof jig === "string" && !jig.startsWith("/") ? "jig is no absolute path" : undefined;
  },

  nameOf: ({ dest }) => dest!,
  look,
  // All that is known of a job that is gone there is that it is gone.
  explain: async () => ({}),
  settle: ({ file, id }) => ({
    state: "died-without-result",
    reason: `${file.dest} no longer has job ${id}`,
  }),
  stop,
  logs,
};

const LONGEST_DESTINATION = 1_024;

/**
 * What is wrong with `[user@]host` or `ssh://…`. Old clients hand a host's name to the shell of a `ProxyCommand` or a `Match
 * exec` as it is (CVE-2023-51385), and take a host that begins with a dash behind `user@` for an option of the next program.
 */
function destinationProblem(dest: string | undefined): string | undefined {
  if (dest === undefined || dest === "") return "it is empty";
  if (/(?:^|@|\/\/)-/.test(dest)) return "no part of it begins with a dash";
  // A backslash may stand in a user's name (a Windows domain), not in a host's.
  const bad = /[\s\p{C}'"`$;&<>|(){}]|\\(?=[^@]*$)/u.exec(dest)?.[0];
  if (bad !== undefined) return `'${printable(bad)}' cannot stand in one`;
  return dest.length > LONGEST_DESTINATION
    ? `it is longer than ${LONGEST_DESTINATION} characters`
    : undefined;
}

/** The result, once it was brought. */
const RESULT = "result";

function open(host: Host, { dest, args }: Pick<JobEngine, "dest" | "args">): Promise<RemoteShell> {
  return openShell(host, { dest: dest!, args });
}

function silenceOfShell(shell: RemoteShell, budget: Budget): string {
  return silenceOf({ stderr: shell.said(), late: shell.isLate() }, budget);
}

// Submission

interface Wanted extends EngineRequest {
  dest: string;
}

async function submit(host: Host, job: Submission, wanted: Wanted): Promise<Submitted> {
  const { dest, args } = wanted;
  const file: JobEngine = {
    kind: "ssh",
    id: null,
    args: [...args],
    dest,
    jig: null,
    result_path: job.resultPath?.given ?? null,
  };
  createEngineFile(job.directory, file);
  const budget = budgetOf(SUBMIT_SECONDS);
  const shell = await open(host, file);
  const refuse = (message: string, hint?: string): never => {
    withdraw(job.directory);
    throw new JigError(message, hint === undefined ? {} : { hint });
  };
  try {
    const options = () => ({ milliseconds: budget.left(), maxBytes: ANSWER_BYTES });
    const found = await shell.ask(findJig(wanted.remoteJig), options());
    if (found === undefined) {
      await shell.close();
      return refuse(`${printable(dest)} did not answer: ${silenceOfShell(shell, budget)}`);
    }
    const jig = parseFound(found.stdout);
    if (found.exitCode !== 0 || jig === undefined) {
      const where =
        wanted.remoteJig === undefined ? "on its PATH or in ~/.local/bin" : `at ${wanted.remoteJig}`;
      return refuse(
        `there is no jig on ${printable(dest)}, ${printable(where)}`,
        `install it there: ${INSTALL}`,
      );
    }
    if (major(jig.version) !== major(jigVersion())) {
      return refuse(
        `the jig on ${printable(dest)} is ${printable(jig.version)}, and this one ${jigVersion()}: the first number has to be the same`,
      );
    }
    file.jig = jig.path;
    // What is asked later is asked by this path, whatever becomes of the answer.
    replaceEngineFile(job.directory, file);
    const started = await shell.ask(startThere(jig.path, job, wanted.remoteCwd), options());
    if (started?.exitCode === EXIT.done) return begun(job.directory, file, job.id);
    if (started === undefined || !isRefusal(started.exitCode)) {
      await shell.close();
      return unanswered(host, job, file);
    }
    return refuse(`${printable(dest)}: ${saidLine(started.stderr) || `exit ${started.exitCode}`}`);
  } finally {
    await shell.close();
  }
}

/**
 * Codes with which nothing was started: those of `jig job start`, of a shell whose `cd` fails, and of one that cannot run the
 * program. Any other says that the start itself was ended (137: memory ran out), and perhaps behind its last step.
 */
function isRefusal(code: number): boolean {
  return (code > EXIT.done && code <= EXIT.refused) || code === 126 || code === 127;
}

function begun(directory: string, file: JobEngine, id: string): Submitted {
  try {
    replaceEngineFile(directory, { ...file, id });
  } catch {
    // The next look finds it by its name.
  }
  return { id };
}

/** The second part was sent, and nobody knows whether it was read: to say that nothing runs could start it twice. */
async function unanswered(
  host: Host,
  { id, directory, meta }: Submission,
  file: JobEngine,
): Promise<Submitted> {
  const shell = await open(host, file);
  try {
    const options = { milliseconds: ASK_SECONDS * 1000, maxBytes: ANSWER_BYTES };
    const reply = await shell.ask(
      listThere(file.jig ?? "", [{ skill: meta.skill, run: meta.run_id }]),
      options,
    );
    const listed = reply === undefined ? undefined : parseList(reply.stdout)?.get(id);
    if (listed !== undefined && listed.state !== "never-started") return begun(directory, file, id);
  } finally {
    await shell.close();
  }
  return { id: null, note: `the job may run on ${printable(file.dest!)}; jig job status ${id} will tell` };
}

/** Find jig there and print its path and version: what was given, else on PATH, else where it is installed. */
function findJig(given: string | undefined): string {
  const wanted = given === undefined ? "''" : shellQuote(given);
  return (
    `j=${wanted}; case $j in "") j=$(command -v jig) || j=$HOME/.local/bin/jig;; /*) ;; ` +
    `*/*) j=$PWD/$j;; *) j=$(command -v "$j");; esac; printf '%s\\n' "$j"; "$j" version --json`
  );
}

/** `engine.json` has the path, and is read up to a cap. */
const LONGEST_PATH = 4_096;
const LONGEST_VERSION = 100;

/** The path and the version, whatever else a `jig` that is none of ours may print. */
export function parseFound(stdout: string): { path: string; version: string } | undefined {
  const [path = "", json = ""] = stdout.split("\n");
  const version = parseObject(json)?.["version"];
  if (!path.startsWith("/") || path.length > LONGEST_PATH) return undefined;
  return typeof version === "string" && version.length <= LONGEST_VERSION ? { path, version } : undefined;
}

function major(version: string): string {
  return version.split(".")[0]!;
}

/** The same job there, under the same id, with this machine's limits, in a root that a restart leaves. */
function startThere(jig: string, { id, meta, resultPath }: Submission, cwd: string | undefined): string {
  const flag = (name: string, value: string | null | undefined) =>
    value === null || value === undefined ? [] : [`--${name}=${value}`];
  const words = [
    ...["--job-id", id, "--skill", meta.skill, "--run-id", meta.run_id, "--no-sweep"],
    ...flag("label", meta.label),
    ...flag("input-digest", meta.input_digest),
    ...flag("result-path", resultPath?.given),
  ];
  const command = [jig, "job", "start", ...words, "--", ...meta.worker_argv].map(shellQuote).join(" ");
  const directory = cwd === undefined ? '"$HOME"' : shellQuote(cwd);
  return `CDPATH= cd -- ${directory} && ${variables(meta)} ${command}`;
}

/** The settings of docs/spec/jobs.md 7.1, as assignments before a command. */
function variables({ supervision: { idle, hard, log_max, result_max, poll, grace } }: JobMeta): string {
  const values = {
    CE_PEER_IDLE_SECS: idle ?? 0,
    CE_PEER_HARD_SECS: hard,
    CE_PEER_LOG_MAX_BYTES: log_max,
    CE_PEER_RESULT_MAX_BYTES: result_max,
    CE_PEER_POLL_SECS: poll,
    CE_PEER_GRACE_SECS: grace,
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

// Look

type Run = Pick<OpenJob, "skill" | "run">;

/** A job as `job list --json` there has it. */
interface Remote {
  state: string;
  supervisor: SupervisorState | undefined;
  reason: string;
  endedAt: number | undefined;
}

function listThere(jig: string, runs: readonly Run[]): string {
  const flags = (name: string, values: readonly string[]) =>
    [...new Set(values)].flatMap((value) => [name, value]);
  const words = [
    ...flags(
      "--skill",
      runs.map(({ skill }) => skill),
    ),
    ...flags(
      "--run-id",
      runs.map(({ run }) => run),
    ),
  ];
  return [jig, "job", "list", "--json", ...words].map(shellQuote).join(" ");
}

/** The jobs of a list by their ids; undefined for anything but a whole list. */
export function parseList(stdout: string): Map<string, Remote> | undefined {
  let list: unknown;
  try {
    list = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  const found = new Map<string, Remote>();
  for (const job of list) {
    if (!isObject(job) || typeof job["job_id"] !== "string" || typeof job["state"] !== "string")
      return undefined;
    const { supervisor, reason, ended_at: ended } = job;
    found.set(job["job_id"], {
      state: job["state"],
      supervisor: ["alive", "gone", "unknown"].find((word) => word === supervisor) as
        | SupervisorState
        | undefined,
      reason: typeof reason === "string" ? reason : "",
      endedAt: typeof ended === "string" ? parseIsoSeconds(ended) : undefined,
    });
  }
  return found;
}

async function look(
  host: Host,
  jobs: readonly OpenJob[],
  budget: Budget,
  use: (look: EngineLook, bring: Bring) => Promise<void>,
): Promise<void> {
  // Jobs of one host that go by one jig are asked about in one question.
  const groups = Map.groupBy(jobs, ({ file }) => JSON.stringify([file.dest, file.args, file.jig ?? null]));
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const { file } = group[0]!;
      const shell = await open(host, file);
      try {
        const options = { milliseconds: budget.left(), signal: budget.signal, maxBytes: ANSWER_BYTES };
        const reply = await shell.ask(listThere(file.jig ?? "jig", group), options);
        const list = reply?.exitCode === 0 ? parseList(reply.stdout) : undefined;
        const sightings = new Map(group.map((job) => [job, sightingOf(job, list)]));
        if (reply === undefined) await shell.close();
        const why = list === undefined ? whyNot(reply, shell, budget) : undefined;
        const notes = why === undefined ? [] : [`${printable(file.dest!)}: ${why}`];
        await use({ sightings, notes }, bringOver(host, shell));
      } finally {
        await shell.close();
      }
    }),
  );
}

/** Why there is no list of jobs. */
function whyNot(reply: Reply | undefined, shell: RemoteShell, budget: Budget): string {
  if (reply === undefined) return silenceOfShell(shell, budget);
  if (reply.exitCode === EXIT.done) return "what it answered is no list of jobs";
  return reply.stderr === ""
    ? `jig job list exits ${reply.exitCode} there`
    : silenceOf({ stderr: reply.stderr, late: false }, budget);
}

function sightingOf(job: OpenJob, list: ReadonlyMap<string, Remote> | undefined): Sighting {
  if (list === undefined) return { phase: "unknown" };
  const { id, directory, file } = job;
  const node = file.dest!;
  const remote = list.get(id);
  if (remote === undefined) {
    if (file.id !== null) return { phase: "ended", node };
    const now = freshNow(directory);
    const made = lookAt(fileIn(directory, ENGINE))?.mtimeMs;
    const isLate = now !== undefined && made !== undefined && now - made > UNANSWERED_MS;
    return isLate ? { phase: "withdrawn" } : { phase: "unknown" };
  }
  if (remote.state === "never-started") return { phase: "withdrawn" };
  if (remote.state === "running") {
    const supervisor = remote.supervisor ?? "unknown";
    return { phase: "running", id, node, supervisor };
  }
  return terminalState(remote.state) !== undefined
    ? { phase: "arrived", node, remote }
    : { phase: "unknown" };
}

// Bring

function bringOver(host: Host, shell: RemoteShell): Bring {
  // One connection answers one question after the other.
  let before: Promise<unknown> = Promise.resolve();
  // Of a slow host the rest comes with the next look: each brings one job at least.
  const { left } = budgetOf(BRING_SECONDS);
  return (job, remote) => {
    const mine = before.then(() => (left() > 0 ? bring(host, shell, job, remote as Remote) : undefined));
    before = mine.catch(() => {});
    return mine;
  };
}

/** Result, log, reason, status: whatever is missing is tried again at the next look, and until then the job is open. */
async function bring(
  host: Host,
  shell: RemoteShell,
  job: OpenJob,
  remote: Remote,
): Promise<string | undefined> {
  const { directory, file, meta } = job;
  const state = terminalState(remote.state);
  if (state === undefined || hasRecord(directory)) return undefined;
  const words = (...verb: string[]) => wordsThere(job, verb);
  const limits = meta?.supervision;
  let note: string | undefined;
  try {
    if (remote.state === "done" && typeof file.result_path === "string") {
      const cap = limits?.result_max ?? DEFAULT_RESULT_MAX_BYTES;
      const fetched = await fetchFile(shell, words("result"), fileIn(directory, RESULT), cap);
      if (fetched === undefined) return undefined;
      if (fetched !== "")
        note = `job ${printable(job.ref)}: its result stayed on ${printable(file.dest!)}: ${fetched}`;
    }
    const cap = limits?.log_max ?? DEFAULT_LOG_MAX_BYTES;
    const log = `${words("logs", "--all")} | tail -c ${cap}`;
    if ((await fetchFile(shell, log, fileIn(directory, LOG), cap)) === undefined) return undefined;
    const published = await publishRecord(host, directory, { state, reason: remote.reason });
    if (published === "published" && remote.endedAt !== undefined) {
      // Another machine's clock is another: the job ended neither before it began here nor in the future.
      const at = Math.min(Math.max(remote.endedAt, meta?.startedAt ?? 0), host.now()) / 1000;
      utimesSync(fileIn(directory, STATUS), at, at);
    }
    return note;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return `job ${printable(job.ref)}: cannot be brought here: ${osReason(error)}`;
  }
}

/** A verb of the jig there for one job. */
function wordsThere({ file, skill, id }: OpenJob, verb: readonly string[]): string {
  return [file.jig ?? "jig", "job", ...verb, "--skill", skill, id].map(shellQuote).join(" ");
}

/**
 * Put what a command prints into a file, whole or not at all. Undefined without an answer; else why it was refused, or "".
 * Throws the operating system's error.
 */
async function fetchFile(
  shell: RemoteShell,
  command: string,
  path: string,
  cap: number,
): Promise<string | undefined> {
  const temporary = fileIn(dirname(path), `.tmp-${randomHex(8)}`);
  const descriptor = openSync(temporary, "wx", FILE_MODE);
  let size = 0;
  let failure: unknown;
  // What is over the cap, or fits on no disk, is read and dropped: the next answer comes over the same connection.
  const onData = (piece: Uint8Array) => {
    size += piece.length;
    if (size > cap || failure !== undefined) return;
    try {
      writeAll(descriptor, piece);
    } catch (error) {
      failure = error;
    }
  };
  try {
    const reply = await shell.ask(command, {
      milliseconds: BRING_SECONDS * 1000,
      maxBytes: Infinity,
      onData,
    });
    if (failure !== undefined) throw failure;
    if (reply === undefined) return undefined;
    if (reply.exitCode !== EXIT.done) return saidLine(reply.stderr) || `exit ${reply.exitCode}`;
    if (size > cap) return `it is larger than ${cap} bytes`;
    fsyncSync(descriptor);
    renameSync(temporary, path);
    return "";
  } finally {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
  }
}

// Reap and logs

async function stop(host: Host, job: OpenJob): Promise<string[]> {
  const dest = printable(job.file.dest!);
  const shell = await open(host, job.file);
  try {
    const budget = budgetOf(ASK_SECONDS);
    const options = { milliseconds: budget.left(), maxBytes: ANSWER_BYTES };
    const reply = await shell.ask(wordsThere(job, ["reap"]), options);
    if (reply === undefined) {
      await shell.close();
      const why = silenceOfShell(shell, budget);
      throw new JigError(`job ${printable(job.ref)}: ${dest} did not answer (${why}); reap it again`);
    }
    const lines = reply.stderr
      .split("\n")
      // Where the job stands is said here too, once what the other side knows has been brought.
      .filter((line) => line !== "" && !(reply.exitCode === EXIT.done && line.startsWith("jig job: reap ")))
      .map((line) => `${dest}: ${printable(line)}`);
    if (reply.exitCode === EXIT.done) return lines;
    throw new JigError(lines.join("; ") || `${dest}: exit ${reply.exitCode}`, { exitCode: reply.exitCode });
  } finally {
    await shell.close();
  }
}

/** A year: the connection, and who interrupts it, end it before. */
const LONGEST_FOLLOW_SECONDS = 31_536_000;

async function logs(
  host: Host,
  job: OpenJob,
  { tail, followSeconds, signal }: RemoteLogFlags,
  out: (piece: Uint8Array) => void,
): Promise<number> {
  const lines = tail === "all" ? ["--all"] : ["--tail", String(tail)];
  const seconds = followSeconds === undefined ? undefined : Math.min(followSeconds, LONGEST_FOLLOW_SECONDS);
  const follow = seconds === undefined ? [] : ["-f", "--max-secs", String(seconds)];
  const dest = printable(job.file.dest!);
  const shell = await open(host, job.file);
  try {
    const reply = await shell.ask(wordsThere(job, ["logs", ...lines, ...follow]), {
      milliseconds: ((seconds ?? 0) + BRING_SECONDS) * 1000,
      maxBytes: Infinity,
      onData: out,
      signal,
      endsWithConnection: seconds !== undefined,
    });
    if (reply !== undefined) {
      if (reply.stderr !== "") host.stderr(`${printableBlock(reply.stderr)}\n`);
      return reply.exitCode;
    }
    if (signal.aborted) {
      host.stderr(`${host.prefix}stopped following; job ${printable(job.ref)} continues\n`);
      return exitCodeOf(signal);
    }
    await shell.close();
    const why = silenceOfShell(shell, budgetOf(BRING_SECONDS));
    throw new JigError(`job ${printable(job.ref)}: the connection to ${dest} broke (${why})`);
  } finally {
    await shell.close();
  }
}
