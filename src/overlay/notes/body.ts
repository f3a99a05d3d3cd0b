import { CONTEXT_BYTES, NOTE_BYTES, type PostedNote } from "../../kernel/shared/annotate-wire.ts";
import { byteLength, toJson } from "../page/json.ts";
import { clip } from "../target/text.ts";
import type { Anchor } from "../types.ts";

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
