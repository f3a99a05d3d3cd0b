import { errorCode, JigError, osReason } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { type SocketPolicy, socketPolicy } from "../../../kernel/shared/agent-host.ts";
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
  env: Host["env"],
): Promise<Bound> {
  const one = (address: string, at: number) => listen({ host: address, port: at, handler, onError });
  const both = ["127.0.0.1", "localhost", "0.0.0.0"].includes(host);
  const address = host === "localhost" ? "127.0.0.1" : host.replace(/^\[(.*)\]$/, "$1");
  for (let attempt = 1; ; attempt++) {
    let first: Listener;
    try {
      first = await one(address, port);
    } catch (error) {
      throw bindError(host, port, error, env);
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

function bindError(host: string, port: number, error: unknown, env: Host["env"]): JigError {
  const code = errorCode(error);
  const message =
    code === "EADDRINUSE"
      ? `port ${port} on ${host} is already in use`
      : `cannot bind ${host}: ${osReason(error)}`;
  const hint = code === undefined ? undefined : nextStep(code, port, socketPolicy(env));
  return new JigError(message, { cause: error, ...(hint === undefined ? {} : { hint }) });
}

/** What to do about a socket that the system refused. */
function nextStep(code: string, port: number, policy: SocketPolicy): string | undefined {
  switch (code) {
    case "EPERM":
      return `${policy.whose} forbids servers: ${policy.remedy}`;
    case "EACCES":
      return port > 0 && port < 1024
        ? "ports below 1024 are for the system: take a higher one, or 0 for any free one"
        : "a sandbox or a security policy forbids servers here: start it outside, or let it use the network";
    case "EADDRNOTAVAIL":
      return "no interface of this machine has that address; --host 0.0.0.0 binds every one";
    case "EADDRINUSE":
      return "--port 0 takes any free one";
    default:
      return undefined;
  }
}
