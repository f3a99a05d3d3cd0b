import { STYLE_PATH } from "../../kernel/shared/annotate-wire.ts";
import { h } from "./dom.ts";
import * as page from "./page.ts";
import { later, now } from "./timers.ts";

const PUT_BACK_MS = 200;

export interface Mount {
  element: HTMLElement;
  shadow: ShadowRoot;
  /** Everything the overlay shows. */
  root: HTMLElement;
  /** The overlay's focused element. */
  focused(): HTMLElement | null;
  holdsFocus(element: Element): boolean;
  /** Follow a modal dialog or fullscreen element that opened or closed; `above` also rises over what else entered the top layer. */
  raise(above: boolean): void;
}

/** Whether the overlay already runs in this document. */
export const isRunning = (): boolean => customElements?.get(page.MOUNT) !== undefined;

/**
 * The overlay's one element: beside `<body>`, click-through, in the top layer, its content in a shadow root
 * (15.1). `attached` is called whenever it was put back after the page removed it.
 */
export function createMount(origin: string, attached: () => void): Mount {
  let puttingBack = false;
  let lastPut = 0;
  let moving = false;

  const putBack = () => {
    if (moving || puttingBack || page.isConnected(element)) return;
    puttingBack = true;
    const wait = Math.max(0, lastPut + PUT_BACK_MS - now());
    later(() => {
      puttingBack = false;
      if (page.isConnected(element)) return;
      lastPut = now();
      const giveBack = keepFocus(shadow, page.htmlOf(document), true);
      place(page.htmlOf(document));
      giveBack();
      attached();
    }, wait);
  };

  // The browser's own notice of a removal: no observer has to watch the page.
  customElements.define(
    page.MOUNT,
    class extends HTMLElement {
      disconnectedCallback() {
        putBack();
      }
    },
  );

  const element = h(page.MOUNT, { popover: "manual" });
  const shadow = element.attachShadow(page.dict({ mode: "open" as const }));
  const root = h("div.root", { hidden: true });
  style(shadow, origin, () => (root.hidden = false));
  shadow.append(root);

  const place = (holder: Element | null) => {
    if (holder === null) return putBack();
    moving = true;
    try {
      holder.appendChild(element);
    } finally {
      moving = false;
    }
    show(element);
  };

  const modals: Element[] = [];
  const raise = (above: boolean) => {
    noteModals(modals);
    const open = modals.filter((dialog) => page.isConnected(dialog) && page.matches(dialog, ":modal"));
    modals.splice(0, modals.length, ...open);
    const holder = open[open.length - 1] ?? fullscreenHolder() ?? page.htmlOf(document);
    const moves = page.parentOf(element) !== holder;
    if (!moves && !above) return;
    const giveBack = keepFocus(shadow, holder, moves);
    if (moves) place(holder);
    else show(element);
    giveBack();
  };

  place(page.htmlOf(document));
  return {
    element,
    shadow,
    root,
    raise,
    focused: () => shadow.activeElement as HTMLElement | null,
    holdsFocus: (part) => part.contains(shadow.activeElement),
  };
}

/** Browsers make what is outside a fullscreen element inert too. A video or frame shows no children of the page. */
function fullscreenHolder(): Element | null {
  const element = page.fullscreenOf(document);
  return element === null || /^(?:video|audio|img|canvas|iframe|object|embed|svg)$/.test(page.tagOf(element))
    ? null
    : element;
}

/** Add dialogs that became modal, in the order they were seen: the last is the topmost. */
function noteModals(known: Element[]): void {
  const found = page.queryAll(document, "dialog:modal");
  // A dialog inside an open shadow root is found through the focus it took.
  let active = page.activeOf(document);
  while (active !== null) {
    const inner: ShadowRoot | null = page.shadowOf(active);
    const deeper: Element | null = inner === null || page.isMount(active) ? null : page.activeOf(inner);
    if (deeper === null) break;
    const dialog = page.closest(deeper, "dialog:modal");
    if (dialog !== null) found.push(dialog);
    active = deeper;
  }
  for (const dialog of found) if (!known.includes(dialog)) known.push(dialog);
}

