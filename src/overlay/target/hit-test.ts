import * as page from "../page/page.ts";

/** Elements that paint by themselves whatever their style. */
const REPLACED = new Set([
  ...[
    "img",
    "video",
    "canvas",
    "svg",
    "input",
    "textarea",
    "select",
    "button",
    "iframe",
    "object",
    "embed",
    "hr",
  ],
  ...["progress", "meter", "audio", "picture"],
]);

const isClear = (colour: string): boolean =>
  colour === "transparent" || /(?:,|\/)\s*0(?:\.0+)?\s*\)$/.test(colour);

/** Whether an element itself puts something on the screen at a point: a full-bleed wrapper often does not. */
function paintsAt(element: Element, x: number, y: number): boolean {
  if (REPLACED.has(page.tagOf(element)) || "ownerSVGElement" in element) return true;
  const style = getComputedStyle(element);
  if (!isClear(style.backgroundColor) || style.backgroundImage !== "none") return true;
  if (style.backdropFilter !== undefined && style.backdropFilter !== "" && style.backdropFilter !== "none")
    return true;
  return ownTextAt(element, x, y) || onBorder(element, style, x, y);
}

/** What a person presses or types into; what shows a hand under the pointer is one too. */
export const CONTROLS = "a[href],button,input,select,textarea,summary,[tabindex]";

const MAX_TEXTS = 50;

function ownTextAt(element: Element, x: number, y: number): boolean {
  const owner = page.documentOf(element);
  if (owner === null) return false;
  let looked = 0;
  for (const node of Array.from(page.childNodesOf(element))) {
    if (!page.isText(node) || node.data.trim() === "") continue;
    if (++looked > MAX_TEXTS) return false;
    const range = page.createRange(owner);
    range.selectNodeContents(node);
    for (const rect of Array.from(range.getClientRects()))
      if (x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom) return true;
  }
  return false;
}

function onBorder(element: Element, style: CSSStyleDeclaration, x: number, y: number): boolean {
  const box = page.rectOf(element);
  const side = (width: string, line: string, distance: number) =>
    line !== "none" && distance >= 0 && distance <= Number.parseFloat(width);
  return (
    side(style.borderTopWidth, style.borderTopStyle, y - box.top) ||
    side(style.borderBottomWidth, style.borderBottomStyle, box.bottom - y) ||
    side(style.borderLeftWidth, style.borderLeftStyle, x - box.left) ||
    side(style.borderRightWidth, style.borderRightStyle, box.right - x)
  );
}

function isInvisible(element: Element): boolean {
  return (
    typeof element.checkVisibility === "function" &&
    !element.checkVisibility(page.dict({ opacityProperty: true, visibilityProperty: true }))
  );
}

function isFullBleed(element: Element): boolean {
  const box = page.rectOf(element);
  const width = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
  const height = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  return width * height > (innerWidth * innerHeight) / 2;
}

/**
 * Elements at a point, topmost first, without those that show nothing there (15.4). Open shadow roots and
 * readable frames are entered; `x` and `y` are in the viewport of `root`'s document.
 */
export function elementsAt(root: page.Root, x: number, y: number): Element[] {
  const found: Element[] = [];
  const add = (element: Element) => {
    if (!found.includes(element)) found.push(element);
  };
  for (const element of page.stackAt(root, x, y)) {
    if (page.isMount(element) || page.isPageRoot(element)) continue;
    // A shadow root's stack goes on with what lies below its host.
    if (!page.isDocument(root) && page.rootOf(element) !== root) continue;
    if (isInvisible(element)) continue;
    const shadow = page.shadowOf(element);
    if (shadow !== null) for (const inner of elementsAt(shadow, x, y)) add(inner);
    const inner = page.frameDocumentOf(element);
    if (inner !== null) {
      const box = page.rectOf(element);
      const shifted = { x: x - box.x - element.clientLeft, y: y - box.y - element.clientTop };
      for (const one of elementsAt(inner, shifted.x, shifted.y)) add(one);
    }
    if (isFullBleed(element) && !paintsAt(element, x, y)) continue;
    add(element);
  }
  return found;
}

/** Whether an element takes part in what is shown; keyboard steps skip the others. */
export function isRendered(element: Element): boolean {
  if (
    page.isMount(element) ||
    /^(?:script|style|link|meta|title|head|template|noscript|br)$/.test(page.tagOf(element))
  )
    return false;
  const box = page.rectOf(element);
  return (box.width > 0 || box.height > 0) && !isInvisible(element);
}

function step(from: Element | null, next: (element: Element) => Element | null): Element | null {
  let element = from;
  while (element !== null && !isRendered(element)) element = next(element);
  return element;
}

