/** What a Response is made from. */
type Body = ConstructorParameters<typeof Response>[0];

/** What a request handler is told beside the Request (docs/spec/web.md 5.1). */
export interface Connection {
  /** The client's IP address, without a port. */
  readonly address: string;
  /** Lift the idle limit from this request: it waits, or streams with long pauses. */
  hold(): void;
  /**
   * A body that the runtime sends from an open regular file by itself, with its exact length. The descriptor stays the
   * caller's until this returns a body, and is closed here after. Undefined where the runtime has no such body.
   */
  fileBody(descriptor: number, start: number, end: number): Body | undefined;
}

export type Handler = (request: Request, connection: Connection) => Response | Promise<Response>;

export interface Listener {
  readonly port: number;
  /** Requests whose response is not complete yet. */
  pending(): number;
  /** Close the socket and every connection. */
  stop(): Promise<void>;
}

export interface ListenOptions {
  /** Address or name to bind. */
  host: string;
  /** 0 for any free one. */
  port: number;
  handler: Handler;
  /** Told about errors the handler did not catch. */
  onError(error: unknown): void;
}

/** Seconds a connection may be silent between or inside requests (docs/spec/web.md 5.1). */
const IDLE_SECONDS = 10;

/** Seconds a reader of a large file may pause; a video player that pauses longer asks again by range. */
const TRANSFER_IDLE_SECONDS = 60;

/**
 * Serve HTTP/1.1 on one address. Throws the operating system's error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` …).
 * `request.signal` aborts when the client goes away before its response is complete, and never after.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  return "Bun" in globalThis ? listenBun(options) : listenDeno(options);
}

// The calls of Bun's server used here.
interface BunServer {
  port: number;
  pendingRequests: number;
  requestIP(request: Request): { address: string } | null;
  timeout(request: Request, seconds: number): void;
  stop(force: boolean): Promise<void>;
}

function listenBun({ host, port, handler, onError }: ListenOptions): Listener {
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: IDLE_SECONDS,
    // Never the runtime's own error page, which shows source.
    development: false,
    fetch(request: Request, own: unknown) {
      const connection = new BunConnection(request, own as BunServer);
      const response = handler(request, connection);
      return response instanceof Promise
        ? response.then((settled) => connection.settle(settled))
        : connection.settle(response);
    },
    error(error: unknown) {
      onError(error);
      return internalError();
    },
  }) as unknown as BunServer;
  return {
    port: server.port,
    pending: () => server.pendingRequests,
    stop: () => server.stop(true),
  };
}

/** One a request, on the hot path: a class, so that nothing but two fields is made before it is asked for. */
class BunConnection implements Connection {
  private held = false;
  private readonly request: Request;
  private readonly server: BunServer;

  constructor(request: Request, server: BunServer) {
    this.request = request;
    this.server = server;
  }

  get address(): string {
    return this.server.requestIP(this.request)?.address ?? "";
  }

  hold(): void {
    this.held = true;
    this.server.timeout(this.request, 0);
  }

  fileBody(descriptor: number, start: number, end: number): Body | undefined {
    // Only Linux can name an open file by a path that leads to that very file.
    if (process.platform !== "linux") return undefined;
    this.server.timeout(this.request, TRANSFER_IDLE_SECONDS);
    closeWhenOpenedAgain(descriptor);
    return Bun.file(`/proc/self/fd/${descriptor}`).slice(start, end) as unknown as Body;
  }

  /** A connection that waited and is kept alive must not stay without a limit. */
  settle(response: Response): Response {
    if (this.held && response.headers.get("content-type") !== "text/event-stream") {
      this.server.timeout(this.request, IDLE_SECONDS);
    }
    return response;
  }
}

const REOPEN_MS = 250;

/** The runtime opens a file body when it begins the response, right after the handler has settled. */
function closeWhenOpenedAgain(descriptor: number): void {
  setTimeout(() => {
    try {
      process.getBuiltinModule("node:fs").closeSync(descriptor);
    } catch {
      // Nothing to do: it is gone.
    }
  }, REOPEN_MS);
}

interface DenoServer {
  addr: { port: number };
  shutdown(): Promise<void>;
}

interface DenoGlobal {
  serve(
    options: object,
    handler: (request: Request, info: { remoteAddr: { hostname?: string } }) => Promise<Response>,
  ): DenoServer;
}

function listenDeno({ host, port, handler, onError }: ListenOptions): Listener {
  const deno = (globalThis as unknown as { Deno?: DenoGlobal }).Deno;
  if (deno === undefined) throw new Error("this runtime has no HTTP server; run jig with Bun or Deno");
  const cut = new AbortController();
  let pending = 0;
  const options = { hostname: host, port, signal: cut.signal, onListen() {}, onError: internalError };
  const server = deno.serve(options, async (request, info) => {
    pending++;
    const finish = once(() => pending--);
    const early = new AbortController();
    let complete = false;
    // Deno also aborts after a complete response; only an earlier abort is passed on.
    request.signal.addEventListener("abort", () => {
      finish();
      if (!complete) early.abort();
    });
    const connection: Connection = {
      address: info.remoteAddr.hostname ?? "",
      hold() {},
      fileBody: () => undefined,
    };
    try {
      const response = await handler(withSignal(request, early.signal), connection);
      return tracked(response, () => {
        complete = true;
        finish();
      });
    } catch (error) {
      onError(error);
      complete = true;
      finish();
      return internalError();
    }
  });
  return {
    port: server.addr.port,
    pending: () => pending,
    async stop() {
      cut.abort();
    },
  };
}

function internalError(): Response {
  return new Response("Internal error", {
    status: 500,
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}

function withSignal(request: Request, signal: AbortSignal): Request {
  return new Proxy(request, {
    get(target, name) {
      if (name === "signal") return signal;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Bytes handed to Deno in one go: it takes the next piece only when it has sent most of this one. */
const PIECE = 65_536;

/** The same response, with a call when the last of its body was taken. */
function tracked(response: Response, onComplete: () => void): Response {
  if (response.body === null) {
    onComplete();
    return response;
  }
  const reader = response.body.getReader();
  let rest: Uint8Array | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (rest === undefined || rest.length === 0) {
          const { done, value } = await reader.read();
          if (done) {
            onComplete();
            return controller.close();
          }
          rest = value;
        }
        controller.enqueue(rest.subarray(0, PIECE));
        rest = rest.subarray(PIECE);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
