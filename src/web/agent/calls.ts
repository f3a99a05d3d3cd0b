import { EXIT, JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { ASK_PATH, OUTCOMES_PATH, REPLY_PATH } from "../../kernel/shared/annotate-wire.ts";
import { isObject, parseObject } from "../../kernel/text/json.ts";
import { printable } from "../../kernel/text/printable.ts";
import { type Answer, request, TransportError } from "../client.ts";
import type { DisplayInfo } from "../schema.ts";
import type { GivenOutcome, GivenQuestion } from "./words.ts";

/** Milliseconds for a short request: a reply, an acknowledgement. */
export const SHORT_MS = 10_000;

/**
 * Say what was done about notes, before anything else (docs/spec/web.md 4.6). A server of an earlier edition does not know
 * the question: a note on stderr. Throws, exit 2, when a note is not one that was delivered, or the server fails.
 */
export async function sendOutcomes(
  host: Host,
  info: DisplayInfo,
  outcomes: readonly GivenOutcome[],
): Promise<void> {
  const answer = await post(info, OUTCOMES_PATH, { outcomes });
  if (answer instanceof TransportError) throw failed(`the outcomes were not delivered: ${answer.message}`);
  if (answer.status === 200) return;
  if (answer.status === 404) {
    host.stderr(`${host.prefix}this server knows no outcomes; stop it and start it again to say them\n`);
    return;
  }
  throw failed(refusalOf(answer) ?? `the outcomes were not delivered: the server answered ${answer.status}`);
}

/** `note 99: unknown`, or what else a refusal says. */
export function refusalOf({ body }: Pick<Answer, "body">): string | undefined {
  const data = parseObject(body);
  const { notes, detail, error } = data ?? {};
  if (isObject(notes))
    return Object.entries(notes)
      .map(([name, why]) => `note ${printable(name)}: ${printable(String(why))}`)
      .join("; ");
  const said = typeof detail === "string" ? detail : error;
  return typeof said === "string" ? printable(said) : undefined;
}

/** A reply that cannot be delivered is a note on stderr; waiting goes on. */
export async function sendReply(host: Host, info: DisplayInfo, text: string): Promise<void> {
  const problem = problemOf(await post(info, REPLY_PATH, { text }));
  if (problem !== undefined) host.stderr(`${host.prefix}the reply was not delivered: ${problem}\n`);
}

/** Ask the person; the question's id, or undefined, and a note on stderr, when it could not be asked. */
export async function sendQuestion(
  host: Host,
  info: DisplayInfo,
  ask: GivenQuestion,
): Promise<string | undefined> {
  const answer = await post(info, ASK_PATH, ask);
  const problem = problemOf(answer);
  const id = answer instanceof TransportError ? undefined : parseObject(answer.body)?.["id"];
  if (problem === undefined && typeof id === "string") return id;
  host.stderr(`${host.prefix}the question was not asked: ${problem ?? "the server gave no id"}\n`);
  return undefined;
}

function problemOf(answer: Answer | TransportError): string | undefined {
  if (answer instanceof TransportError) return answer.message;
  return answer.status === 200 ? undefined : `the server answered ${answer.status}`;
}

/** One short call of the agent's, its failure as a value. */
export async function post(info: DisplayInfo, path: string, body: unknown): Promise<Answer | TransportError> {
  try {
    return await request(info, "POST", path, { body: JSON.stringify(body), timeoutMs: SHORT_MS });
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

function failed(message: string): JigError {
  return new JigError(message, { exitCode: EXIT.usage });
}
