import { IMAGE_BYTES } from "../../../kernel/shared/annotate-wire.ts";
import { LIMITS } from "../config.ts";
import { gone, json, notFound } from "../http/reply.ts";
import { readBytes } from "../http/request-body.ts";
import { endOf, type GatedCall } from "./gated-call.ts";

/** Images of notes (docs/spec/web.md sections 9 and 11.4). */

const receiving = new WeakMap<object, number>();

export async function upload({ site, annotate, request, connection }: GatedCall): Promise<Response> {
  const { session } = annotate;
  if (session.ended !== undefined) return gone(session.ended.reason);
  const under = receiving.get(session) ?? 0;
  if (under >= LIMITS.uploads) return json({ error: "too many uploads" }, 503, { "retry-after": "1" });
  receiving.set(session, under + 1);
  try {
    connection.hold();
    const body = await readBytes(request, IMAGE_BYTES, LIMITS.imageTime);
    const ended = endOf(session);
    if (ended !== undefined) return gone(ended.reason);
    if ("refusal" in body) return body.refusal;
    const added = session.images.add(body.bytes);
    if ("status" in added) return json({ error: added.error }, added.status);
    site.active();
    return json(added);
  } finally {
    receiving.set(session, receiving.get(session)! - 1);
  }
}

/** What an image is sent with: whatever it contains, it is an image of this kind and runs nothing. */
const HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
};

export function sendImage({ annotate, id }: GatedCall): Response {
  const { images } = annotate.session;
  const image = images.find(id);
  const bytes = image === undefined ? undefined : images.read(image);
  if (image === undefined || bytes === undefined) return notFound();
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: { ...HEADERS, "content-type": image.type },
  });
}

/** An image that the person took away again before adding the note. */
export function dropImage({ site, annotate, id }: GatedCall): Response {
  const { session } = annotate;
  if (session.ended !== undefined) return gone(session.ended.reason);
  const image = session.images.find(id);
  if (image === undefined) return notFound();
  if (session.isNamed(id)) return json({ error: "in use" }, 409);
  session.images.remove(image);
  site.active();
  return json({ ok: true });
}
