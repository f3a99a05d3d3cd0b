import {
  CONTEXT_BYTES,
  NOTE_BYTES,
  type PostedNote,
  type TargetFields,
} from "../../kernel/shared/annotate-wire.ts";
import { byteLength, toJson } from "../page/json.ts";
import { clip } from "../target/text.ts";
import type { Anchor } from "../types.ts";

const sizeOf = (value: unknown): number => byteLength(toJson(value));

/** What an anchor says of its target, as it is sent: notes are posted with it, and it is refreshed after edits. */
export function targetFields(anchor: Anchor): TargetFields {
  return {
    selector: anchor.selector,
    textSnippet: anchor.textSnippet,
    rect: anchor.rect,
    point: anchor.point,
    ...(anchor.variant === null ? {} : { variant: anchor.variant }),
    context: { ...anchor.context },
  };
}

/**
 * The same, made to fit: first go `covers`, `item_html`, `html` and `near`, then further targets from the last on, then
 * texts get shorter, last goes the print (15.7). `rest` is what else the body will hold.
 */
export function fitting(anchor: Anchor, rest: number): TargetFields {
  const fields = targetFields(anchor);
  const { context } = fields;
  const fits = () => sizeOf(context) <= CONTEXT_BYTES && sizeOf(fields) + rest <= NOTE_BYTES;
  for (const name of ["covers", "item_html", "html", "near"] as const) if (!fits()) delete context[name];
  while (!fits() && context.targets !== undefined && context.targets.length > 0)
    context.targets = context.targets.slice(0, -1);
  for (let length = 500; length >= 30 && !fits(); length = Math.floor(length / 2)) {
    const { quote } = context;
    if (quote !== undefined) context.quote = { ...quote, exact: clip(quote.exact, length) };
    if (fields.textSnippet !== null) fields.textSnippet = clip(fields.textSnippet, length);
  }
  if (!fits()) delete context.print;
  return fields;
}

/** The note as it is sent. */
export function noteBody(
  anchor: Anchor,
  comment: string,
  images: readonly string[],
  clientId: string,
): PostedNote {
  const said = comment.trim();
  return {
    page: anchor.page,
    comment: said,
    ...fitting(anchor, sizeOf(said) + 1024),
    ...(images.length === 0 ? {} : { images: [...images] }),
    client_id: clientId,
  };
}
