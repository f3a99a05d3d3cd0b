import type { Call } from "../site.ts";
import { isAuthorised } from "./guard.ts";
import { isLoopbackAddress, isLoopbackName, parseHost } from "./host-header.ts";
import { requestPath } from "./request-path.ts";

/** Browsers that look up every `*.localhost` themselves and find this machine. Safari asks the system, which may not know. */
const KNOWS_LOCAL_NAMES = /Chrome\/|\bFirefox\/(8[4-9]|9\d|\d{3})/;

/** Panes of other programs, which may let a page go nowhere but to the address they were given. */
const EMBEDDED = /\bElectron\/|; wv\)/;

/** What a proxy adds: behind one the name may lead elsewhere. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/**
 * The answer that sends a browser on this machine from `localhost` or an address to this server's own name
 * (docs/spec/web.md 8.5). A cookie of `localhost` goes to every port of it, and a worker or page that something else
 * served there shares its origin; the name belongs to this root alone. It is told only to who may have the credential.
 * Undefined when the request is to be answered where it came.
 */
export function toOwnAddress({ site, annotate, request, query, connection }: Call): Response | undefined {
  const { name } = annotate;
  const { headers } = request;
  if (name === undefined || request.method !== "GET") return undefined;
  const host = parseHost(headers.get("host"));
  if (host === undefined || !host.plain || host.name === name || !isLoopbackName(host.name)) return undefined;
  if (host.name === site.config.publicUrl?.hostname || PROXY_HEADERS.some((field) => headers.has(field))) {
    return undefined;
  }
  const browser = headers.get("user-agent") ?? "";
  if (!KNOWS_LOCAL_NAMES.test(browser) || EMBEDDED.test(browser)) return undefined;
  if (!isLoopbackAddress(connection.address)) return undefined;
  const mayKnow = site.config.auth === "auto" || isAuthorised(headers, query, site.port, annotate.isToken);
  if (!mayKnow) return undefined;
  const { path } = requestPath(request.url);
  const port = host.port === undefined ? "" : `:${host.port}`;
  return new Response(null, {
    status: 307,
    headers: {
      location: `http://${name}${port}${path}${query === "" ? "" : `?${query}`}`,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
  });
}
