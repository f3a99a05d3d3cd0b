import type { EndedAnswer } from "../../../kernel/shared/annotate-wire.ts";

/** The few shapes of answer that are not a file or a document (docs/spec/web.md 5.1). */

/** A body longer than this is sent over a while. */
const LONG = 65_536;

/**
 * Whether the connection ends with an answer of this many bytes. Requests may stand in line on a connection, and the
 * runtime cuts an answer that is still being sent when it comes to the next but one (docs/spec/web.md 5.1): told that
 * the connection ends, it sends the answer whole, and a client asks for the rest on another.
 */
export const endsConnection = (bytes: number): boolean => bytes > LONG;

const TEXT = { "content-type": "text/plain; charset=utf-8" };
const JSON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** A JSON body on one line. */
export function json(data: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(`${JSON.stringify(data)}\n`, { status, headers: { ...JSON_HEADERS, ...headers } });
}

export function text(body: string, status: number): Response {
  return new Response(body, { status, headers: TEXT });
}

export function notFound(): Response {
  return text("Not found", 404);
}

export function badRequest(): Response {
  return text("Bad request", 400);
}

export function noContent(): Response {
  return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
}

/** To a wait of jig's in whose place a newer one waits, and what that one prints. */
export function superseded(): Response {
  return json({ status: "superseded" }, 409);
}

/** What every route of an ended session answers, and `wait` prints. */
export function endedBody(reason: string | undefined): EndedAnswer {
  return reason === undefined ? { status: "session-ended" } : { status: "session-ended", reason };
}

export function gone(reason: string | undefined): Response {
  return json(endedBody(reason), 410);
}
