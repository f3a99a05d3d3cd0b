import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { readableVariables } from "../kernel/call/environment.ts";
import { JigError, unwritable } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Writer } from "../kernel/call/outcome.ts";
import { LockTimeout, withKernelLock } from "../kernel/files/lock.ts";
import { type DetachedProcess, spawnDetached } from "../kernel/process/detached.ts";
import { isRunning, signalProcess, startedAt, startIdentity } from "../kernel/process/index.ts";
import { refuseFleeting } from "../kernel/shared/refuse-fleeting.ts";
import { jsonText } from "../kernel/text/printable.ts";
import { shellWord } from "../kernel/text/shell-word.ts";
import { sleep } from "../kernel/text/time.ts";
import { selfCommand, withoutRuntimeSwitches } from "../runtime/self.ts";
import { startNotes } from "./addresses.ts";
import { type ServeOptions, serveOptions, type WebFlags } from "./options.ts";
import { reuseNote } from "./reuse-note.ts";
import { runServer } from "./run-server.ts";
import type { DisplayInfo } from "./schema.ts";
import { isLoopbackBind } from "./server/http/host-header.ts";
import { isUndelivered } from "./server/notes/notes.ts";
import { readNotes } from "./state/notes-file.ts";
import { resolveOwner } from "./state/owner.ts";
import { findServer } from "./state/ownership.ts";
import { rotateLog } from "./state/server-log.ts";
import { makeDirectories, type Paths, pathsOf, readInfo, removeFile } from "./state/state-files.ts";
import { LOCK_MS, stopServer } from "./stop.ts";

const POLL_MS = 50;
const START_MS = 5000;

/** Have a server for a root: the running one of the same mode, or a new one (docs/spec/web.md 4.2). */
export async function start(host: Host, flags: WebFlags, out: Writer): Promise<number> {
  const asked = serveOptions(host, flags);
  const paths = pathsOf(asked.root);
  makeDirectories(paths, host);
  const options = { ...asked, ownerPid: asked.ownerPid ?? (await resolveOwner(host)) ?? "none" } as const;
  let here: Running | undefined;
  let shown: DisplayInfo | undefined;
  try {
    // In the foreground the lock is held until the server listens, no longer.
    await withKernelLock(
      paths.lock,
      async () => {
        shown = await reuse(host, paths, flags, options, out);
        if (shown !== undefined) return;
        if (!flags.foreground && !flags.anyway) await refuseFleeting("server");
        removeFile(paths.pid);
        removeFile(paths.info);
        rotateLog(paths.log);
        if (flags.foreground) {
          here = await serveHere(host, options, out);
          shown = readInfo(paths, host.uid);
        } else {
          shown = await launch(host, paths, options);
          say(out, shown);
        }
      },
      { timeoutMs: LOCK_MS },
    );
  } catch (error) {
    if (error instanceof LockTimeout) throw new JigError("another start is in progress", { cause: error });
    throw error;
  }
  if (shown !== undefined) await pointOut(host, flags, options, shown);
  return here === undefined ? 0 : here.exitCode;
}

/** Lead the person to the address: by opening it, or in words where a person started the server by hand. */
async function pointOut(
  host: Host,
  flags: WebFlags,
  options: ServeOptions,
  info: DisplayInfo,
): Promise<void> {
  if (host.terminal("stderr").isTerminal) {
    const isPrivate = options.auth === "link" || !isLoopbackBind(options.host);
    host.stderr(`Open ${(isPrivate ? info.authorize_url : undefined) ?? info.url}\n`);
  }
  if (flags.open) await (await import("./open-browser.ts")).openInBrowser(host, info.url);
}

/** The running server when it is the one that was asked for; one that is not is ended. */
async function reuse(
  host: Host,
  paths: Paths,
  flags: WebFlags,
  options: ServeOptions,
  out: Writer,
): Promise<DisplayInfo | undefined> {
  const server = await findServer(paths, host);
  if (server === undefined) return undefined;
  const { info } = server;
  if (!fits(info, options) || (await isOrphaned(info))) {
    await stopServer(host, paths);
    if (info?.annotate === true && !options.annotate) sayWhatWaits(host, paths);
    return undefined;
  }
  const note = await reuseNote(host, flags, options, info);
  if (note !== undefined) host.stderr(`${host.prefix}${note}\n`);
  say(out, { ...info, status: "running" });
  return info;
}

