import * as wire from "../../../kernel/shared/annotate-wire.ts";
import { parseObject } from "../../../kernel/text/json.ts";
import type { Connection } from "../../../runtime/serve.ts";
import { credentialOf, isSameOrigin } from "../http/guard.ts";
import { endedBody, gone, json, notFound } from "../http/reply.ts";
import { readBody } from "../http/request-body.ts";
import { queryValue } from "../http/request-path.ts";
import { encodePage } from "../screens/screen-files.ts";
import type { AnnotateSite, Call } from "../site.ts";
import { readNote, trimmed } from "./note-input.ts";
import { replyText } from "./reply-text.ts";
import type { Session } from "./session.ts";

/** One call of a gated route. */
interface GatedCall extends Call {
  /** The note a path names. */
  id: string;
}

type Route = (call: GatedCall) => Response | Promise<Response>;

/** Method and path of every gated route (docs/spec/web.md section 9). */
const ROUTES: Record<string, Route> = {
  [`GET ${wire.WAIT_PATH}`]: wait,
  [`GET ${wire.EVENTS_PATH}`]: events,
  [`POST ${wire.NOTE_PATH}`]: post,
  [`POST ${wire.SEND_PATH}`]: flush,
  [`POST ${wire.END_PATH}`]: end,
  [`GET ${wire.LIST_PATH}`]: list,
  [`POST ${wire.ACKNOWLEDGE_PATH}`]: acknowledge,
  [`POST ${wire.DOCUMENT_PATH}`]: adopt,
  [`POST ${wire.REPLY_PATH}`]: reply,
};

/** The gated route of a request, undefined when there is none. */
export function gatedRoute(method: string, path: string): { route: Route; id: string } | undefined {
  const key = `${method} ${path}`;
  if (Object.hasOwn(ROUTES, key)) return { route: ROUTES[key]!, id: "" };
  if (method !== "PATCH" && method !== "DELETE") return undefined;
  const id = path.startsWith(`${wire.LIST_PATH}/`) ? path.slice(wire.LIST_PATH.length + 1) : "";
  if (id === "" || id.includes("/")) return undefined;
  return { route: method === "PATCH" ? edit : remove, id };
}

/** Same origin, then the credential, then the route. */
export function runGated(route: Route, call: GatedCall): Response | Promise<Response> {
  const { site, annotate, request, query } = call;
  if (!isSameOrigin(request.headers, site.config.publicUrl)) {
    return json({ error: "cross-origin request refused" }, 403);
  }
  const credential = credentialOf(request.headers, query, site.port, annotate.isToken);
  if (credential === undefined || (credential === "cookie" && !isOwnDoing(route, call))) {
    return json({ error: "unauthorized" }, 401);
  }
  return route(call);
}

/**
 * Whether a request that only has the cookie was made by a page of ours (docs/spec/web.md 5.3). A browser adds the cookie
 * to what any page or worker of the address asks, so such a request names the document it comes from, whose id nobody
 * but that document was given. Programs, and browsers on plain http over a network, do not say that they are a
 * browser; there every POST still says where it comes from, but a GET may be another page's `<img>`.
 */
function isOwnDoing(route: Route, call: GatedCall): boolean {
  const { annotate, request } = call;
  // The one changes nothing and tells a page why its stream was refused, the other asks for a document's id itself.
  if (route === list || route === adopt) return true;
  const document = documentOf(call);
  if (document !== null && annotate.session.tabs.knows(document)) return true;
  if (request.headers.has("sec-fetch-site")) return false;
  return route === wait ? request.headers.has(WAIT_HEADER) : route !== events;
}

/** The id of the document a call comes from, when it says so. */
function documentOf({ request, query }: GatedCall): string | null {
  return request.headers.get(wire.DOCUMENT_HEADER) ?? queryValue(query, wire.DOCUMENT_QUERY);
}

/** Sent by `jig web wait`, which acknowledges what it got. */
const WAIT_HEADER = "x-jig-wait";

/** A page that came without the cookie, by a link of another site, shows that it has it. */
function adopt(call: GatedCall): Response {
  const known = call.annotate.session.tabs.adopt(documentOf(call) ?? "");
  return known ? json({ ok: true }) : json({ error: "unknown document" }, 404);
}

async function wait({ site, annotate, request, connection }: GatedCall): Promise<Response> {
  const { session, changes } = annotate;
  connection.hold();
  site.active();
  await changes.beforeWait(session.streams);
  return session.deliveries.wait({
    signal: request.signal,
    acknowledges: request.headers.get(WAIT_HEADER) === "1",
    waiter: request.headers.get("x-jig-waiter"),
  });
}

