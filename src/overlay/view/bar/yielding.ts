import type { Box } from "../../../kernel/shared/annotate-wire.ts";
import type { App } from "../../app.ts";
import { handle } from "../../page/dom.ts";
import { centre, isInside } from "../../page/geometry.ts";
import * as page from "../../page/page.ts";
import { cancel, later } from "../../page/timers.ts";
import { CONTROLS, isRendered } from "../../target/hit-test.ts";
import { boxOf, viewport } from "../../target/targets.ts";
import type { Corner } from "../../types.ts";

/**
 * The bar yields to what cannot be got from under it: a control of the page whose centre it covers and that has focus,
 * stands still while the page scrolls, or lies in a scroller that is at its end (15.2). Everything else comes out by
 * scrolling.
 */
export interface Yielding {
  look(): void;
}

/** Quiet after a scroll before a look. */
const SETTLE_MS = 150;

const MARGIN = 12;
const BUTTON_SIZE = 56;

export function createYielding(
  app: App,
  element: HTMLElement,
  dock: HTMLElement,
  move: (to: { corner: Corner | null; shrunk: boolean }) => void,
): Yielding {
  const { model } = app;
  let state: { corner: Corner | null; shrunk: boolean } = { corner: null, shrunk: false };
  let full = { width: 0, height: 0 };
  let timer = 0;
  let pointed = false;

  const measure = () => {
    if (state.shrunk || model.ui.collapsed === true) return;
    const { width, height } = dock.getBoundingClientRect();
    if (width > 0) full = { width, height };
  };

  const isHeld = () =>
    pointed ||
    app.mount.holdsFocus(element) ||
    model.panel !== null ||
    model.confirmingEnd ||
    model.notice !== null;

  const decide = () => {
    timer = 0;
    if (app.boot.page === "/" || isHeld()) return;
    measure();
    const size = model.ui.collapsed === true ? { width: BUTTON_SIZE, height: BUTTON_SIZE } : full;
    if (size.width === 0) return;
    const home = model.ui.corner;
    const free = order(home).find((corner) => !hides(corner, boxAt(corner, size)));
    if (free === home) return go({ corner: null, shrunk: false });
    if (free !== undefined) return go({ corner: free, shrunk: false });
    const button = { width: BUTTON_SIZE, height: BUTTON_SIZE };
    const place = order(home).find((corner) => !hides(corner, boxAt(corner, button)));
    go({ corner: place === home || place === undefined ? null : place, shrunk: true });
  };

  const go = (next: typeof state) => {
    if (next.corner === state.corner && next.shrunk === state.shrunk) return;
    state = next;
    move(next);
  };

  const look = () => {
    cancel(timer);
    timer = later(() => {
      try {
        decide();
      } catch (error) {
        app.fail(error);
      }
    }, SETTLE_MS);
  };

  handle(dock, {
    pointerover: () => {
      pointed = true;
    },
    pointerout: () => {
      pointed = false;
      look();
    },
  });
  for (const type of ["scroll", "resize", "load", "focusin"])
    page.addListener(window, type, look, page.dict({ capture: true, passive: true }));
  return { look };
}

/** Home, then the other corner of its side, then the others. */
function order(home: Corner): Corner[] {
  const [vertical, side] = home.split("-") as ["top" | "bottom", "left" | "right"];
  const other = side === "left" ? "right" : "left";
  const across = vertical === "top" ? "bottom" : "top";
  return [home, `${across}-${side}`, `${vertical}-${other}`, `${across}-${other}`];
}

function boxAt(corner: Corner, { width, height }: { width: number; height: number }): Box {
  const view = viewport();
  return {
    x: corner.endsWith("left") ? MARGIN : view.width - MARGIN - width,
    y: corner.startsWith("top") ? MARGIN : view.height - MARGIN - height,
    width,
    height,
  };
}

/** Whether a control of the page would lie under this box, and could not be moved out from there by scrolling. */
function hides(corner: Corner, box: Box): boolean {
  const active = page.activeOf(document);
  const found = new Set<Element>([...page.queryAll(document, CONTROLS), ...clickableIn(box)]);
  for (const element of found) {
    if (page.isMount(element) || !isInside(box, centre(boxOf(element)))) continue;
    if (isRendered(element) && (element === active || isStuck(element, corner))) return true;
  }
  return false;
}

const STEP = 24;

/** What shows a hand under the pointer is a control too, whatever it is made of. */
function clickableIn({ x, y, width, height }: Box): Element[] {
  const found = new Set<Element>();
  for (let across = x + STEP / 2; across < x + width; across += STEP)
    for (let down = y + STEP / 2; down < y + height; down += STEP)
      for (const element of page.stackAt(document, across, down)) {
        if (page.isMount(element) || page.isPageRoot(element)) continue;
        if (getComputedStyle(element).cursor === "pointer") found.add(element);
        break;
      }
  return [...found];
}

/** In a box that stands still, or in scrollers that are all at the end on this side. */
function isStuck(element: Element, corner: Corner): boolean {
  for (let box: Element | null = element; box !== null; box = page.holderOf(box)) {
    if (page.isPageRoot(box)) break;
    const { position, overflowY } = getComputedStyle(box);
    if (position === "fixed" || position === "sticky") return true;
    if ((overflowY === "auto" || overflowY === "scroll") && goesOn(box, corner)) return false;
  }
  return !goesOn(page.htmlOf(document), corner);
}

/** Whether scrolling brings what is under a corner further into the middle. */
function goesOn(box: Element, corner: Corner): boolean {
  const { scrollTop, clientHeight, scrollHeight } = box;
  return corner.startsWith("top") ? scrollTop > 1 : scrollTop < scrollHeight - clientHeight - 1;
}
