import { EXIT, JigError, unwritable } from "../../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../../kernel/call/host.ts";
import type { Writer } from "../../kernel/call/outcome.ts";
import { isAlive } from "../../kernel/process/index.ts";
import { ACKNOWLEDGE_PATH, WAIT_PATH } from "../../kernel/shared/annotate-wire.ts";
import { isObject } from "../../kernel/text/json.ts";
import { printable, printableJson } from "../../kernel/text/printable.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { sleep } from "../../kernel/text/time.ts";
import { type Answer, AnswerTooLarge, request, TransportError } from "../client.ts";
import { rootOf, type WebFlags } from "../options.ts";
import type { DisplayInfo } from "../schema.ts";
import { endedBody } from "../server/http/reply.ts";
import { type Owner, resolveOwner, watchOwner } from "../state/owner.ts";
import { findServer } from "../state/ownership.ts";
import { UnsafeState } from "../state/state-directory.ts";
import { type Paths, pathsOf, readEnd } from "../state/state-files.ts";
import { SHORT_MS, sendOutcomes, sendQuestion, sendReply } from "./calls.ts";
import { answerStored, deliverStored } from "./wait-offline.ts";
import { type AgentWords, agentWords, type GivenQuestion } from "./words.ts";

/** Everything but a batch, an end, or time that is up. */
const CANNOT = EXIT.usage;
const ENDED = EXIT.failed;

const RETRY_MS = 1000;
const RETRIES = 3;

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

/** Of this call what the next one has to say again. */
interface Again {
  timeout: number | undefined;
  ask: GivenQuestion | undefined;
}

/**
 * Block until there is a batch of notes, or the session has ended (docs/spec/web.md 4.6). A batch is acknowledged only after
 * it is written, so that a killed wait loses nothing.
 */
export async function wait(host: Host, flags: WebFlags, out: Writer): Promise<number> {
  const root = rootOf(host, flags, CANNOT);
  const words = agentWords(flags);
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
  const again: Again = { timeout, ask: words.ask };
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => stop.abort(), Math.min(timeout * 1000, LONGEST_TIMER_MS));
  try {
    return await waitUntil(host, paths, out, words, again, { interruption, starter, signal: stop.signal });
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
  words: AgentWords,
  again: Again,
  limits: Limits,
): Promise<number> {
  let { outcomes, reply } = words;
  /** The question as the server that now runs knows it. */
  let asked: { session: string; id: string } | undefined;
  let failures = 0;
  let refused: string | undefined;
  const waiter = globalThis.crypto.randomUUID();
  while (!limits.signal.aborted) {
    const server = await findServer(paths, host);
    if (server === undefined) {
      await refuseOrphan(limits);
      if (outcomes.length > 0) await answerStored(host, paths, outcomes);
      return withoutServer(host, paths, { ...again, ask: undefined }, out);
    }
    const info = annotateInfo(server.info, paths);
    if (outcomes.length > 0) await sendOutcomes(host, info, outcomes);
    outcomes = [];
    if (reply !== undefined) await sendReply(host, info, reply);
    reply = undefined;
    if (words.ask !== undefined && asked?.session !== info.token) {
      const id = await sendQuestion(host, info, words.ask);
      // One that could not be asked is not asked again and again of the same server.
      asked = { session: info.token ?? "", id: id ?? "" };
    }
    const answer = await ask(info, waiter, asked?.id, limits);
    if (answer === "aborted") break;
    if (answer instanceof TransportError) {
      if (answer instanceof AnswerTooLarge || failures++ === RETRIES)
        throw cannot(`the server does not answer: ${answer.message}`);
      await sleep(RETRY_MS, limits.signal);
      continue;
    }
    failures = 0;
    if (answer.status !== 204) await refuseOrphan(limits);
    if (answer.status === 200) return printBatch(host, info, answer, again, out);
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
  question: string | undefined,
  limits: Limits,
): Promise<Answer | TransportError | "aborted"> {
  try {
    return await request(info, "GET", WAIT_PATH, {
      headers: {
        "x-jig-wait": "1",
        "x-jig-waiter": waiter,
        ...(question ? { "x-jig-ask": question } : {}),
      },
      signal: limits.signal,
    });
  } catch (error) {
    if (limits.signal.aborted) return "aborted";
    if (error instanceof TransportError) return error;
    throw error;
  }
}

async function printBatch(
  host: Host,
  info: DisplayInfo,
  answer: Answer,
  again: Again,
  out: Writer,
): Promise<number> {
  const failed = print(host, answer.body, out);
  if (failed !== undefined) return failed;
  sayNext(host, info.root, again, answer.body);
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

/** The next call, with the numbers filled in; upstream's name says nothing it did not say (docs/spec/web.md 4.6). */
function sayNext(host: Host, root: string, { timeout, ask }: Again, batch: string): void {
  if (host.invokedAs !== undefined) return;
  const records: unknown = JSON.parse(batch);
  if (!Array.isArray(records)) return;
  const notes = records.filter(isObject);
  const names = notes.map(({ number, id }) => (typeof number === "number" ? String(number) : String(id)));
  const call = [
    ...["jig web wait --root", shellWord(root)],
    ...(timeout === undefined ? [] : ["--timeout", String(timeout)]),
    ...["--done", printableJson(names.join(","))],
    // Without it the question would leave the page before its verdict.
    ...(ask === undefined || notes.some(isVerdict) ? [] : askWords(ask)),
  ];
  host.stderr(`next: edit the files, then ${call.join(" ")} (--declined N:TEXT, --question N:TEXT)\n`);
}

const isVerdict = ({ context }: Record<string, unknown>): boolean =>
  isObject(context) && context["kind"] === "verdict";

const askWords = ({ question, choices }: GivenQuestion): string[] => [
  ...["--ask", shellWord(printable(question))],
  ...(choices.length === 0 ? [] : ["--choices", shellWord(printable(choices.join(",")))]),
];

/** No server: what is stored, else how it ended, else nothing to wait for. */
async function withoutServer(host: Host, paths: Paths, again: Again, out: Writer): Promise<number> {
  const delivered = await deliverStored(host, paths, (batch) => {
    const failed = print(host, batch, out);
    if (failed === undefined) sayNext(host, paths.root, again, batch);
    return failed;
  });
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
