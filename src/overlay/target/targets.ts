import type { Box, Context, Kind, OtherTarget, Point } from "../../kernel/shared/annotate-wire.ts";
import { half, isCovered, roundBox, type Spot } from "../page/geometry.ts";
import * as page from "../page/page.ts";
import { now } from "../page/timers.ts";
import type { Anchor } from "../types.ts";
import { labelOf, openingTag, shownText, snippetOf } from "./describe.ts";
import { nearOf } from "./near.ts";
import { printOf } from "./print.ts";
import { linesOf } from "./quotes.ts";
import { selectorFor } from "./selector.ts";
import { createSight, type Sight } from "./sight.ts";
import { clip, ellipsis, fold, orNull } from "./text.ts";
import { thingsAround } from "./things.ts";

/** What the person pointed at. */
export interface Target {
  kind: Kind;
  element: Element;
  /** Viewport box: the element's, the region's or the selection's. */
  box: Box;
  spot: Spot;
  range: Range | null;
}

/** Top left of a document's viewport within the browser's: frames are placed by their element. */
function frameShift(element: Element): Spot {
  let x = 0;
  let y = 0;
  for (let owner = page.documentOf(element); owner !== null && owner !== document; ) {
    const frame = page.frameElementOf(owner);
    if (frame === null) break;
    const box = page.rectOf(frame);
    x += box.x + frame.clientLeft;
    y += box.y + frame.clientTop;
    owner = page.documentOf(frame);
  }
  return { x, y };
}

/** An element's box in the browser's viewport, out of any frame. */
export function boxOf(element: Element): Box {
  const { x, y, width, height } = page.rectOf(element);
  const shift = frameShift(element);
  return { x: x + shift.x, y: y + shift.y, width, height };
}

export const viewport = () => ({ width: innerWidth, height: innerHeight });

export function pointAt(spot: Spot): Point {
  return {
    x: half(spot.x),
    y: half(spot.y),
    viewportWidth: innerWidth,
    viewportHeight: innerHeight,
    scrollX: half(scrollX),
    scrollY: half(scrollY),
  };
}

/** Names of the variants around an element, outermost first. */
export function variantsOf(element: Element): string[] | null {
  const names: string[] = [];
  for (let holder: Element | null = element; holder !== null; holder = page.holderOf(holder)) {
    const name = page.attribute(holder, "data-ce-variant");
    if (name !== null && name !== "") names.unshift(name);
  }
  return names.length === 0 ? null : names;
}

interface Path {
  selector: string;
  shadow: string[];
  frame: { selector: string; page: string } | null;
}

/** Selectors from the screen's document down to an element, through frames and shadow roots (15.5). */
function pathTo(element: Element): Path {
  const inner: string[] = [];
  let current = element;
  let root = page.rootOf(current) as page.Root;
  while (!page.isDocument(root)) {
    inner.unshift(selectorFor(root, current, now));
    current = root.host;
    root = page.rootOf(current) as page.Root;
  }
  const here = selectorFor(root, current, now);
  if (root === document) return { selector: here, shadow: inner, frame: null };
  const frame = page.frameElementOf(root)!;
  const outer = pathTo(frame);
  // Of nested frames the innermost names the file to edit.
  return {
    selector: outer.selector,
    shadow: inner.length > 0 ? inner : outer.shadow,
    frame: outer.frame ?? { selector: here, page: page.windowOf(root)?.location.pathname ?? "" },
  };
}

const MAX_COVERS = 10;
const MAX_SEEN = 3000;

/** Elements at least half inside a region, outermost first; a covered element's children are not listed again. */
function coveredBy(container: Element, region: Box): Element[] {
  const found: Element[] = [];
  const queue: Element[] = [];
  const add = (parent: Element) => {
    for (let child = page.firstChildOf(parent); child !== null; child = page.nextOf(child)) queue.push(child);
  };
  add(container);
  for (let at = 0; at < queue.length && at < MAX_SEEN && found.length < MAX_COVERS; at++) {
    const element = queue[at]!;
    if (page.isMount(element)) continue;
    if (isCovered(boxOf(element), region)) found.push(element);
    else add(element);
  }
  return found;
}

