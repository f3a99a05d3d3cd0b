import type { App } from "../app.ts";
import { canAnnotate } from "../can-annotate.ts";
import { h, handle, setHidden } from "../page/dom.ts";
import { on } from "../page/events.ts";
import { freeze, type Thaw } from "../page/freeze.ts";
import { centre, clamp, encloses, isDrag, regionBetween, type Spot } from "../page/geometry.ts";
import type { Direction } from "../page/keys.ts";
import * as page from "../page/page.ts";
import { labelOf } from "./describe.ts";
import { createHighlight } from "./highlight.ts";
import {
  elementsAt,
  enclosing,
  hoveredElement,
  neighbour,
  scrollUnder,
  startingElement,
} from "./hit-test.ts";
import { anchorFor, boxOf, otherTarget, type Target, viewport } from "./targets.ts";
import { count } from "./text.ts";

export interface Picker {
  catcher: HTMLElement;
  layer: HTMLElement;
  /** Enter annotate; with `frozen` what the pointer makes the page show stays shown. */
  start(frozen: boolean): void;
  stop(): void;
  /** Follow the page's focus or an arrow key. */
  highlight(element: Element): void;
  step(direction: Direction): void;
  /** Next element below (1) or above (-1) at the same point. */
  through(direction: 1 | -1): void;
  /** Comment on the highlighted element, together with those collected before. */
  choose(): void;
  /** Put the highlighted element with the others, or take it out again. */
  collect(): void;
  /** How many there are. */
  collected(): number;
  /** True when there were any. */
  clearCollected(): boolean;
  /** Keep what the page shows now as it is, or let it move again. */
  freeze(on: boolean): void;
  cancelDrag(): boolean;
  isDragging(): boolean;
  isTracking(): boolean;
  draw(): void;
}

/** Elements that one note may be about. */
const MOST_COLLECTED = 10;

interface Press {
  pointer: number;
  from: Spot;
  to: Spot;
  touch: boolean;
  dragging: boolean;
}

