import type { Anchor } from "../types.ts";
import { fold, resembles } from "./text.ts";

/** How the policy looks at a page; elements are opaque to it. */
export interface Finder<E> {
  /** The element the anchor's selectors lead to, or null. */
  bySelector(anchor: Anchor): E | null;
  textOf(element: E): string;
  tagOf(element: E): string;
  /** Elements of a tag within the variant, or on the whole screen when it is null. */
  byTag(tag: string, variant: string[] | null): E[];
}

/** The tag a note was made on, as far as it says. */
export function anchorTag(anchor: Anchor): string | null {
  const fromHtml = /^<([a-z][^\s/>]*)/i.exec(anchor.context.html ?? "");
  if (fromHtml !== null) return fromHtml[1]!.toLowerCase();
  const last = anchor.selector.split(/[\s>]+/).pop() ?? "";
  return /^[a-z][\w-]*/i.exec(last)?.[0]?.toLowerCase() ?? null;
}

/**
 * The element a note belongs to after the page changed, or null when that cannot be said (15.10 step 5):
 * a silent drift to a neighbour is worse than "target changed".
 */
export function matchAnchor<E>(anchor: Anchor, finder: Finder<E>): E | null {
  const direct = finder.bySelector(anchor);
  // A region is about a place on the page; the text inside it may change without moving it.
  if (
    direct !== null &&
    (anchor.context.kind === "region" || resembles(finder.textOf(direct), anchor.textSnippet))
  )
    return direct;
  const text = fold(anchor.textSnippet ?? "");
  const tag = direct === null ? anchorTag(anchor) : finder.tagOf(direct);
  if (text === "" || tag === null) return null;
  const scopes = anchor.variant === null ? [null] : [anchor.variant, null];
  for (const scope of scopes) {
    const same = finder.byTag(tag, scope).filter((element) => hasText(finder.textOf(element), text));
    if (same.length === 1) return same[0]!;
  }
  return null;
}

/** Snippets are cut at their limit, so a longer text may begin with one. */
function hasText(current: string, text: string): boolean {
  const now = fold(current);
  return now === text || (text.length >= 200 && now.startsWith(text));
}
