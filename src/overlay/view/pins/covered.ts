import type { Spot } from "../../page/geometry.ts";
import * as page from "../../page/page.ts";
import { later, now } from "../../page/timers.ts";
import { CONTROLS } from "../../target/hit-test.ts";

/** Whether a box of the page that stands still while the page scrolls lies over a pin's point (15.8). */
export interface Covers {
  isCovered(key: string, spot: Spot, target: Element): boolean;
  /** Whether a control of the page lies there, whose clicks are its own. */
  isControl(key: string): boolean;
  /** The page changed: look again, whatever moved. */
  again(): void;
}

/** Hit tests for pins are made this often at most. */
const LOOK_MS = 100;

interface Look {
  at: number;
  x: number;
  y: number;
  covered: boolean;
  control: boolean;
}

/** `relook` is called once what could not be looked at yet may be. */
export function createCovers(mount: Element, relook: () => void): Covers {
  let waiting = 0;
  const looks = new Map<string, Look>();
  const lookLater = () => {
    if (waiting === 0)
      waiting = later(() => {
        waiting = 0;
        looks.clear();
        relook();
      }, LOOK_MS);
  };
  return {
    again() {
      looks.clear();
      // A dialog that was closed covers the page until the next frame.
      lookLater();
    },
    isCovered(key, { x, y }, target) {
      const last = looks.get(key);
      const moment = now();
      if (last !== undefined && last.x === x && last.y === y) return last.covered;
      if (last !== undefined && moment - last.at < LOOK_MS) {
        lookLater();
        return last.covered;
      }
      const top = page.stackAt(document, x, y).find((element) => element !== mount);
      const covered = top !== undefined && isUnder(top, target);
      const control = top !== undefined && isControl(top);
      looks.set(key, { at: moment, x, y, covered, control });
      return covered;
    },
    isControl: (key) => looks.get(key)?.control === true,
  };
}

const isControl = (element: Element): boolean =>
  page.closest(element, CONTROLS) !== null || getComputedStyle(element).cursor === "pointer";

function isUnder(top: Element, target: Element): boolean {
  if (page.isPageRoot(top)) return false;
  const outermost = topDocumentElement(target);
  if (top === outermost || page.contains(top, outermost) || page.contains(outermost, top)) return false;
  for (let box: Element | null = top; box !== null; box = page.holderOf(box)) {
    if (page.contains(box, outermost)) return false;
    if (standsStill(box)) return true;
  }
  return false;
}

/** Out of any frame and shadow root, as the page's own document sees it. */
function topDocumentElement(target: Element): Element {
  let element = target;
  while (page.rootOf(element) !== document) {
    const root = page.rootOf(element);
    const holder = page.isDocument(root) ? page.frameElementOf(root) : (root as ShadowRoot).host;
    if (holder === null) break;
    element = holder;
  }
  return element;
}

function standsStill(element: Element): boolean {
  const { position } = getComputedStyle(element);
  if (position === "fixed" || position === "sticky") return true;
  return page.matches(element, ":modal") || isOpenPopover(element);
}

function isOpenPopover(element: Element): boolean {
  try {
    return page.matches(element, ":popover-open");
  } catch {
    return false;
  }
}