export function createPicker(app: App): Picker {
  const { model } = app;
  let current: Element | null = null;
  /** Elements at the last pointed spot, and which of them is highlighted. */
  let stack: Element[] = [];
  let depth = 0;
  let spot: Spot | null = null;
  let pointed: Spot | null = null;
  /** Where the arrow keys begin. */
  let starting: Element | null = null;
  let press: Press | null = null;
  let thaw: Thaw = () => {};
  /** Elements that one note will be about. */
  let collected: Element[] = [];
  let reachable: CSSStyleSheet | null = null;

  const catcher = h("div.catcher", { hidden: true });
  const highlight = createHighlight(() => {
    choose();
    set(null);
  });

  /** Let hit tests see what the page took out of the pointer's way; nothing of the page hears the pointer now. */
  const reachEverything = (reach: boolean) => {
    try {
      if (reach) {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync("*{pointer-events:auto!important}");
        reachable = sheet;
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      } else if (reachable !== null) {
        const added = reachable;
        reachable = null;
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== added);
      }
    } catch {
      // Without constructed sheets such elements are only reached by keyboard.
    }
  };

  const set = (element: Element | null) => {
    current = element;
    app.layout();
  };

  const say = (element: Element) => app.announce(labelOf(element));

  const pointAt = (at: Spot) => {
    spot = at;
    stack = elementsAt(document, at.x, at.y);
    depth = 0;
    set(stack[0] ?? page.bodyOf(document));
  };

  const target = (element: Element, at: Spot | null): Target => {
    const box = boxOf(element);
    return { kind: "element", element, box, spot: at ?? centre(box), range: null };
  };

  const openOn = (chosen: Target) => {
    const others = collected.filter((one) => one !== chosen.element && page.isConnected(one));
    collected = [];
    const [first] = others;
    if (first === undefined || chosen.kind !== "element") {
      app.composer.open(anchorFor(chosen, app.boot.page));
      return;
    }
    // The first that was collected is what the note is on, the others follow in their order.
    const anchor = anchorFor(target(first, null), app.boot.page);
    const targets = [...others.slice(1), chosen.element].map(otherTarget);
    app.composer.open({ ...anchor, context: { ...anchor.context, targets } });
  };

  const collect = () => {
    if (current === null || !page.isConnected(current)) return;
    const element = current;
    if (collected.includes(element)) collected = collected.filter((one) => one !== element);
    else if (collected.length >= MOST_COLLECTED) return app.announce(`No more than ${MOST_COLLECTED}`);
    else collected = [...collected, element];
    app.announce(`${count(collected.length, "element")} collected`);
    app.update();
  };

  const choose = () => {
    const element = current ?? collected.at(-1) ?? null;
    if (element === null && starting !== null) {
      set(starting);
      starting = null;
      return say(current!);
    }
    if (element !== null && page.isConnected(element)) openOn(target(element, current && spot));
  };

  const click = (at: Spot, touch: boolean, shift: boolean) => {
    const before = current;
    pointAt(at);
    if (current === null) return;
    if (shift) return collect();
    // A first tap shows what it hit, so that a fat finger can correct itself.
    if (touch && before !== current) return app.announce(labelOf(current));
    openOn(target(current, at));
    // A finger points at nothing once it has chosen.
    if (touch) set(null);
  };

  const finishRegion = (from: Spot, to: Spot) => {
    const box = regionBetween(from, to, viewport());
    const middle = centre(box);
    const element = enclosing(middle, (one) => encloses(boxOf(one), box));
    openOn({ kind: "region", element, box, spot: middle, range: null });
  };

  handle(catcher, {
    pointermove: (event) => {
      const { clientX, clientY, pointerId, pointerType } = event as PointerEvent;
      const at = { x: clientX, y: clientY };
      if (press !== null && press.pointer === pointerId) {
        press.to = at;
        if (!press.touch && isDrag(press.from, at)) press.dragging = true;
        app.layout();
      } else if (pointerType !== "touch") {
        // One hit test a frame: moves in between only say where.
        pointed = at;
        app.layout();
      }
    },
    pointerdown: (event) => {
      const { clientX, clientY, pointerId, pointerType, button: pressed } = event as PointerEvent;
      if (pressed !== 0 || press !== null) return;
      app.card.close();
      const at = { x: clientX, y: clientY };
      press = { pointer: pointerId, from: at, to: at, touch: pointerType === "touch", dragging: false };
      if (pointerType !== "touch") catcher.setPointerCapture(pointerId);
    },
    pointerup: (event) => {
      const { clientX, clientY, pointerId, shiftKey } = event as PointerEvent;
      if (press === null || press.pointer !== pointerId) return;
      const { from, touch, dragging } = press;
      press = null;
      const at = { x: clientX, y: clientY };
      if (dragging) finishRegion(from, at);
      else if (!touch || !isDrag(from, at)) click(from, touch, shiftKey);
      app.layout();
      app.reloader.check();
    },
    pointercancel: () => {
      press = null;
      app.layout();
    },
    // Over the toolbar or a pin nothing of the page is pointed at. (Browsers do not send `pointerleave` to
    // listeners that only a shadow root has.)
    pointerout: (event) => {
      pointed = null;
      // A finger that lifts has not gone elsewhere.
      if (press === null && (event as PointerEvent).pointerType !== "touch") set(null);
    },
    // Focus stays where it is: menus that close when they lose it stay open.
    mousedown: (event) => event.preventDefault(),
    dragstart: (event) => event.preventDefault(),
    contextmenu: (event) => event.preventDefault(),
  });

  /** The catcher hides nested scrollers from the wheel, so it turns them itself. */
  const wheel = (event: Event) => {
    const { clientX, clientY, deltaX, deltaY, deltaMode, ctrlKey } = event as WheelEvent;
    if (ctrlKey) return;
    const unit = deltaMode === 1 ? 16 : deltaMode === 2 ? innerHeight : 1;
    const under = elementsAt(document, clientX, clientY)[0];
    if (under !== undefined && scrollUnder(under, deltaX * unit, deltaY * unit)) event.preventDefault();
    pointed = { x: clientX, y: clientY };
    app.layout();
  };

  on(catcher, "wheel", wheel);

  const freezePage = (on: boolean) => {
    thaw();
    thaw = on ? freeze(app.mount.shadow) : () => {};
    model.frozen = on;
    app.update();
  };

  const draw = () => {
    if (!model.on) {
      highlight.drawCollected([]);
      return highlight.draw(null, null, "");
    }
    if (pointed !== null && press === null) {
      const at = pointed;
      pointed = null;
      pointAt(at);
    }
    if (current !== null && !page.isConnected(current)) current = null;
    const region = press?.dragging === true ? regionBetween(press.from, press.to, viewport()) : null;
    const shown = region === null && app.composer.anchor() === null ? current : null;
    collected = collected.filter(page.isConnected);
    highlight.drawCollected(collected.map(boxOf));
    highlight.draw(shown, region, stack.length > 1 && depth > 0 ? `${depth + 1}/${stack.length}` : "");
  };

  return {
    catcher,
    layer: highlight.layer,
    start(frozen) {
      if (model.on || !canAnnotate(app)) return;
      const hovered = hoveredElement();
      model.on = true;
      freezePage(frozen);
      setHidden(catcher, false);
      reachEverything(true);
      app.shield.holdWheel(true);
      starting = startingElement(hovered);
      // Nothing is highlighted before the person points somewhere: what Enter is about is shown first.
      set(frozen && starting === hovered ? hovered : null);
      spot = null;
      app.announce("Annotate on");
      app.update();
      app.remember();
      app.layout();
    },
    stop() {
      if (!model.on) return;
      model.on = false;
      setHidden(catcher, true);
      press = null;
      current = null;
      stack = [];
      collected = [];
      freezePage(false);
      reachEverything(false);
      app.shield.holdWheel(false);
      app.keys.catchUp();
      app.announce("Annotate off");
      app.update();
      app.remember();
      app.layout();
      app.reloader.check();
    },
    highlight(element) {
      stack = [];
      depth = 0;
      spot = null;
      set(element);
      say(element);
    },
    step(direction) {
      const from = current ?? starting ?? startingElement(null);
      if (from === null) return;
      const next = current === null && starting === null ? from : neighbour(from, direction);
      starting = null;
      if (next === null) return;
      stack = [];
      depth = 0;
      spot = null;
      reveal(next);
      set(next);
      say(next);
    },
    through(direction) {
      if (current === null) return;
      if (!stack.includes(current)) {
        const at = centre(boxOf(current));
        stack = elementsAt(document, at.x, at.y);
        depth = Math.max(0, stack.indexOf(current));
      }
      if (stack.length === 0) return;
      depth = clamp(depth + direction, 0, stack.length - 1);
      set(stack[depth]!);
      say(stack[depth]!);
    },
    choose,
    collect,
    clearCollected() {
      if (collected.length === 0) return false;
      collected = [];
      app.update();
      return true;
    },
    freeze: freezePage,
    cancelDrag() {
      if (press?.dragging !== true) return false;
      press = null;
      app.layout();
      return true;
    },
    collected: () => collected.length,
    isDragging: () => press?.dragging === true,
    isTracking: () => model.on,
    draw,
  };
}

function reveal(element: Element): void {
  const box = boxOf(element);
  const { height, width } = viewport();
  if (box.y + box.height < 0 || box.y > height || box.x + box.width < 0 || box.x > width || box.y < 0)
    element.scrollIntoView(page.dict({ block: "nearest" as const, inline: "nearest" as const }));
}