/** The annotate server was replaced by one that hands over no notes. */
function sayWhatWaits(host: Host, paths: Paths): void {
  const stored = readNotes(paths.state, host.uid);
  const waiting = stored.kind === "notes" ? stored.file.records.filter(isUndelivered).length : 0;
  if (waiting === 0) return;
  const notes = waiting === 1 ? "1 note was" : `${waiting} notes were`;
  host.stderr(`${host.prefix}${notes} not handed over yet; start --annotate, then wait, gets what is kept\n`);
}

/** The server runs whether or not its address can be told. */
function say(out: Writer, info: DisplayInfo): void {
  try {
    out.write(`${jsonText(info)}\n`);
  } catch (error) {
    const hint = `the server runs at ${info.url}; jig web status --root ${shellWord(info.root)} says more`;
    throw new JigError(unwritable(error), { hint, cause: error });
  }
}

/** The same mode, and a session that goes on. */
function fits(info: DisplayInfo | undefined, options: ServeOptions): info is DisplayInfo {
  return info !== undefined && (info.annotate === true) === options.annotate && info.session_ended !== true;
}

/** Whether the owner has gone, so that the server ends at its next look: too soon for somebody who asks for one now. */
async function isOrphaned({ owner_pid: owner, pid }: DisplayInfo): Promise<boolean> {
  if (owner === null) return false;
  if (!(await isRunning(owner))) return true;
  // A process younger than the server has only the owner's number.
  const [ownerStart, serverStart] = [await startedAt(owner), await startedAt(pid)];
  return ownerStart !== undefined && serverStart !== undefined && ownerStart > serverStart;
}

/** A server in this process; the exit code comes when it has ended. */
interface Running {
  exitCode: Promise<number>;
}

/** Become the server. Settles when it listens. */
function serveHere(host: Host, options: ServeOptions, out: Writer): Promise<Running> {
  return new Promise((resolve, reject) => {
    const exitCode: Promise<number> = runServer(host, options, out, () => resolve({ exitCode }));
    exitCode.catch(reject);
  });
}

/** Start the server as a process of its own and wait until it listens. */
async function launch(host: Host, paths: Paths, options: ServeOptions): Promise<DisplayInfo> {
  const logSize = statSync(paths.log, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(paths.log, "a", 0o600);
  let child: DetachedProcess;
  try {
    child = await spawnDetached([...selfCommand(), "web", "serve", ...wordsFor(options)], {
      cwd: paths.root,
      env: withoutRuntimeSwitches(readableVariables(host.env)),
      // Its stdout holds the token, which has no place in a log.
      stdout: "ignore",
      stderr: log,
    });
  } finally {
    closeSync(log);
  }
  for (let waited = 0; waited < START_MS && !child.hasEnded(); waited += POLL_MS) {
    const info = readInfo(paths, host.uid);
    if (info?.pid === child.pid) {
      for (const note of startNotes(host, options, info)) host.stderr(note);
      return { ...info, status: "started" };
    }
    await sleep(POLL_MS);
  }
  // One that a killed start had left on its way came up first.
  const other = child.hasEnded() ? (await findServer(paths, host))?.info : undefined;
  if (fits(other, options)) return { ...other, status: "running" };
  if (!child.hasEnded()) await signalProcess(child.pid, await startIdentity(child.pid), "SIGKILL");
  const said = lastError(paths.log, logSize);
  const cause = said === undefined ? "" : `: ${said.message}`;
  throw new JigError(`Server failed to start. See ${paths.log}${cause}`, {
    ...(said?.hint === undefined ? {} : { hint: said.hint }),
  });
}

function wordsFor(options: ServeOptions): string[] {
  return [
    ...["--root", options.root, "--host", options.host, "--port", String(options.port)],
    ...["--owner-pid", String(options.ownerPid ?? "none"), "--auth", options.auth],
    ...options.allowHosts.flatMap((name) => ["--allow-host", name]),
    ...(options.publicUrl === undefined ? [] : ["--public-url", options.publicUrl.origin]),
    ...(options.annotate ? ["--annotate"] : []),
  ];
}

/** The error the child ended with, and its hint; undefined when it said nothing. */
function lastError(log: string, from: number): { message: string; hint: string | undefined } | undefined {
  const said = readFileSync(log).subarray(from).toString("utf8").split("\n");
  const at = said.findLastIndex((line) => line.startsWith(CHILD_PREFIX));
  if (at < 0) return undefined;
  const next = said[at + 1];
  const hint = next?.startsWith(HINT_PREFIX) ? next.slice(HINT_PREFIX.length) : undefined;
  return { message: said[at]!.slice(CHILD_PREFIX.length), hint };
}

/** What stands before an error of the child, which runs as plain `jig web`. */
const CHILD_PREFIX = "jig web: ";
const HINT_PREFIX = "hint: ";
