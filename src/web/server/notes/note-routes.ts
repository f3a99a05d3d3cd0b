import type { NoteImage, PostedAnswer } from "../../../kernel/shared/annotate-wire.ts";
import { isObject, type JsonObject, parseObject } from "../../../kernel/text/json.ts";
import { gone, json, notFound } from "../http/reply.ts";
import type { AnnotateSite, Site } from "../site.ts";
import { type GatedCall, readLive, saved } from "./gated-call.ts";
import { IMAGES_DETAIL, imageIds, pageOf, readNote, readTarget, trimmed } from "./note-input.ts";
import type { Note } from "./notes.ts";
import type { Session } from "./session.ts";

/** What the person's tabs do with notes (docs/spec/web.md section 9). */

const invalid = (detail: string): Response => json({ error: "invalid annotation", detail }, 400);

const IMAGE_GONE = "an image is no longer there";

export async function post(call: GatedCall): Promise<Response> {
  const { site, annotate } = call;
  const { session } = annotate;
  const body = await readLive(call);
  if (body instanceof Response) return body;
  const input = readNote(body, site);
  if ("detail" in input) return invalid(input.detail);
  const images = imagesOf(session, input.images);
  if (images === undefined) return invalid(IMAGE_GONE);
  const posted = session.post(input.record, input.clientId, images);
  if (posted === "closed") return json({ error: "question closed" }, 409);
  if (posted === "many") return json({ error: "too many annotations" }, 429);
  site.active();
  const { id, number } = posted.note.record;
  const answer: PostedAnswer = {
    ok: true,
    id,
    ...(number === undefined ? {} : { number }),
    ...(posted.persisted ? {} : { persisted: false }),
  };
  return json(answer);
}

/** The images a note names; undefined when one of them is not there. */
function imagesOf({ images }: Session, ids: readonly string[]): NoteImage[] | undefined {
  const found = ids.map((id) => images.find(id));
  return found.every((image) => image !== undefined) ? found : undefined;
}

export async function edit(call: GatedCall): Promise<Response> {
  const { site, annotate, id } = call;
  const { session } = annotate;
  const body = await readLive(call);
  if (body instanceof Response) return body;
  const note = heldNote(annotate, id);
  if (note instanceof Response) return note;
  const input = parseObject(body) ?? {};
  const comment =
    trimmed(input["comment"]) ?? (input["comment"] === undefined ? note.record.comment : undefined);
  if (comment === undefined || (input["comment"] === undefined && input["images"] === undefined))
    return invalid("comment must be a string that is not blank");
  const ids = imageIds(input["images"]);
  if (ids === undefined) return invalid(IMAGES_DETAIL);
  const images = input["images"] === undefined ? note.images : imagesOf(session, ids);
  if (images === undefined) return invalid(IMAGE_GONE);
  site.active();
  return json(saved(session.edit(note, comment, images)));
}

export function remove({ site, annotate, id }: GatedCall): Response {
  const note = heldNote(annotate, id);
  if (note instanceof Response) return note;
  site.active();
  return json(saved(annotate.session.remove(note)));
}

export function restore({ site, annotate, id }: GatedCall): Response {
  const { session } = annotate;
  if (session.ended !== undefined) return gone(session.ended.reason);
  const restored = session.restore(id);
  if (restored === undefined) return notFound();
  site.active();
  return json(saved(restored.persisted));
}

export function recall({ site, annotate, id }: GatedCall): Response {
  const note = knownNote(annotate, id);
  if (note instanceof Response) return note;
  if (note.state !== "queued" && note.state !== "held") return json({ error: "already with the agent" }, 409);
  site.active();
  return json(saved(note.state === "held" || annotate.session.recall(note)));
}

function knownNote({ session }: AnnotateSite, id: string): Note | Response {
  if (session.ended !== undefined) return gone(session.ended.reason);
  const note = session.notes.find(id);
  return note === undefined || note.earlier ? notFound() : note;
}

function heldNote(annotate: AnnotateSite, id: string): Note | Response {
  const note = knownNote(annotate, id);
  return note instanceof Response || note.state === "held" ? note : json({ error: "already sent" }, 409);
}

/** After an edit of a screen a tab says where the targets of notes are now that no agent has seen (docs/spec/web.md 15.10). */
export async function retarget(call: GatedCall): Promise<Response> {
  const { site, annotate } = call;
  const { session } = annotate;
  const body = await readLive(call);
  if (body instanceof Response) return body;
  const targets = parseObject(body)?.["targets"];
  if (!Array.isArray(targets))
    return json({ error: "invalid targets", detail: "targets must be a list" }, 400);
  const refused: string[] = [];
  const changes = targets.filter(isObject).flatMap((input) => {
    const change = changeOf(annotate, site, input);
    if (change === undefined) refused.push(String(input["id"]));
    return change ?? [];
  });
  site.active();
  return json({ ...saved(session.retarget(changes)), refused });
}

function changeOf({ session }: AnnotateSite, site: Site, input: JsonObject) {
  const note = session.notes.find(String(input["id"]));
  const selector = trimmed(input["selector"]);
  if (note === undefined || note.earlier || selector === undefined) return undefined;
  if (note.state !== "held" && note.state !== "queued") return undefined;
  const target = readTarget(input, selector, pageOf(note.record), site);
  // Without its context it would forget what it is about.
  if (target.context === undefined) return undefined;
  return { note, record: { ...note.record, ...target } };
}
