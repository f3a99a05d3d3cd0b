import * as page from "./page.ts";

/**
 * Events of the overlay never travel through the page: a window capture listener stops each one and hands it
 * to the overlay's own handlers, kept here instead of on the nodes. So page shortcuts, focus traps and
 * outside-click handlers do not see them (15.1).
 */

/** Return true to stop: handlers of outer elements are then not called. */
export type Handler = (event: Event) => unknown;

/** Looks at every event; for one of the page, true keeps it from the page's listeners. */
export type Guard = (event: Event, own: boolean) => boolean;

const words = (text: string): string[] => text.split(/\s+/);

const TYPES = words(
  `keydown keypress keyup beforeinput input change compositionstart compositionupdate compositionend select
  copy cut paste focus blur focusin focusout dragstart drag dragenter dragover dragleave dragend drop
  selectstart toggle close fullscreenchange pointerdown pointermove pointerup pointercancel pointerover pointerout pointerenter pointerleave
  gotpointercapture lostpointercapture mousedown mousemove mouseup mouseover mouseout mouseenter mouseleave
  click dblclick auxclick contextmenu`,
);
const TOUCH = words("touchstart touchmove touchend touchcancel wheel");

const handlers = new WeakMap<EventTarget, Map<string, Handler[]>>();

/** Call a handler for an event type at a node of the overlay or below it. */
export function on(node: EventTarget, type: string, handler: Handler): void {
  const byType = handlers.get(node) ?? new Map<string, Handler[]>();
  handlers.set(node, byType);
  byType.set(type, [...(byType.get(type) ?? []), handler]);
}

/** Whether an event happened inside the overlay. */
function isOwn(event: Event, mount: Element): boolean {
  if (event.target === mount) return true;
  // In a dialog of a page's shadow root the target is that root's host.
  return page.rootOf(mount) !== document && event.composedPath().includes(mount);
}

function deliver(event: Event, mount: Element): void {
  for (const node of event.composedPath()) {
    if (node === mount) return;
    for (const handler of handlers.get(node)?.get(event.type) ?? []) if (handler(event) === true) return;
  }
}

export interface Shield {
  /** Listen on the window; safe to call again, after a page's `document.open` removed every listener. */
  install(): void;
  /** Whether handlers of the overlay may cancel the wheel; the page's scrolling then waits for them. */
  holdWheel(hold: boolean): void;
}

export function createShield(
  mount: Element,
  shadow: ShadowRoot,
  guard: Guard,
  fail: (error: unknown) => void,
): Shield {
  let held = false;
  const hear = (event: Event, own: boolean) => {
    try {
      if (own) {
        event.stopImmediatePropagation();
        // What a page's script makes up here presses nothing: only the person sends, chooses and ends (18).
        if (!event.isTrusted) return;
        deliver(event, mount);
        guard(event, true);
      } else if (guard(event, false)) event.stopImmediatePropagation();
    } catch (error) {
      fail(error);
    }
  };
  const listener = (event: Event) => hear(event, isOwn(event, mount));
  const listen = (type: string, passive: boolean) =>
    page.addListener(window, type, listener, page.dict({ capture: true, passive }));
  // Focus and pointer going from one part of the overlay to another is never seen outside its shadow root.
  for (const type of TYPES) page.addListener(shadow, type, (event) => hear(event, true), true);
  return {
    install() {
      for (const type of TYPES) listen(type, false);
      // Passive: an active listener would make the whole page's scrolling wait for it.
      for (const type of TOUCH) listen(type, !(held && type === "wheel"));
    },
    holdWheel(hold) {
      held = hold;
      page.removeListener(window, "wheel", listener, true);
      listen("wheel", !hold);
    },
  };
}
