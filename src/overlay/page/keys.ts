import type { App } from "../app.ts";
import { canAnnotate } from "../can-annotate.ts";
import { noteFocus } from "./mount.ts";
import * as page from "./page.ts";
import { nextFrame } from "./timers.ts";

/** What the overlay takes from the page: keys, the pointer while annotating, and the sight of its own focus. */
export interface Keys {
  /** Looks at every event on the window; true keeps one of the page's from the page. */
  guard(event: Event, own: boolean): boolean;
  /** Focus goes back to a control of the overlay, or else to the page's element it was taken from. */
  returnFocus(control: HTMLElement | null): void;
  /** Tell the page about pointers that left while annotate hid it. */
  catchUp(): void;
}

export type Direction = "up" | "down" | "left" | "right";

const ARROWS: Record<string, Direction> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};
const LEAVES = new Set(["pointerout", "pointerleave", "mouseout", "mouseleave"]);
const TEXT_INPUTS = /^(?:text|search|url|tel|email|password|number|date|time|datetime-local|month|week)?$/i;

/** Whether typing into an element changes its text. */
export function isEditable(element: Element | null): boolean {
  if (element === null) return false;
  const tag = page.tagOf(element);
  if (tag === "textarea" || tag === "select") return true;
  if (tag === "input") return TEXT_INPUTS.test(page.attribute(element, "type") ?? "");
  return (element as HTMLElement).isContentEditable === true;
}

const isCtrlA = (key: KeyboardEvent): boolean =>
  key.ctrlKey &&
  !key.metaKey &&
  !key.altKey &&
  !key.shiftKey &&
  (key.key.toLowerCase() === "a" || (key.code === "KeyA" && !/^[a-z]$/i.test(key.key)));

