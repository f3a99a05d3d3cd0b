import { connect } from "node:net";
import type { DisplayInfo } from "./schema.ts";

/** An answer of a server, whole. */
export interface Answer {
  status: number;
  /** Lower-case names. */
  headers: Map<string, string>;
  body: string;
}

/** The server could not be asked, or did not answer completely. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

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

/**
 * One request over a connection of its own. By hand rather than `fetch`, which would go through a proxy named in the
 * environment. Throws `TransportError`.
 */
export function request(
  server: Pick<DisplayInfo, "host" | "port" | "token">,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const address = reachableHost(server.host);
  const name = address.includes(":") ? `[${address}]` : address;
  const body = Buffer.from(options.body ?? "");
  const headers: Record<string, string> = {
    host: `${name}:${server.port}`,
    connection: "close",
    ...(server.token === undefined ? {} : { "x-session-token": server.token }),
    ...(method === "GET" ? {} : { "content-length": String(body.length) }),
    ...options.headers,
  };
  const lines = Object.entries(headers).map(([field, value]) => `${field}: ${value}\r\n`);
  return exchange(address, server.port, `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, body, options);
}

function exchange(
  address: string,
  port: number,
  head: string,
  body: Buffer,
  { timeoutMs, signal }: RequestOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    const chunks: Buffer[] = [];
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => fail("no answer in time"), timeoutMs);
    const abort = () => fail("interrupted");

    function finish() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      socket.destroy();
    }
    function fail(reason: string) {
      finish();
      reject(new TransportError(reason));
    }
    function succeed(answer: Answer) {
      finish();
      resolve(answer);
    }

    if (signal?.aborted) return fail("interrupted");
    signal?.addEventListener("abort", abort);
    socket.on("connect", () => {
      socket.write(head);
      if (body.length > 0) socket.write(body);
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      const answer = parseAnswer(Buffer.concat(chunks), false);
      if (answer !== undefined) succeed(answer);
    });
    socket.on("error", (error) => fail((error as { code?: string }).code ?? error.message));
    socket.on("close", () => {
      const answer = parseAnswer(Buffer.concat(chunks), true);
      if (answer === undefined) fail("the connection closed before the answer was complete");
      else succeed(answer);
    });
  });
}

/** An HTTP/1.1 answer from the bytes so far; undefined while it is not complete, or when it never will be. */
export function parseAnswer(bytes: Buffer, ended: boolean): Answer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first, ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(first ?? "");
  if (status === null) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const body = bodyOf(Number(status[1]), headers, bytes.subarray(end + 4), ended);
  return body === undefined ? undefined : { status: Number(status[1]), headers, body: body.toString("utf8") };
}

function bodyOf(
  status: number,
  headers: Map<string, string>,
  rest: Buffer,
  ended: boolean,
): Buffer | undefined {
  if (status === 204 || status === 304) return Buffer.alloc(0);
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") return unchunk(rest);
  const length = headers.get("content-length");
  if (length === undefined) return ended ? rest : undefined;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
}

function unchunk(rest: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.toString("latin1", at, lineEnd), 16);
    if (!(size >= 0) || rest.length < lineEnd + 2 + size + 2) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