/** Into the top layer, above what entered it since. */
function show(element: HTMLElement): void {
  if (typeof element.showPopover !== "function") return;
  try {
    if (page.matches(element, ":popover-open")) element.hidePopover();
    element.showPopover();
  } catch {
    // Without the top layer the highest z-index remains.
  }
}

/** What had focus in the overlay, and where focus went when it was taken away. */
interface FocusMemory {
  element: HTMLElement;
  lost: { at: number; to: Node | null } | null;
}

const memories = new WeakMap<ShadowRoot, FocusMemory>();

/** Note focus entering or leaving the overlay: a modal dialog takes it away before anyone can ask. */
export function noteFocus(shadow: ShadowRoot, event: FocusEvent): void {
  const memory = memories.get(shadow);
  if (event.type === "focusin")
    memories.set(shadow, { element: event.composedPath()[0] as HTMLElement, lost: null });
  else if (memory !== undefined) memory.lost = { at: now(), to: event.relatedTarget as Node | null };
}

/** How long after losing focus the overlay may still take a new dialog for the cause. */
const STOLEN_MS = 300;

function stolenFrom(shadow: ShadowRoot, holder: Element): HTMLElement | null {
  const memory = memories.get(shadow);
  if (memory === undefined) return null;
  const { element, lost } = memory;
  if (lost === null) return element;
  if (now() - lost.at > STOLEN_MS) return null;
  return lost.to === null || holder.contains(lost.to) ? element : null;
}

/** Moving or raising the mount drops focus: remember it with the caret, and give it back. */
function keepFocus(shadow: ShadowRoot, holder: Element, moves: boolean): () => void {
  const focused = (shadow.activeElement as HTMLElement | null) ?? (moves ? stolenFrom(shadow, holder) : null);
  if (focused === null) return () => {};
  const field = focused.tagName === "TEXTAREA" ? (focused as HTMLTextAreaElement) : null;
  const caret = field === null ? null : ([field.selectionStart, field.selectionEnd] as const);
  const scroll = field?.scrollTop ?? 0;
  return () => {
    if (shadow.activeElement === focused) return;
    focused.focus(page.dict({ preventScroll: true }));
    if (field === null || caret === null) return;
    field.setSelectionRange(caret[0], caret[1]);
    field.scrollTop = scroll;
  };
}

/**
 * The style sheet by link; where the page's policy forbids that, the same rules fetched and constructed; where it forbids
 * every connection too, a few that show the banner which says so.
 */
function style(shadow: ShadowRoot, origin: string, ready: () => void): void {
  const href = origin + STYLE_PATH;
  const link = h<HTMLLinkElement>("link", { rel: "stylesheet", href });
  let done = false;
  const finish = async (construct: boolean) => {
    if (done) return;
    done = true;
    if (construct) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(await rulesAt(href));
      shadow.adoptedStyleSheets = [sheet];
    }
    ready();
  };
  link.onload = () => void finish(false);
  link.onerror = () => void finish(true);
  // A policy that reports without an error event, or a server that went away in between.
  later(() => void finish(true), 3000);
  shadow.append(link);
}

// Taken at start: a page may replace the global later.
const request = window.fetch?.bind(window);

async function rulesAt(href: string): Promise<string> {
  try {
    const response = await request(href, page.dict<RequestInit>({ cache: "no-store" }));
    if (response.ok) return await response.text();
  } catch {
    // The policy forbids this too, or the server is gone.
  }
  return FEW_RULES;
}

/** Nothing works without a connection: only what is wrong is shown. */
const FEW_RULES =
  ":host{position:fixed!important;inset:0!important;pointer-events:none!important}" +
  "[hidden],.icon,.root>:not(.top){display:none!important}.banner{padding:8px;font:13px sans-serif;color:#000;background:#fff}";
