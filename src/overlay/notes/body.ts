import { CONTEXT_BYTES, NOTE_BYTES, type PostedNote } from "../../kernel/shared/annotate-wire.ts";
import { clip } from "../target/text.ts";
import type { Anchor } from "./types.ts";

/** JSON that a page's `Array.prototype.toJSON` or `Object.prototype.toJSON` cannot change. */
export function toJson(value: unknown): string {
  return JSON.stringify(guarded(value));
}

function guarded(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : Object.create(null);
  if (Array.isArray(copy))
    for (let at = 0; at < (value as unknown[]).length; at++) copy[at] = guarded((value as unknown[])[at]);
  else for (const key of Object.keys(value)) copy[key] = guarded((value as Record<string, unknown>)[key]);
  // An own, undefined `toJSON` shadows an inherited one and is itself left out.
  Object.defineProperty(
    copy,
    "toJSON",
    Object.assign(Object.create(null), { value: undefined, enumerable: false }),
  );
  return copy;
}

export const byteLength = (text: string): number => new TextEncoder().encode(text).length;

const sizeOf = (value: unknown): number => byteLength(toJson(value));

/** The note as it is sent, made to fit: first without `covers`, then without `html`, then with shorter texts. */
export function noteBody(anchor: Anchor, comment: string, clientId: string): PostedNote {
  const body: PostedNote = {
    page: anchor.page,
    comment: comment.trim(),
    selector: anchor.selector,
    textSnippet: anchor.textSnippet,
    rect: anchor.rect,
    point: anchor.point,
    ...(anchor.variant === null ? {} : { variant: anchor.variant }),
    context: { ...anchor.context },
    client_id: clientId,
  };
  const fits = () => sizeOf(body.context) <= CONTEXT_BYTES && sizeOf(body) <= NOTE_BYTES;
  if (!fits()) delete body.context.covers;
  if (!fits()) delete body.context.html;
  for (let length = 500; length >= 30 && !fits(); length = Math.floor(length / 2)) {
    const { quote } = body.context;
    if (quote !== undefined) body.context.quote = { ...quote, exact: clip(quote.exact, length) };
    if (body.textSnippet !== null) body.textSnippet = clip(body.textSnippet, length);
  }
  return body;
}