/** Everything about a target that is sent with a note on it. */
export function anchorFor(target: Target, file: string, seen?: Sight): Anchor {
  const { element, kind } = target;
  const sight = seen ?? createSight(page.documentOf(element) ?? document);
  const path = pathTo(element);
  const variant = variantsOf(element);
  const context: Context = {
    kind,
    label: labelInContext(element, sight),
    html: openingTag(element),
    ...nearOf(element, sight),
    print: printOf(element, variant?.[variant.length - 1] ?? null, sight),
  };
  let textSnippet = kind === "element" ? snippetOf(element) : null;
  if (kind === "region") {
    const covered = coveredBy(element, target.box);
    textSnippet = orNull(clip(fold(covered.map((one) => shownText(one, 240)).join(" ")), 240));
    const root = page.rootOf(element) as page.Root;
    context.label = "region";
    if (covered.length > 0) context.covers = covered.map((one) => selectorFor(root, one, now));
  }
  if (kind === "text" && target.range !== null) {
    const quote = quoteOf(element, target.range);
    textSnippet = orNull(fold(quote.exact));
    context.quote = quote;
  }
  if (path.shadow.length > 0) context.shadow = path.shadow;
  if (path.frame !== null) context.frame = path.frame;
  return {
    page: file,
    selector: path.selector,
    textSnippet,
    variant,
    rect: roundBox(target.box),
    point: pointAt(target.spot),
    context,
  };
}

/** One more of the elements a note is about (15.7). */
export function otherTarget(element: Element): OtherTarget {
  const { selector, shadow, frame } = pathTo(element);
  return {
    selector,
    label: labelOf(element),
    text: shownText(element, 80),
    ...(frame === null ? {} : { frame }),
    ...(shadow.length === 0 ? {} : { shadow }),
  };
}

/** `button "Mute" in "Error rate"`: with the head of its thing, where more elements are called the same. */
function labelInContext(element: Element, sight: Sight): string {
  const label = labelOf(element);
  const own = sight.ownOf(element);
  const same = sight.pool(null).of(page.tagOf(element));
  if (same.filter((other) => sight.ownOf(other) === own).length < 2) return label;
  const heads = thingsAround(element).map((thing) => sight.headOf(thing, element));
  const head = heads.find((one) => one !== "") ?? "";
  return head === "" || head === own ? label : clip(`${label} in "${ellipsis(head, 60)}"`, 120);
}

function quoteOf(element: Element, range: Range): NonNullable<Context["quote"]> {
  // What stands around a word matters, not only what the same `<b>` holds.
  const around =
    page.closest(element, "p,li,td,th,dd,dt,blockquote,pre,h1,h2,h3,h4,h5,h6,article,section,main,div") ??
    element;
  const before = page.createRange(document);
  before.selectNodeContents(around);
  before.setEnd(range.startContainer, range.startOffset);
  const after = page.createRange(document);
  after.selectNodeContents(around);
  after.setStart(range.endContainer, range.endOffset);
  const prefix = before.toString().replace(/\s+/g, " ");
  const suffix = after.toString().replace(/\s+/g, " ");
  return {
    exact: clip(linesOf(range), 1000),
    prefix: prefix.slice(-40),
    suffix: clip(suffix, 40),
  };
}

/** What a draft or pin is kept under: one per target. */
export function targetKey(anchor: Anchor): string {
  const { kind, shadow, frame, quote } = anchor.context;
  const place =
    kind === "region" && anchor.rect !== null ? [anchor.rect.x, anchor.rect.y, anchor.rect.width] : [];
  return JSON.stringify([
    anchor.page,
    kind ?? "",
    anchor.selector,
    shadow ?? [],
    frame ?? null,
    quote ?? null,
    place,
  ]);
}
