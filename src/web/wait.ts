import { EXIT, JigError, unwritable } from "../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../kernel/call/host.ts";
import type { Writer } from "../kernel/call/outcome.ts";
import { isAlive } from "../kernel/process/index.ts";
import { ACKNOWLEDGE_PATH, REPLY_PATH, WAIT_PATH } from "../kernel/shared/annotate-wire.ts";
import { printableJson } from "../kernel/text/printable.ts";
import { sleep } from "../kernel/text/time.ts";
import { type Answer, AnswerTooLarge, request, TransportError } from "./client.ts";
import { replyOf, rootOf, type WebFlags } from "./options.ts";
import type { DisplayInfo } from "./schema.ts";
import { endedBody } from "./server/http/reply.ts";
import { type Owner, resolveOwner, watchOwner } from "./state/owner.ts";
import { findServer } from "./state/ownership.ts";
import { UnsafeState } from "./state/state-directory.ts";
import { type Paths, pathsOf, readEnd } from "./state/state-files.ts";
import { deliverStored } from "./wait-offline.ts";

/** Everything but a batch, an end, or time that is up. */
const CANNOT = EXIT.usage;
const ENDED = EXIT.failed;

const RETRY_MS = 1000;
const RETRIES = 3;
/** Milliseconds for a short request: a reply, an acknowledgement. */
const SHORT_MS = 10_000;

/** A timer set for longer fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Milliseconds between two looks at whether the program that started this wait lives. */
const STARTER_LOOK_MS = 1000;

/** What stops a wait before the server answers: a signal, its own `--timeout`, or that nobody reads it any more. */
interface Limits {
  interruption: AbortSignal;
  /** The program that started this wait; undefined where it cannot be told. */
  starter: Owner | undefined;
  /** Aborts for any of them. */
  signal: AbortSignal;
}

/**
 * Block until there is a batch of notes, or the session has ended (docs/spec/web.md 4.6). A batch is acknowledged only after
 * it is written, so that a killed wait loses nothing.
 */
export async function wait(host: Host, flags: WebFlags, out: Writer): Promise<number> {
  const root = rootOf(host, flags, CANNOT);
  const reply = replyOf(flags);
  const paths = pathsOf(root);
  const interruption = host.interruption();
  const stop = new AbortController();
  interruption.addEventListener("abort", () => stop.abort());
  const started = await resolveOwner(host);
  const starter = started === null ? undefined : await watchOwner(started);
  // Existence is cheap to ask; whether it is still the same process is asked before anything is handed over.
  const look = setInterval(() => {
    if (starter !== undefined && !isAlive(starter.pid)) stop.abort();
  }, STARTER_LOOK_MS);
  const { timeout } = flags;
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => stop.abort(), Math.min(timeout * 1000, LONGEST_TIMER_MS));
  try {
    return await waitUntil(host, paths, out, reply, { interruption, starter, signal: stop.signal });
  } catch (error) {
    if (error instanceof UnsafeState) throw cannot(error.message, error.hint);
    throw error;
  } finally {
    clearTimeout(timer);
    clearInterval(look);
  }
}

async function waitUntil(
  host: Host,
  paths: Paths,
  out: Writer,
  reply: string | undefined,
  limits: Limits,
): Promise<number> {
  let unsent = reply;
  let failures = 0;
  let refused: string | undefined;
  const waiter = globalThis.crypto.randomUUID();
  while (!limits.signal.aborted) {
    const server = await findServer(paths, host);
    if (server === undefined) {
      await refuseOrphan(limits);
      return withoutServer(host, paths, out);
    }
    const info = annotateInfo(server.info, paths);
    if (unsent !== undefined) await sendReply(host, info, unsent);
    unsent = undefined;
    const answer = await ask(info, waiter, limits);
    if (answer === "aborted") break;
    if (answer instanceof TransportError) {
      if (answer instanceof AnswerTooLarge || failures++ === RETRIES)
        throw cannot(`the server does not answer: ${answer.message}`);
      await sleep(RETRY_MS, limits.signal);
      continue;
    }
    failures = 0;
    if (answer.status !== 204) await refuseOrphan(limits);
    if (answer.status === 200) return printBatch(host, info, answer, out);
    if (answer.status === 409) return print(host, answer.body, out) ?? EXIT.notThisTime;
    if (answer.status === 410) return print(host, answer.body, out) ?? ENDED;
    if (answer.status === 401 && refused === undefined) {
      // The server was replaced; its new token is in the info file.
      refused = info.token ?? "";
      continue;
    }
    if (answer.status === 503) await sleep(RETRY_MS, limits.signal);
    else if (answer.status !== 204)
      throw cannot(`the server answered ${answer.status}: ${answer.body.trim()}`);
    else refused = undefined;
  }
  if (limits.interruption.aborted) return exitCodeOf(limits.interruption);
  await refuseOrphan(limits);
  return print(host, JSON.stringify({ status: "waiting" }), out) ?? EXIT.notThisTime;
}

