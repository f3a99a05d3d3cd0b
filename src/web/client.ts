import { osReason } from "../kernel/call/errors.ts";
import { concatenate } from "../kernel/text/bytes.ts";
import { localFetch } from "../runtime/local-fetch.ts";
import type { DisplayInfo } from "./schema.ts";

/** An answer of a server, whole. */
export interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** The server could not be asked, or did not answer completely. */
export class TransportError extends Error {
  override readonly name: string = "TransportError";
}

/** The server sends more than any answer of it can hold; asking again changes nothing. */
export class AnswerTooLarge extends TransportError {
  override readonly name = "AnswerTooLarge";
}

/** Bytes an answer may have: as much as `annotations.json` (docs/spec/web.md 4.6). */
export const LARGEST_ANSWER = 128 << 20;

export interface RequestOptions {
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Milliseconds after which it fails; without, it waits as long as the connection lives. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Where a server bound to this `--host` value can be reached from here (docs/spec/web.md 4.6). */
export function reachableHost(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (bare === "" || bare === "0.0.0.0") return "127.0.0.1";
  return bare === "::" ? "::1" : bare;
}

/** One request over a connection of its own. Throws `TransportError`. */
export async function request(
  server: Pick<DisplayInfo, "host" | "port" | "token">,
  method: string,
  path: string,
  { headers, body, timeoutMs, signal }: RequestOptions = {},
): Promise<Answer> {
  const address = reachableHost(server.host);
  const name = address.includes(":") ? `[${address}]` : address;
  const stop = new AbortController();
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop.abort(new TransportError("no answer in time")), timeoutMs);
  const interrupt = () => stop.abort(new TransportError("interrupted"));
  signal?.addEventListener("abort", interrupt);
  if (signal?.aborted) interrupt();
  try {
    const response = await localFetch(`http://${name}:${server.port}${path}`, {
      method,
      headers: { ...(server.token === undefined ? {} : { "x-session-token": server.token }), ...headers },
      ...(body === undefined ? {} : { body }),
      signal: stop.signal,
    });
    return { status: response.status, headers: response.headers, body: await textOf(response) };
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    throw error instanceof TransportError ? error : new TransportError(osReason(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", interrupt);
  }
}

/** A body that is complete: one that its connection cut short is an error of the stream. */
async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > LARGEST_ANSWER) throw new AnswerTooLarge(`the answer is larger than ${LARGEST_ANSWER} bytes`);
    parts.push(part);
  }
  return new TextDecoder().decode(concatenate(parts));
}
