import { createHash } from "node:crypto";
import {
  AUTHORIZE_PATH,
  PLAIN_PARAMETER,
  PLAIN_VALUE,
  RESERVED,
  SCRIPT_PATH,
  STOP_PATH,
  STYLE_PATH,
  VERSION_PATH,
} from "../../kernel/shared/annotate-wire.ts";
import type { Connection, Handler } from "../../runtime/serve.ts";
import { CONTROL_HEADER } from "../state/windows-control.ts";
import { isHtml } from "./http/content-types.ts";
import { fileResponse, ShrunkFile } from "./http/file-response.ts";
import { secretCheck } from "./http/guard.ts";
import { makeHostCheck } from "./http/host-header.ts";
import { toOwnAddress } from "./http/own-address.ts";
import { badRequest, gone, json, notFound, text } from "./http/reply.ts";
import { queryValue, requestPath } from "./http/request-path.ts";
import { gatedRoute, runGated } from "./notes/annotate-routes.ts";
import {
  annotateDocument,
  credentials,
  defaultDocument,
  isNavigation,
  rawNewest,
  type Shown,
  versionOf,
} from "./screens/documents.ts";
import { authorizePage, escapeAttribute, NO_WORKER_PAGE, type ScriptPage } from "./screens/pages.ts";
import { decodePath } from "./screens/screen-files.ts";
import type { Call, Site } from "./site.ts";

/**
 * The whole server as a function of a Request and where it came from (docs/spec/web.md 5 to 9). It never throws: an
 * unexpected error is a 500, and the server goes on.
 */
