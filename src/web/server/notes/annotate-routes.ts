import * as wire from "../../../kernel/shared/annotate-wire.ts";
import { credentialOf, isSameOrigin } from "../http/guard.ts";
import { endedBody, gone, json } from "../http/reply.ts";
import { queryValue } from "../http/request-path.ts";
import { encodePage } from "../screens/screen-files.ts";
import { ask, outcomes, reply } from "./agent-routes.ts";
import { documentOf, type GatedCall, type Route } from "./gated-call.ts";
import { dropImage, sendImage, upload } from "./image-routes.ts";
import { pageOf } from "./note-input.ts";
import { edit, post, recall, remove, restore, retarget } from "./note-routes.ts";

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
  [`POST ${wire.OUTCOMES_PATH}`]: outcomes,
  [`POST ${wire.ASK_PATH}`]: ask,
  [`POST ${wire.TARGETS_PATH}`]: retarget,
  [`POST ${wire.IMAGES_PATH}`]: upload,
  [`POST ${wire.REVIVE_PATH}`]: revive,
};

/** The same for what has an id in its path, by what stands around the id. */
const ID_ROUTES: Record<string, Route> = {
  [`PATCH ${wire.LIST_PATH}/`]: edit,
  [`DELETE ${wire.LIST_PATH}/`]: remove,
  [`POST ${wire.LIST_PATH}/ /recall`]: recall,
  [`POST ${wire.LIST_PATH}/ /restore`]: restore,
  [`GET ${wire.IMAGES_PATH}/`]: sendImage,
  [`DELETE ${wire.IMAGES_PATH}/`]: dropImage,
};

/** What only an agent may ask: a screen has the person's cookie, and must not speak for it (docs/spec/web.md 9). */
const OF_AGENTS: readonly Route[] = [reply, outcomes, ask];

/** The gated route of a request, undefined when there is none. */
export function gatedRoute(method: string, path: string): { route: Route; id: string } | undefined {
  const key = `${method} ${path}`;
  if (Object.hasOwn(ROUTES, key)) return { route: ROUTES[key]!, id: "" };
  for (const collection of [wire.LIST_PATH, wire.IMAGES_PATH]) {
    if (!path.startsWith(`${collection}/`)) continue;
    const [id = "", ...rest] = path.slice(collection.length + 1).split("/");
    const shape = `${method} ${collection}/${rest.length === 0 ? "" : ` /${rest.join("/")}`}`;
    return id !== "" && Object.hasOwn(ID_ROUTES, shape) ? { route: ID_ROUTES[shape]!, id } : undefined;
  }
  return undefined;
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
  if (OF_AGENTS.includes(route)) {
    if (credential === "cookie") return json({ error: "unauthorized" }, 401);
    annotate.session.presence.heard();
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
  session.presence.heard();
  const waiter = request.headers.get("x-jig-waiter");
  if (waiter !== null) session.questions.waits(request.headers.get("x-jig-ask"));
  return session.deliveries.wait({
    signal: request.signal,
    acknowledges: request.headers.get(WAIT_HEADER) === "1",
    waiter,
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
 * With `?all=1` the notes of earlier servers too: what `jig web annotations` prints. A document also
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
    ...session.presence.current,
    reply: session.reply ?? null,
    ask: session.questions.open,
    rev: session.rev,
    records: notes.map((note) => ({
      ...note.record,
      state: note.state,
      page: encodePage(pageOf(note.record)),
      outcome: note.outcome,
      answers: [...note.answers],
      images: [...note.images],
      created_at: note.createdAt,
      delivered_at: note.deliveredAt,
    })),
  };
  return json(answer);
}

function acknowledge({ annotate, query }: GatedCall): Response {
  const known = annotate.session.deliveries.acknowledge(queryValue(query, "batch") ?? "");
  return known ? json({ ok: true }) : json({ error: "unknown batch" }, 404);
}

/** A tab that finds the session ended because all were closed goes on with it (docs/spec/web.md 12.5). */
function revive({ site, annotate }: GatedCall): Response {
  const { session } = annotate;
  if (!session.revive()) return gone(session.ended?.reason);
  site.active();
  return json({ ok: true });
}