function events(call: GatedCall): Response {
  const { annotate, request, connection } = call;
  const { session } = annotate;
  if (session.ended !== undefined) return gone(session.ended.reason);
  const opened = session.openStream(documentOf(call), request.signal);
  if (opened === undefined) return json({ error: "too many streams" }, 503, { "retry-after": "5" });
  connection.hold();
  return opened.response;
}

async function post({ site, annotate, request, connection }: GatedCall): Promise<Response> {
  const { session } = annotate;
  const body = await readLive(session, request, connection);
  if (body instanceof Response) return body;
  const input = readNote(body, site);
  if ("detail" in input) return json({ error: "invalid annotation", detail: input.detail }, 400);
  const posted = session.post(input.record, input.clientId);
  if (posted === undefined) return json({ error: "too many annotations" }, 429);
  site.active();
  const { id, number } = posted.note.record;
  const answer: wire.PostedAnswer = {
    ok: true,
    id,
    ...(number === undefined ? {} : { number }),
    ...(posted.persisted ? {} : { persisted: false }),
  };
  return json(answer);
}

/** The body of a call on a live session: the session may also end while the body comes in. */
async function readLive(
  session: Session,
  request: Request,
  connection: Connection,
): Promise<string | Response> {
  if (session.ended !== undefined) return gone(session.ended.reason);
  // The body has a limit of its own, and an answer when it is passed.
  connection.hold();
  const body = await readBody(request);
  const ended = endOf(session);
  if (ended !== undefined) return gone(ended.reason);
  return "refusal" in body ? body.refusal : body.text;
}

// A call, so that the compiler does not carry over what it knew before the await.
function endOf(session: Session): { reason: wire.EndReason } | undefined {
  return session.ended;
}

function flush({ site, annotate }: GatedCall): Response {
  const { session } = annotate;
  if (session.ended !== undefined) return gone(session.ended.reason);
  site.active();
  session.flush();
  return json({ ok: true });
}

function end({ annotate }: GatedCall): Response {
  const { session } = annotate;
  session.end("user-ended");
  return json(endedBody(session.ended?.reason));
}

/**
 * With `?all=1` the notes of earlier servers too, and all times: what `jig web annotations` prints. A document also
 * hears whether it may do more: one that came without the cookie, by a link of another site, may not.
 */
function list(call: GatedCall): Response {
  const { annotate, query } = call;
  const { session } = annotate;
  const all = queryValue(query, "all") === "1";
  const document = documentOf(call);
  const notes = all ? session.notes.all() : session.notes.ofSession();
  const answer: wire.NoteList = {
    session: session.id,
    ended: session.ended !== undefined,
    ...(session.ended === undefined ? {} : { reason: session.ended.reason }),
    ...(document === null ? {} : { known: session.tabs.knows(document) }),
    waiting: session.agentWaiting,
    reply: session.reply ?? null,
    records: notes.map((note) => ({
      ...note.record,
      state: note.state,
      ...(all ? { created_at: note.createdAt, delivered_at: note.deliveredAt } : {}),
      page: encodePage(note.record.screen),
    })),
  };
  return json(answer);
}

async function edit({ site, annotate, request, connection, id }: GatedCall): Promise<Response> {
  const { session } = annotate;
  const body = await readLive(session, request, connection);
  if (body instanceof Response) return body;
  const note = heldNote(annotate, id);
  if (note instanceof Response) return note;
  const comment = trimmed(parseObject(body)?.["comment"]);
  if (comment === undefined) {
    return json({ error: "invalid annotation", detail: "comment must be a string that is not blank" }, 400);
  }
  site.active();
  return json(saved(session.edit(note, comment)));
}

function remove({ site, annotate, id }: GatedCall): Response {
  const note = heldNote(annotate, id);
  if (note instanceof Response) return note;
  site.active();
  return json(saved(annotate.session.remove(note)));
}

function heldNote({ session }: AnnotateSite, id: string) {
  if (session.ended !== undefined) return gone(session.ended.reason);
  const note = session.notes.find(id);
  if (note === undefined || note.earlier) return notFound();
  return note.state === "held" ? note : json({ error: "already sent" }, 409);
}

function saved(persisted: boolean) {
  return persisted ? { ok: true } : { ok: true, persisted: false };
}

function acknowledge({ annotate, query }: GatedCall): Response {
  const known = annotate.session.deliveries.acknowledge(queryValue(query, "batch") ?? "");
  return known ? json({ ok: true }) : json({ error: "unknown batch" }, 404);
}

async function reply({ annotate, request, connection }: GatedCall): Promise<Response> {
  const { session } = annotate;
  const body = await readLive(session, request, connection);
  if (body instanceof Response) return body;
  const text = replyText(parseObject(body)?.["text"]);
  if (text === undefined)
    return json({ error: "invalid reply", detail: "text must be 1 to 2000 characters" }, 400);
  session.setReply(text);
  return json({ ok: true });
}