/** The element a keyboard step leads to, or null at the end (15.3). */
export function neighbour(element: Element, direction: "up" | "down" | "left" | "right"): Element | null {
  switch (direction) {
    case "up": {
      const holder = page.holderOf(element);
      return holder === null || page.tagOf(holder) === "html" ? null : holder;
    }
    case "down": {
      const shadow = page.shadowOf(element);
      const inner = page.frameDocumentOf(element);
      const first = shadow ?? (inner === null ? element : page.bodyOf(inner)!);
      return step(page.firstChildOf(first), page.nextOf);
    }
    case "left":
      return step(page.previousOf(element), page.previousOf);
    case "right":
      return step(page.nextOf(element), page.nextOf);
  }
}

/** Where keyboard navigation begins: the hovered element, else the focused one, else the first heading in view. */
export function startingElement(hovered: Element | null): Element | null {
  if (hovered !== null && !page.isPageRoot(hovered)) return hovered;
  const focused = deepActive();
  if (focused !== null) return focused;
  const headings = page.queryAll(document, "h1,h2,h3,h4,h5,h6,[role=heading]");
  const seen = headings.find((heading) => {
    const box = page.rectOf(heading);
    return isRendered(heading) && box.bottom > 0 && box.top < innerHeight;
  });
  return seen ?? step(page.firstChildOf(page.bodyOf(document)!), page.nextOf) ?? page.bodyOf(document);
}

/** The page's focused element, inside shadow roots and frames too; null for none. */
export function deepActive(): Element | null {
  let root: page.Root = document;
  let found: Element | null = null;
  for (;;) {
    const active = page.activeOf(root);
    if (active === null || page.isPageRoot(active) || page.isMount(active)) return found;
    found = active;
    const inner: page.Root | null = page.shadowOf(active) ?? page.frameDocumentOf(active);
    if (inner === null) return found;
    root = inner;
  }
}

/** The deepest element under the pointer, as the browser's own `:hover` says. */
export function hoveredElement(): Element | null {
  let root: page.Root = document;
  let deepest: Element | null = null;
  for (;;) {
    const chain: Element[] = page.queryAll(root, ":hover").filter((element) => !page.isMount(element));
    const last: Element | undefined = chain[chain.length - 1];
    if (last === undefined) return deepest;
    deepest = last;
    const inner: page.Root | null = page.shadowOf(last) ?? page.frameDocumentOf(last);
    if (inner === null) return deepest;
    root = inner;
  }
}

/** Scroll what lies under the pointer, as the wheel would without the overlay above it; false: leave it to the browser. */
export function scrollUnder(element: Element, deltaX: number, deltaY: number): boolean {
  for (let holder: Element | null = element; holder !== null; holder = page.holderOf(holder)) {
    const top = page.documentOf(holder) === document;
    if (page.isPageRoot(holder)) {
      if (top) return false;
      const view = page.windowOf(page.documentOf(holder)!);
      if (page.tagOf(holder) === "html" && view !== null && canScrollWindow(view, holder, deltaX, deltaY)) {
        view.scrollBy(page.dict({ left: deltaX, top: deltaY, behavior: "instant" as const }));
        return true;
      }
      continue;
    }
    const style = getComputedStyle(holder);
    const scrolls = (overflow: string) => overflow === "auto" || overflow === "scroll";
    const down =
      scrolls(style.overflowY) &&
      canScroll(holder.scrollTop, holder.clientHeight, holder.scrollHeight, deltaY);
    const across =
      scrolls(style.overflowX) &&
      canScroll(holder.scrollLeft, holder.clientWidth, holder.scrollWidth, deltaX);
    if (!down && !across) continue;
    holder.scrollBy(page.dict({ left: deltaX, top: deltaY, behavior: "instant" as const }));
    return true;
  }
  return false;
}

function canScroll(position: number, size: number, content: number, delta: number): boolean {
  if (delta === 0) return false;
  return delta < 0 ? position > 0 : position + size < content - 1;
}

function canScrollWindow(view: Window, html: Element, deltaX: number, deltaY: number): boolean {
  return (
    canScroll(view.scrollY, view.innerHeight, html.scrollHeight, deltaY) ||
    canScroll(view.scrollX, view.innerWidth, html.scrollWidth, deltaX)
  );
}

/** The smallest element that encloses a region, from the element at its centre outwards; else `body`. */
export function enclosing(spot: { x: number; y: number }, holds: (element: Element) => boolean): Element {
  const body = page.bodyOf(document)!;
  for (
    let element: Element | null = elementsAt(document, spot.x, spot.y)[0] ?? null;
    element !== null;
    element = page.holderOf(element)
  ) {
    if (page.isPageRoot(element) && page.documentOf(element) === document) return body;
    // A region is drawn on the screen: a frame or shadow host it lies in counts as a whole.
    if (page.rootOf(element) === document && holds(element)) return element;
  }
  return body;
}