export function makeHandler(site: Site): Handler {
  const judgeHost = makeHostCheck(site.config);

  function failed(error: unknown): Response {
    site.log(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return text("Internal error", 500);
  }

  return (request, connection) => {
    try {
      const verdict = judgeHost(request.headers.get("host"), () => connection.address);
      if (verdict.kind !== "served") return refuseHost(verdict);
      if (isWorkerScript(request.headers)) return text(NO_WORKERS, 403);
      const response = route(site, request, connection);
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (error) {
      return failed(error);
    }
  };
}

/** A service worker would outlive the preview, and see and change what is served on its port later. */
const NO_WORKERS = "Service workers are not served here.";

function isWorkerScript(headers: Headers): boolean {
  return headers.has("service-worker") || headers.get("sec-fetch-dest") === "serviceworker";
}

function refuseHost(verdict: { kind: "bad-request" } | { kind: "blocked"; name: string }): Response {
  if (verdict.kind === "bad-request") return badRequest();
  const name = escapeAttribute(verdict.name);
  return text(`Blocked host "${name}". Restart with --allow-host ${name}, or use the IP address.`, 403);
}

function route(site: Site, request: Request, connection: Connection): Response | Promise<Response> {
  const { method } = request;
  const { path, query } = requestPath(request.url);
  const { annotate } = site;
  if (annotate !== undefined) {
    const gated = gatedRoute(method, path);
    if (gated !== undefined) {
      return runGated(gated.route, { site, annotate, request, query, connection, id: gated.id });
    }
  }
  if (site.control !== undefined && method === "POST" && path === STOP_PATH) {
    return stopByControl(site.control, request);
  }
  if (method !== "GET" && method !== "HEAD") return notFound();
  const head = method === "HEAD";
  if (path === VERSION_PATH) return json(versionOf(site));
  if (isRelayed(request.headers)) return workerPage();
  if (annotate !== undefined && path.startsWith(RESERVED)) {
    return ungatedOverlay({ site, annotate, request, query, connection }, path);
  }
  if (!head) site.active();
  return annotate === undefined
    ? plainPage(site, request, path, connection)
    : annotatePage({ site, annotate, request, query, connection }, path);
}

function plainPage(
  site: Site,
  request: Request,
  path: string,
  connection: Connection,
): Response | Promise<Response> {
  if (path === "/") return defaultDocument(site, request.method === "HEAD");
  const decoded = decodePath(path);
  if (decoded === undefined) return badRequest();
  return staticFile(site, request, decoded, connection, true) ?? notFound();
}

function annotatePage(call: Call, path: string): Response | Promise<Response> {
  const { site, request, query, connection } = call;
  const navigation = isNavigation(request.headers) && queryValue(query, PLAIN_PARAMETER) !== PLAIN_VALUE;
  const document = (shown: Shown) => annotateDocument(call, shown);
  if (path === "/")
    return navigation ? document({ kind: "newest" }) : rawNewest(site, request.method === "HEAD");
  const decoded = decodePath(path);
  if (decoded === undefined) return badRequest();
  if (navigation && isHtml(decoded) && site.files.locate(decoded) !== undefined) {
    return document({ kind: "screen", path: decoded });
  }
  const file = staticFile(site, request, decoded, connection, false);
  if (file !== undefined) return file;
  return navigation ? document({ kind: "gone" }) : notFound();
}

const ATTEMPTS = 3;

function staticFile(
  site: Site,
  request: Request,
  decoded: string,
  connection: Connection,
  revalidate: boolean,
): Response | undefined {
  for (let attempt = 1; ; attempt++) {
    const file = site.files.read(decoded);
    if (file === undefined) return undefined;
    try {
      return fileResponse(file, request, decoded, connection, revalidate);
    } catch (error) {
      // Caught between truncation and write; its new content is there in a moment.
      if (!(error instanceof ShrunkFile) || attempt === ATTEMPTS) throw error;
    }
  }
}

const ASSETS: Record<string, string> = {
  [SCRIPT_PATH]: "text/javascript; charset=utf-8",
  [STYLE_PATH]: "text/css; charset=utf-8",
};

function ungatedOverlay(call: Call, path: string): Response {
  const { site, request } = call;
  const head = request.method === "HEAD";
  if (Object.hasOwn(ASSETS, path)) {
    const bytes = site.asset(`assets/annotate/${path.slice(RESERVED.length)}`) as Uint8Array<ArrayBuffer>;
    const headers: Record<string, string> = { "content-type": ASSETS[path]!, "cache-control": "no-store" };
    if (head) headers["content-length"] = String(bytes.length);
    return new Response(head ? null : bytes, { headers });
  }
  if (path === AUTHORIZE_PATH && !head) return authorize(call);
  return notFound();
}

/** A page that a service worker asks for in the browser's stead: Chromium says what it is for, but no longer where it goes. */
function isRelayed(headers: Headers): boolean {
  return headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "empty";
}

/** It came from a worker of something that was served here before; without it the browser asks for the page itself. */
function workerPage(): Response {
  return scriptPage(NO_WORKER_PAGE);
}

function authorize(call: Call): Response {
  const { annotate, query } = call;
  if (!annotate.isToken(queryValue(query, "token") ?? "")) return text("This link is not valid.", 401);
  if (annotate.session.ended !== undefined) return gone(annotate.session.ended.reason);
  const detour = toOwnAddress(call);
  if (detour !== undefined) return detour;
  const { cookie } = credentials(call);
  return scriptPage(authorizePage(localTarget(queryValue(query, "to"))), { "set-cookie": cookie });
}

/** A page that holds nothing but a script, and may run nothing else. */
function scriptPage({ html, script }: ScriptPage, headers: Record<string, string> = {}): Response {
  const hash = createHash("sha256").update(script).digest("base64");
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": `default-src 'none'; script-src 'sha256-${hash}'`,
      ...headers,
    },
  });
}

/** A path on this server; anything that a browser could read as another address is `/`. */
export function localTarget(to: string | null): string {
  if (to === null || !to.startsWith("/")) return "/";
  // The URL standard drops tabs and line ends and reads `\` as `/`, so look at what it makes of the text.
  const url = URL.canParse(to, "http://localhost") ? new URL(to, "http://localhost") : undefined;
  if (url === undefined || url.origin !== "http://localhost" || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}

function stopByControl(control: { secret: string; stop(): void }, request: Request): Response {
  if (!secretCheck(control.secret)(request.headers.get(CONTROL_HEADER) ?? ""))
    return text("Unauthorized", 401);
  control.stop();
  return json({ ok: true });
}
