import { JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Writer } from "../kernel/call/outcome.ts";
import { startIdentity } from "../kernel/process/index.ts";
import type { EndReason } from "../kernel/shared/annotate-wire.ts";
import { jsonText } from "../kernel/text/printable.ts";
import { sleep } from "../kernel/text/time.ts";
import { asset } from "../runtime/assets.ts";
import { jigVersion } from "../runtime/build-info.ts";
import { onTermination } from "../runtime/termination.ts";
import { addressesOf, machineName, startNotes } from "./addresses.ts";
import { type ServeOptions, timesFrom } from "./options.ts";
import type { DisplayInfo } from "./schema.ts";
import type { Clock } from "./server/config.ts";
import { makeHandler } from "./server/handler.ts";
import { type Bound, bind } from "./server/http/bind.ts";
import { startLifecycle } from "./server/lifecycle.ts";
import { makeSite } from "./server/make-site.ts";
import { openNoteStore } from "./server/notes/note-store.ts";
import type { Site } from "./server/site.ts";
import { ownName } from "./state/own-name.ts";
import { nameOf, type Owner, watchOwner } from "./state/owner.ts";
import { findServer } from "./state/ownership.ts";
import { serverLog } from "./state/server-log.ts";
import {
  makeDirectories,
  type Paths,
  pathsOf,
  readPid,
  removeFile,
  withEnd,
  withoutEnd,
  writeInfo,
  writePid,
} from "./state/state-files.ts";
import { makeControl } from "./state/windows-control.ts";

/**
 * Serve a root in this process until it is stopped (docs/spec/web.md 4.4). `ready` is called once the socket listens, the
 * files are written and the result is printed. Returns the exit code.
 */
export async function runServer(
  host: Host,
  options: ServeOptions,
  out: Writer,
  ready: () => void,
): Promise<number> {
  const paths = pathsOf(options.root);
  makeDirectories(paths, host);
  const log = serverLog(paths.log, host.now);
  const clock: Clock = { now: host.now, monotonic: () => performance.now() };
  const times = timesFrom(host.env);
  const owner = await ownerOf(host, options, log);
  const record = endRecorder(paths, log);
  const ending = makeEnding();
  onTermination(() => ending.end("stopped"));

  const store = options.annotate ? openNoteStore(paths.state, host.uid, log) : undefined;
  let port = options.port;
  let name: string | undefined;
  let active = () => {};
  const site = makeSite({
    config: {
      screens: paths.screens,
      host: options.host,
      annotate: options.annotate,
      auth: options.auth,
      allowHosts: options.allowHosts,
      publicUrl: options.publicUrl,
      machineName: await machineName(options.host),
      times,
    },
    port: () => port,
    name: () => name,
    clock,
    platform: host.platform,
    start: store?.start ?? { lastNumber: 0, earlier: [] },
    asset,
    log,
    active: () => active(),
    save: () => store?.save() ?? true,
    saveSoon: () => store?.saveSoon(),
    state: { directory: paths.state, uid: host.uid },
    ended: record.ended,
    revived: record.revived,
    control: makeControl(host, paths, () => ending.end("stopped")),
  });
  const session = site.annotate?.session;
  if (session !== undefined) store?.attach(session.notes, session.id);

  const bound = await bindLogged(options, site, log, host.env);
  port = bound.port;
  const info = await describe(host, options, paths, bound, owner, site);
  if (goesByOwnName(options, info.url)) name = ownName(paths, host.uid);
  await refuseSecond(host, paths);
  writePid(paths, host.pid);
  record.begin(info);
  log(
    `listening on ${options.host} port ${port}, ${options.annotate ? "annotate" : "default"} mode, pid ${host.pid}`,
  );
  for (const note of startNotes(host, options, info)) host.stderr(note);
  out.write(`${jsonText(info)}\n`);
  ready();

  const isWaitedFor = () => (session?.deliveries.parked ?? 0) > 0;
  const lifecycle = startLifecycle(times, clock, owner, isWaitedFor, ending.end);
  active = lifecycle.active;
  const reason = await ending.reason;
  lifecycle.stop();
  log(`shutting down: ${reason}`);
  const watched = (session?.streams.size ?? 0) > 0;
  if (session === undefined) record.ended(reason);
  else session.end(reason);
  await lastAnswers(site, bound, watched);
  await bound.stop();
  site.stop();
  store?.close();
  if (readPid(paths, host.uid) === host.pid) removeFile(paths.pid);
  log("stopped");
  return 0;
}