/**
 * A wait whose host was killed must neither print nor acknowledge: its batch goes to the next one. Throws when the
 * program that started it is gone.
 */
async function refuseOrphan({ starter }: Limits): Promise<void> {
  if (starter !== undefined && (await starter.isGone())) {
    throw cannot(
      `the program that started this wait (pid ${starter.pid}) has ended; nothing was handed over`,
    );
  }
}

function cannot(message: string, hint?: string): JigError {
  return new JigError(message, { exitCode: CANNOT, ...(hint === undefined ? {} : { hint }) });
}

function annotateInfo(info: DisplayInfo | undefined, paths: Paths): DisplayInfo {
  if (info === undefined) throw cannot(`the server runs, but ${paths.info} is missing or unreadable`);
  if (info.annotate !== true)
    throw cannot(
      "Annotation is not enabled for this server",
      `jig web start --root ${paths.root} --annotate`,
    );
  return info;
}

async function ask(
  info: DisplayInfo,
  waiter: string,
  limits: Limits,
): Promise<Answer | TransportError | "aborted"> {
  try {
    return await request(info, "GET", WAIT_PATH, {
      headers: { "x-jig-wait": "1", "x-jig-waiter": waiter },
      signal: limits.signal,
    });
  } catch (error) {
    if (limits.signal.aborted) return "aborted";
    if (error instanceof TransportError) return error;
    throw error;
  }
}

async function sendReply(host: Host, info: DisplayInfo, text: string): Promise<void> {
  let problem: string | undefined;
  try {
    const { status } = await request(info, "POST", REPLY_PATH, {
      body: JSON.stringify({ text }),
      timeoutMs: SHORT_MS,
    });
    if (status !== 200) problem = `the server answered ${status}`;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  if (problem !== undefined) host.stderr(`${host.prefix}the reply was not delivered: ${problem}\n`);
}

async function printBatch(host: Host, info: DisplayInfo, answer: Answer, out: Writer): Promise<number> {
  const failed = print(host, answer.body, out);
  if (failed !== undefined) return failed;
  const batch = answer.headers.get("x-jig-batch");
  if (batch !== null) {
    try {
      await request(info, "POST", `${ACKNOWLEDGE_PATH}?batch=${encodeURIComponent(batch)}`, {
        timeoutMs: SHORT_MS,
      });
    } catch {
      // The notes come again with the next wait; their ids tell.
    }
  }
  return EXIT.done;
}

/** No server: what is stored, else how it ended, else nothing to wait for. */
async function withoutServer(host: Host, paths: Paths, out: Writer): Promise<number> {
  const delivered = await deliverStored(host, paths, (batch) => print(host, batch, out));
  if (delivered !== undefined) return delivered;
  const end = readEnd(paths, host.uid);
  if (end === undefined)
    throw cannot("Server is not running", `jig web start --root ${paths.root} --annotate`);
  return print(host, JSON.stringify(endedBody(end.reason)), out) ?? ENDED;
}

/** Write one line; the exit code when it cannot be written. */
function print(host: Host, text: string, out: Writer): number | undefined {
  try {
    out.write(`${printableJson(text.trim())}\n`);
    return undefined;
  } catch (error) {
    host.stderr(`${host.prefix}${unwritable(error)}\n`);
    return CANNOT;
  }
}
