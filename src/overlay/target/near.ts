import type { Near } from "../../kernel/shared/annotate-wire.ts";
import * as page from "../page/page.ts";
import { openingTag } from "./describe.ts";
import type { Sight } from "./sight.ts";
import { clip, orNull } from "./text.ts";
import { siblingsOf, thingsAround } from "./things.ts";

const ITEM_LENGTH = 200;
const BESIDE_LENGTH = 80;

/** What stands around a target, for an agent that has to find it in the source (15.7). */
export function nearOf(target: Element, sight: Sight): { near: Near; item_html: string } {
  const thing = thingsAround(target)[0]!;
  const siblings = siblingsOf(thing);
  const at = siblings.indexOf(thing);
  const said = (element: Element | undefined, length: number) =>
    element === undefined ? null : orNull(clip(sight.textOf(element), length));
  return {
    near: {
      item: said(thing, ITEM_LENGTH) ?? "",
      place: `${at + 1} of ${siblings.length}`,
      heading: headingBefore(thing, sight),
      before: said(siblings[at - 1], BESIDE_LENGTH),
      after: said(siblings[at + 1], BESIDE_LENGTH),
    },
    item_html: openingTag(thing),
  };
}

const HEADINGS = "h1,h2,h3,h4,h5,h6,[role=heading]";
/** `Node.DOCUMENT_POSITION_PRECEDING`. */
const PRECEDING = 2;

/** The last heading that ends before a thing; inside a shadow root what comes before its host counts. */
function headingBefore(thing: Element, sight: Sight): string | null {
  let host = thing;
  while (page.rootOf(host) !== sight.document) {
    const holder = page.holderOf(host);
    if (holder === null) return null;
    host = holder;
  }
  const before = page
    .queryAll(sight.document, HEADINGS)
    .filter((heading) => (page.positionOf(host, heading) & PRECEDING) !== 0 && !page.contains(heading, host));
  const last = before[before.length - 1];
  return last === undefined ? null : orNull(clip(sight.textOf(last), BESIDE_LENGTH));
}