/** Only where `localhost` is this server on every address, and not where everybody gets the credential anyway. */
function goesByOwnName({ annotate, auth }: ServeOptions, url: string): boolean {
  return annotate && auth !== "open" && new URL(url).hostname === "localhost";
}

async function bindLogged(
  options: ServeOptions,
  site: Site,
  log: (line: string) => void,
  env: Host["env"],
): Promise<Bound> {
  try {
    return await bind(options.host, options.port, makeHandler(site), (error) => log(`error: ${error}`), env);
  } catch (error) {
    log(`error: ${error instanceof Error ? error.message : error}`);
    throw error;
  }
}

/** A start that was killed may have left a server on its way that came up only now: one a root. */
async function refuseSecond(host: Host, paths: Paths): Promise<void> {
  const other = await findServer(paths, host);
  if (other !== undefined && other.pid !== host.pid) {
    throw new JigError(`already running (pid ${other.pid})`);
  }
}

async function ownerOf(
  host: Host,
  { ownerPid }: ServeOptions,
  log: (line: string) => void,
): Promise<Owner | undefined> {
  if (typeof ownerPid !== "number") {
    log("owner: none; watching no process");
    return undefined;
  }
  const owner = await watchOwner(ownerPid);
  if (owner === undefined) log(`owner ${ownerPid} does not run; watching no process`);
  else log(`owner: pid ${ownerPid}, ${await nameOf(ownerPid, host)}`);
  return owner;
}

/** The one moment a server decides to exit; the first reason counts. */
function makeEnding(): { reason: Promise<EndReason>; end(reason: EndReason): void } {
  let end!: (reason: EndReason) => void;
  const reason = new Promise<EndReason>((resolve) => {
    end = resolve;
  });
  return { reason, end };
}

/** Writes the info file, and how the session ended once it has. */
function endRecorder(paths: Paths, log: (line: string) => void) {
  let info: DisplayInfo | undefined;
  return {
    begin(first: DisplayInfo) {
      info = first;
      writeInfo(paths, info);
    },
    ended(reason: EndReason) {
      log(`session ended: ${reason}`);
      // `wait` and `status` go on telling the first reason.
      if (info === undefined || info.session_ended) return;
      info = withEnd(info, reason);
      try {
        writeInfo(paths, info);
      } catch (error) {
        log(`error: the end of the session cannot be recorded: ${error}`);
      }
    },
    revived() {
      log("session goes on: a tab was opened again");
      if (info === undefined) return;
      info = withoutEnd(info);
      try {
        writeInfo(paths, info);
      } catch (error) {
        log(`error: that the session goes on cannot be recorded: ${error}`);
      }
    },
  };
}

async function describe(
  host: Host,
  options: ServeOptions,
  paths: Paths,
  bound: Bound,
  owner: Owner | undefined,
  site: Site,
): Promise<DisplayInfo> {
  const token = site.annotate?.token;
  const { url, authorize_url, urls } = await addressesOf(options, bound.port, bound.sixTaken, token);
  const stamp = await startIdentity(host.pid);
  return {
    status: "running",
    root: options.root,
    host: options.host,
    port: bound.port,
    url,
    screen_dir: paths.screens,
    state_dir: paths.state,
    pid: host.pid,
    owner_pid: owner?.pid ?? null,
    ...(token === undefined ? {} : { token, annotate: true }),
    ...(authorize_url === undefined ? {} : { authorize_url }),
    ...(urls === undefined ? {} : { urls }),
    ...(stamp === undefined ? {} : { pid_start: stamp }),
    started_at: new Date(host.now()).toISOString(),
    jig_version: jigVersion(),
  };
}

/** Milliseconds for the last answers to reach their clients (docs/spec/web.md 13.3). */
const LAST_ANSWERS_MS = 1500;
/** Of these, for agents that just got a batch to acknowledge it. */
const ACKNOWLEDGE_MS = 1000;
/** Of these, for browsers that heard of the end to ask why: the frame does not say. */
const ASK_WHY_MS = 250;

async function lastAnswers(site: Site, bound: Bound, watched: boolean): Promise<void> {
  const { monotonic } = site.clock;
  const started = monotonic();
  const deliveries = site.annotate?.session.deliveries;
  while ((deliveries?.leases ?? 0) > 0 && monotonic() - started < ACKNOWLEDGE_MS) await sleep(10);
  deliveries?.stop();
  if (watched) await sleep(ASK_WHY_MS);
  do await sleep(10);
  while (bound.pending() > 0 && monotonic() - started < LAST_ANSWERS_MS);
}
