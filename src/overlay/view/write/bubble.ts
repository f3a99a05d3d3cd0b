import type { App } from "../../app.ts";
import { canAnnotate } from "../../can-annotate.ts";
import { button, h, handle, icon, putAt, setHidden, sizeOf } from "../../page/dom.ts";
import { clamp } from "../../page/geometry.ts";
import { isEditable } from "../../page/keys.ts";
import * as page from "../../page/page.ts";
import { cancel, later } from "../../page/timers.ts";
import { anchorFor, type Target, viewport } from "../../target/targets.ts";

const SETTLE_MS = 180;

/** The Comment button beside text selected with annotate off (15.5). */
export interface Bubble {
  element: HTMLElement;
  /** Open the composer on the selection, if there is one. */
  commentOnSelection(): boolean;
  listen(): void;
  place(): void;
  isShown(): boolean;
}

export function createBubble(app: App): Bubble {
  let shown = false;
  let timer = 0;
  const comment = button("bubble-button", [icon("comment"), "Comment"], () => commentOnSelection());
  const element = h("div.bubble", { hidden: true }, comment);
  // A press must not clear the selection it is about.
  handle(element, {
    pointerdown: (event) => event.preventDefault(),
    mousedown: (event) => event.preventDefault(),
  });

  const selected = (): Range | null => {
    const selection = page.selectionOf(document);
    if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null;
    const range = selection.getRangeAt(0);
    const holder = holderOf(range);
    return range.toString().trim() === "" || holder === null || isEditable(holder) ? null : range;
  };

  const commentOnSelection = (): boolean => {
    const range = selected();
    if (range === null || app.model.on || !canAnnotate(app)) return false;
    const box = range.getBoundingClientRect();
    const rects = range.getClientRects();
    const last = rects[rects.length - 1] ?? box;
    const target: Target = {
      kind: "text",
      element: holderOf(range)!,
      box: { x: box.x, y: box.y, width: box.width, height: box.height },
      spot: { x: last.right, y: last.bottom },
      range: range.cloneRange(),
    };
    app.composer.open(anchorFor(target, app.boot.page));
    show(false);
    return true;
  };

  const show = (next: boolean) => {
    shown = next;
    setHidden(element, !next);
    if (next) place();
    app.layout();
  };

  const place = () => {
    const range = shown ? selected() : null;
    if (range === null) return setHidden(element, true);
    const rects = range.getClientRects();
    const last = rects[rects.length - 1];
    if (last === undefined) return;
    const { width, height } = viewport();
    const size = sizeOf(element);
    const below = last.bottom + 8 + size.height < height;
    const x = clamp(last.right - size.width / 2, 6, width - size.width - 6);
    const y = clamp(below ? last.bottom + 8 : last.top - size.height - 8, 6, height - size.height - 6);
    putAt(element, { x, y });
  };

  const changed = () => {
    cancel(timer);
    if (shown && selected() === null) show(false);
    timer = later(() => {
      const wanted =
        !app.model.on && canAnnotate(app) && app.composer.anchor() === null && selected() !== null;
      if (wanted || shown) show(wanted);
    }, SETTLE_MS);
  };

  return {
    element,
    commentOnSelection,
    listen: () => page.addListener(document, "selectionchange", changed, false),
    place,
    isShown: () => shown,
  };
}

/** The element around a whole selection, or null when it lies in the overlay or nowhere. */
function holderOf(range: Range): Element | null {
  const common = range.commonAncestorContainer;
  const holder = page.isElement(common) ? common : page.parentElementOf(common);
  if (holder === null || page.isMount(holder) || page.rootOf(holder) !== document) return null;
  return page.tagOf(holder) === "html" ? page.bodyOf(document) : holder;
}
