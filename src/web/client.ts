import { connect } from "node:net";
import { type Answer, answerReader, TransportError } from "./answer.ts";
import type { DisplayInfo } from "./schema.ts";

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
    const reader = answerReader();
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
    /** Give the answer, if this makes it complete. */
    function settle(read: () => Answer | undefined) {
      try {
        const answer = read();
        if (answer === undefined) return;
        finish();
        resolve(answer);
      } catch (error) {
        finish();
        reject(error);
      }
    }

    if (signal?.aborted) return fail("interrupted");
    signal?.addEventListener("abort", abort);
    socket.on("connect", () => {
      socket.write(head);
      if (body.length > 0) socket.write(body);
    });
    socket.on("data", (chunk: Buffer) => settle(() => reader.push(chunk)));
    socket.on("error", (error) => fail((error as { code?: string }).code ?? error.message));
    socket.on("close", () => settle(() => reader.end()));
  });
}
