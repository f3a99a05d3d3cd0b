import { DOCUMENT_HEADER, DOCUMENT_QUERY, type EndReason } from "../../../kernel/shared/annotate-wire.ts";
import { gone } from "../http/reply.ts";
import { readBody } from "../http/request-body.ts";
import { queryValue } from "../http/request-path.ts";
import type { Call } from "../site.ts";
import type { Session } from "./session.ts";

/** One call of a gated route. */
export interface GatedCall extends Call {
  /** The note or image a path names. */
  id: string;
}

export type Route = (call: GatedCall) => Response | Promise<Response>;

/** The id of the document a call comes from, when it says so. */
export function documentOf({ request, query }: GatedCall): string | null {
  return request.headers.get(DOCUMENT_HEADER) ?? queryValue(query, DOCUMENT_QUERY);
}

/** The body of a call on a live session: the session may also end while the body comes in. */
export async function readLive(call: GatedCall): Promise<string | Response> {
  const { session } = call.annotate;
  if (session.ended !== undefined) return gone(session.ended.reason);
  const body = await readAny(call);
  const ended = endOf(session);
  return ended === undefined ? body : gone(ended.reason);
}

/** The body of a call that is also answered after the end. */
export async function readAny({ request, connection }: GatedCall): Promise<string | Response> {
  // The body has a limit of its own, and an answer when it is passed.
  connection.hold();
  const body = await readBody(request);
  return "refusal" in body ? body.refusal : body.text;
}

// A call, so that the compiler does not carry over what it knew before the await.
export function endOf(session: Session): { reason: EndReason } | undefined {
  return session.ended;
}

export function saved(persisted: boolean) {
  return persisted ? { ok: true } : { ok: true, persisted: false };
}
