import { errorCode, JigError, osReason } from "../../../kernel/call/errors.ts";
import { type Handler, type Listener, listen } from "../../../runtime/serve.ts";

/** Every socket of one server, on the same port. */
export interface Bound {
  port: number;
  /** `[::1]` on this port belongs to another process, so `localhost` may lead there. */
  sixTaken: boolean;
  pending(): number;
  stop(): Promise<void>;
}

/** Tries for a port that is free on both loopback addresses. */
const TRIES = 20;

/**
 * Listen on a `--host` value. `127.0.0.1` and `0.0.0.0` also listen on `[::1]`: browsers may take `localhost` for
 * either (docs/spec/web.md section 18). Throws `port N on HOST is already in use` or `cannot bind HOST: …`, exit 1.
 */
export async function bind(
  host: string,
  port: number,
  handler: Handler,
  onError: (error: unknown) => void,
): Promise<Bound> {
  const one = (address: string, at: number) => listen({ host: address, port: at, handler, onError });
  const both = ["127.0.0.1", "localhost", "0.0.0.0"].includes(host);
  const address = host === "localhost" ? "127.0.0.1" : host.replace(/^\[(.*)\]$/, "$1");
  for (let attempt = 1; ; attempt++) {
    let first: Listener;
    try {
      first = await one(address, port);
    } catch (error) {
      throw bindError(host, port, error);
    }
    if (!both) return combine([first], false);
    try {
      return combine([first, await one("::1", first.port)], false);
    } catch (error) {
      // Without IPv6 `localhost` can only mean the other.
      if (errorCode(error) !== "EADDRINUSE") return combine([first], false);
      if (port !== 0 || attempt === TRIES) return combine([first], true);
      await first.stop();
    }
  }
}

function combine(listeners: Listener[], sixTaken: boolean): Bound {
  return {
    port: listeners[0]!.port,
    sixTaken,
    pending: () => listeners.reduce((sum, listener) => sum + listener.pending(), 0),
    stop: async () => {
      await Promise.all(listeners.map((listener) => listener.stop()));
    },
  };
}

function bindError(host: string, port: number, error: unknown): JigError {
  if (errorCode(error) === "EADDRINUSE") {
    return new JigError(`port ${port} on ${host} is already in use`, { cause: error });
  }
  return new JigError(`cannot bind ${host}: ${osReason(error)}`, { cause: error });
}