export function createKeys(app: App): Keys {
  const { model } = app;
  /** Keys whose press was kept from the page; their release is too. */
  const swallowed = new Set<string>();
  const left: { element: Element; type: string }[] = [];
  const watched = new WeakSet<Window>();
  let pageFocus: HTMLElement | null = null;

  const innermost = (event: Event): Element | null => {
    const first = event.composedPath()[0] as Node | undefined;
    return page.isElement(first as Node) ? (first as Element) : null;
  };

  const take = (event: Event): true => {
    event.preventDefault();
    swallowed.add((event as KeyboardEvent).code);
    return true;
  };

  /** Esc closes the innermost open thing (15.3). */
  const closeInnermost = (): boolean => {
    if (app.picker.cancelDrag()) return true;
    if (app.picker.clearCollected()) return true;
    if (app.toolbar.closePanel() || app.composer.close() || app.card.close()) return true;
    if (model.ui.listOpen) {
      app.list.toggle(false);
      return true;
    }
    if (!model.on) return false;
    app.picker.stop();
    return true;
  };

  const controlA = () => {
    if (model.on) return app.picker.stop();
    app.bubble.commentOnSelection();
    app.picker.start(true);
  };

  const keydown = (key: KeyboardEvent, own: boolean): boolean => {
    if (!key.isTrusted) return false;
    if (key.isComposing || key.keyCode === 229) return model.on && !own;
    const element = innermost(key);
    if (key.key === "Escape" && closeInnermost()) return take(key);
    if (isCtrlA(key) && !isEditable(element) && (model.on || canAnnotate(app))) {
      controlA();
      return take(key);
    }
    if (!model.on || own) return false;
    annotateKey(key, element);
    swallowed.add(key.code);
    return true;
  };

  /** A key on the page while annotating: it moves the highlight, keeps its native use, or does nothing. */
  const annotateKey = (key: KeyboardEvent, element: Element | null) => {
    if (key.key === "Tab") return;
    const editable = isEditable(element);
    const arrow = ARROWS[key.key];
    if (arrow !== undefined && !editable && !key.ctrlKey && !key.metaKey && !key.altKey) {
      key.preventDefault();
      if (!key.shiftKey) app.picker.step(arrow);
      else if (arrow === "down" || arrow === "up") app.picker.through(arrow === "down" ? 1 : -1);
    } else if (key.key === "Enter") {
      key.preventDefault();
      if (!editable && !key.ctrlKey && !key.metaKey && !key.altKey)
        key.shiftKey ? app.picker.collect() : app.picker.choose();
    } else if (key.key === " ") {
      // Scrolls the page, but presses a focused button.
      if (element !== null && !page.isPageRoot(element)) key.preventDefault();
    } else if (/^(?:Page(?:Up|Down)|Home|End)$/.test(key.key)) {
      if (element !== null && page.tagOf(element) === "input" && !editable) key.preventDefault();
    } else if (
      (key.key.length === 1 || /^(?:Backspace|Delete)$/.test(key.key)) &&
      !key.ctrlKey &&
      !key.metaKey
    )
      key.preventDefault();
  };

  const focus = (event: FocusEvent, own: boolean): boolean => {
    const { mount } = app;
    if (own) {
      if (event.type === "focusin" || event.type === "focusout") noteFocus(mount.shadow, event);
      return false;
    }
    const toOverlay = event.relatedTarget === mount.element;
    if (event.type === "focusout" || event.type === "blur") {
      // The page must not take its focus back from the text field, nor close what is being annotated.
      if (toOverlay) pageFocus = event.target as HTMLElement;
      return toOverlay;
    }
    if (event.type === "focusin") {
      const element = innermost(event);
      mount.raise(false);
      if (model.on && element !== null) app.picker.highlight(element);
    }
    // It never heard that it lost focus, so it need not hear that it has it again.
    return toOverlay && event.target === pageFocus;
  };

  /** Focus went into a frame, whose keys this window does not see. */
  const watchFrame = () => {
    const active = page.activeOf(document);
    const inner = active === null ? null : page.frameDocumentOf(active);
    const view = inner === null ? null : page.windowOf(inner);
    if (view === null || watched.has(view)) return;
    watched.add(view);
    const listen = (event: Event) => {
      if (keydown(event as KeyboardEvent, false)) event.stopImmediatePropagation();
    };
    page.addListener(view, "keydown", listen, true);
  };

  const pointer = (event: Event): boolean => {
    if (!model.on) return false;
    // Clicks and events the page makes itself go on.
    if (!event.isTrusted) return false;
    if (LEAVES.has(event.type)) left.push({ element: event.target as Element, type: event.type });
    if (event.type === "click" || event.type === "auxclick" || event.type === "dblclick")
      event.preventDefault();
    return true;
  };

  const guard = (event: Event, own: boolean): boolean => {
    switch (event.type) {
      case "keydown":
        return keydown(event as KeyboardEvent, own);
      case "keyup":
        return swallowed.delete((event as KeyboardEvent).code) || (model.on && !own);
      case "keypress":
        return model.on && !own;
      case "focus":
      case "blur":
      case "focusin":
      case "focusout":
        if (event.target === window && event.type === "blur") watchFrame();
        return event.target !== window && event.target !== document && focus(event as FocusEvent, own);
      case "beforeinput":
        if (!model.on || own) return false;
        event.preventDefault();
        return true;
      case "toggle":
      case "close":
      case "fullscreenchange":
        if (!own) app.mount.raise(true);
        return false;
    }
    if (own) {
      // Away from the page; a pin or a card that is pointed at says so itself.
      const element = innermost(event);
      if (event.type === "pointerover" && element !== null && page.closest(element, ".pin,.card") === null)
        app.card.leave();
      return false;
    }
    if (/^(?:pointer|mouse|touch|click|auxclick|dblclick|contextmenu)/.test(event.type)) {
      if (!model.on) app.pins.pointer(event);
      return pointer(event);
    }
    return false;
  };

  return {
    guard,
    returnFocus(control) {
      if (control?.isConnected && control.offsetParent !== null) control.focus();
      else if (pageFocus !== null && page.isConnected(pageFocus)) {
        const element = pageFocus;
        element.focus(page.dict({ preventScroll: true }));
        pageFocus = null;
      } else app.mount.focused()?.blur();
    },
    catchUp() {
      const gone = left.splice(0);
      nextFrame(() => {
        for (const { element, type } of gone) {
          if (!page.isElement(element) || !page.isConnected(element) || page.matches(element, ":hover"))
            continue;
          const bubbles = type.endsWith("out");
          const init = page.dict({ bubbles, cancelable: bubbles, composed: true, view: window });
          const Kind = type.startsWith("pointer") ? PointerEvent : MouseEvent;
          element.dispatchEvent(new Kind(type, init));
        }
      });
    },
  };
}
