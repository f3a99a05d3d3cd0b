import type { App } from "./app.ts";
import { button, h, handle, icon, putAt, setAttribute, setHidden } from "./dom.ts";
import { type Found, findTarget } from "./find.ts";
import {
  atFraction,
  boxAtFraction,
  clamp,
  fanOut,
  fractionOf,
  intersection,
  isInside,
  type Spot,
} from "./geometry.ts";
import * as page from "./page.ts";
import { isRendered } from "./pick.ts";
import { moveTo } from "./picker.ts";
import { boxOf, viewport } from "./targets.ts";
import { clip, fold } from "./text.ts";
import { cancel, later, now } from "./timers.ts";
import type { Anchor, Box, Draft, Note } from "./types.ts";
import { noteName, statusWords, targetLabel } from "./words.ts";

const GAP = 24;
const SIZE = 26;
const DONE_MS = 4000;
const DONE_TICK_MS = 500;
/** How often a lost target is looked for again while the page changes. */
const AGAIN_MS = 250;

export interface Pins {
  element: HTMLElement;
  layer: HTMLElement;
  draw(): void;
  /** Position everything; one reading pass, then one writing pass. */
  place(): void;
  /** The page's content changed: targets that were lost are looked for again. */
  refresh(): void;
  /** Where a target is now in the viewport; null when it is not on the page or not shown. */
  boxOf(anchor: Anchor): Box | null;
  /** A region's place in its container, kept with the note. */
  placeOf(anchor: Anchor): Box | null;
  /** Whether the note's target was not found again on this screen. */
  isLost(note: Note): boolean;
  /** Scroll a note's target into view and flash it; false when it is not on the page. */
  goTo(note: Note): boolean;
  /** Pointer over the page while annotate is off. */
  pointer(event: Event): void;
  /** Whether anything on the page is being followed. */
  isTracking(): boolean;
}

interface Entry {
  key: string;
  anchor: Anchor;
  found: Found | null;
  lookedAt: number;
  place: Box | null;
  clips: Element[];
  button: HTMLButtonElement;
  glyph: HTMLElement;
  note: Note | null;
  draft: Draft | null;
  spot: Spot | null;
}

export function createPins(app: App): Pins {
  const { model } = app;
  const entries = new Map<string, Entry>();
  const element = h("div.pins");
  const layer = h("div.layer");
  const boxes: HTMLElement[] = [];
  let doneTimer = 0;
  let flashed: { key: string; until: number } | null = null;

  const wanted = (): (Note | Draft)[] => {
    if (app.boot.page === "/" || model.ui.pinsHidden) return [];
    const here = (one: { anchor: Anchor }) => one.anchor.page === app.boot.page;
    const notes = model.notes.filter(
      (note) => here(note) && !(note.state === "done" && note.doneShown >= DONE_MS),
    );
    const drafts = model.drafts.filter(
      (draft) => here(draft) && draft.editOf === null && draft.key !== app.composer.draftKey(),
    );
    return [...notes, ...drafts];
  };

  const entryFor = (one: Note | Draft): Entry => {
    const note = "comment" in one ? one : null;
    const draft = note === null ? (one as Draft) : null;
    const key = note === null ? `draft ${one.key}` : one.key;
    const known = entries.get(key);
    if (known !== undefined) return Object.assign(known, { note, draft });
    const glyph = h("span.pin-glyph");
    const entry: Entry = {
      key,
      anchor: one.anchor,
      found: null,
      lookedAt: -1,
      place: note?.place ?? null,
      clips: [],
      button: button("pin", glyph, () => activate(entry)),
      glyph,
      note,
      draft,
      spot: null,
    };
    handle(entry.button, {
      pointerenter: () => {
        if (entry.note !== null) app.card.point(entry.note, entry.button);
      },
      pointerleave: () => app.card.leave(),
      focusin: () => {
        if (entry.note !== null) app.card.point(entry.note, entry.button);
      },
      focusout: () => app.card.leave(),
    });
    entries.set(key, entry);
    return entry;
  };

  const activate = (entry: Entry) => {
    if (entry.draft !== null) app.composer.resume(entry.draft);
    else if (entry.note !== null) app.card.open(entry.note, entry.button);
  };

  const look = (entry: Entry) => {
    entry.lookedAt = now();
    entry.found = findTarget(entry.anchor);
    if (entry.found === null) return;
    entry.clips = clippers(entry.found.element);
    if (entry.place === null) entry.place = regionPlace(entry.anchor, entry.found.element);
  };

  /** An element that left the page is looked for again at once, a lost one when the page has changed. */
  const current = (entry: Entry): Found | null => {
    if (entry.lookedAt < 0 || (entry.found !== null && !page.isConnected(entry.found.element))) look(entry);
    return entry.found;
  };

  const draw = () => {
    const list = wanted().map(entryFor);
    const keys = new Set(list.map((entry) => entry.key));
    for (const [key, entry] of entries) {
      if (keys.has(key)) continue;
      entry.button.remove();
      entries.delete(key);
    }
    for (const entry of list) {
      if (!entry.button.isConnected) element.append(entry.button);
      current(entry);
      decorate(entry);
    }
    countDone();
  };

  const decorate = ({ button: pin, glyph, note, draft }: Entry) => {
    const state = draft !== null ? "draft" : note!.state;
    const fades = note !== null && note.doneShown >= DONE_MS - DONE_TICK_MS;
    setAttribute(pin, "class", `pin ${state}${fades ? " fading" : ""}`);
    // Without annotate a pin must not block what lies under it; a draft is the person's own and stays reachable.
    setAttribute(pin, "data-solid", model.on || draft !== null);
    if (draft !== null) {
      setAttribute(pin, "aria-label", `Draft on ${targetLabel(draft.anchor)}`);
      drawGlyph(glyph, "pencil", null);
      return;
    }
    const words = statusWords(note!.state).toLowerCase();
    setAttribute(pin, "aria-label", `${noteName(note!)}, ${words}: ${clip(fold(note!.comment), 80)}`);
    if (note!.state === "done") drawGlyph(glyph, "check", null);
    else if (note!.state === "saving" || note!.state === "unsaved") drawGlyph(glyph, "retry", null);
    else drawGlyph(glyph, null, note!.number === null ? "•" : String(note!.number));
  };

  const countDone = () => {
    cancel(doneTimer);
    const fading = () =>
      [...entries.values()].filter(({ note, found }) => note?.state === "done" && found !== null);
    if (fading().length === 0) return;
    doneTimer = later(() => {
      if (page.visibilityOf(document) === "visible") {
        for (const { note } of fading()) note!.doneShown += DONE_TICK_MS;
        app.remember();
      }
      app.update();
    }, DONE_TICK_MS);
  };

  const place = () => {
    const view: Box = { x: 0, y: 0, ...viewport() };
    const list = [...entries.values()];
    // Read everything first: writing in between would lay the page out once per pin.
    for (const entry of list) entry.spot = current(entry) === null ? null : spotOf(entry, view);
    const outlined = outlineBoxes(view);
    const shown = list.filter((entry) => entry.spot !== null);
    const spread = fanOut(
      shown.map((entry) => entry.spot!),
      GAP,
      view.width,
    );
    for (const entry of list) setHidden(entry.button, entry.spot === null);
    for (const [at, entry] of shown.entries()) {
      const { x, y } = spread[at]!;
      entry.spot = { x, y };
      putAt(entry.button, {
        x: clamp(x, 2, view.width - SIZE - 2),
        y: clamp(y - SIZE, 2, view.height - SIZE - 2),
      });
    }
    drawOutlines(outlined);
  };

  const spotOf = (entry: Entry, view: Box): Spot | null => {
    const found = entry.found!;
    const box = placeNow(entry.anchor, found, entry.place);
    if (box === null) return null;
    const spot = pinSpot(entry.anchor, box, found);
    if (!isInside(view, spot)) return null;
    return entry.clips.every((one) => isInside(boxOf(one), spot)) ? spot : null;
  };

  const outlineBoxes = (view: Box): { list: Box[]; text: boolean } => {
    const open = app.composer.anchor();
    const pointed = app.card.note();
    const flashing = flashed !== null && flashed.until > now() ? entries.get(flashed.key) : undefined;
    const anchor = open ?? pointed?.anchor ?? flashing?.anchor ?? null;
    if (anchor === null || anchor.page !== app.boot.page) return { list: [], text: false };
    const { found, place: region } = resolve(anchor, pointed ?? null);
    if (found === null) return { list: [], text: false };
    if (found.range !== null) {
      const rects = Array.from(found.range.getClientRects(), ({ x, y, width, height }) => ({
        x,
        y,
        width,
        height,
      }));
      return { list: rects.filter((rect) => rect.width > 0).slice(0, 60), text: true };
    }
    const box = placeNow(anchor, found, region);
    if (box === null) return { list: [], text: false };
    const seen = intersection(box, {
      x: view.x - 4,
      y: view.y - 4,
      width: view.width + 8,
      height: view.height + 8,
    });
    return { list: seen.width > 0 && seen.height > 0 ? [box] : [], text: false };
  };

  const drawOutlines = ({ list, text }: { list: Box[]; text: boolean }) => {
    while (boxes.length < list.length) {
      const box = h("div.mark");
      boxes.push(box);
      layer.append(box);
    }
    for (const [at, box] of boxes.entries()) {
      const where = list[at];
      setHidden(box, where === undefined);
      setAttribute(box, "class", text ? "mark text" : "mark");
      if (where !== undefined) moveTo(box, where);
    }
  };

  /** The target of an anchor that need not have a pin: the composer's, or a hidden one. */
  const resolve = (anchor: Anchor, note: Note | null) => {
    const entry = note === null ? undefined : entries.get(note.key);
    if (entry !== undefined) return { found: current(entry), place: entry.place };
    const found = findTarget(anchor);
    return { found, place: found === null ? null : regionPlace(anchor, found.element) };
  };

  const locate = (anchor: Anchor, note: Note | null = null): Box | null => {
    const { found, place: region } = resolve(anchor, note);
    return found === null ? null : placeNow(anchor, found, region);
  };

  return {
    element,
    layer,
    draw,
    place,
    refresh() {
      const moment = now();
      let changed = false;
      for (const entry of entries.values()) {
        if (entry.found !== null && page.isConnected(entry.found.element)) continue;
        if (moment - entry.lookedAt < AGAIN_MS) continue;
        const before = entry.found;
        look(entry);
        changed = changed || before !== entry.found;
      }
      if (changed) app.update();
    },
    boxOf: (anchor) => locate(anchor),
    placeOf: (anchor) => resolve(anchor, null).place,
    isLost: (note) => {
      if (note.anchor.page !== app.boot.page) return false;
      return resolve(note.anchor, note).found === null;
    },
    goTo(note) {
      const { found } = resolve(note.anchor, note);
      if (found === null) return false;
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      found.element.scrollIntoView(
        page.dict({
          block: "center" as const,
          inline: "nearest" as const,
          behavior: calm ? ("instant" as const) : ("smooth" as const),
        }),
      );
      flashed = { key: note.key, until: now() + 1600 };
      later(() => app.layout(), 1650);
      app.layout();
      return true;
    },
    pointer(event) {
      if (event.type !== "pointermove" || entries.size === 0) return;
      const { clientX, clientY } = event as PointerEvent;
      const near = [...entries.values()].find(
        ({ spot, note }) =>
          note !== null &&
          spot !== null &&
          clientX >= spot.x - 2 &&
          clientX <= spot.x + SIZE + 2 &&
          clientY >= spot.y - SIZE - 2 &&
          clientY <= spot.y + 2,
      );
      if (near?.note) app.card.point(near.note, near.button);
      else app.card.leave();
    },
    isTracking: () => entries.size > 0 || app.composer.anchor() !== null || app.card.note() !== null,
  };
}

function drawGlyph(
  holder: HTMLElement,
  name: "pencil" | "check" | "retry" | null,
  text: string | null,
): void {
  const want = name ?? text ?? "";
  if (holder.dataset["glyph"] === want) return;
  holder.dataset["glyph"] = want;
  holder.replaceChildren(name === null ? (text ?? "") : icon(name));
}

/** Ancestors that cut off what scrolls out of them. */
function clippers(element: Element): Element[] {
  const found: Element[] = [];
  for (let holder = page.holderOf(element); holder !== null; holder = page.holderOf(holder)) {
    if (page.isPageRoot(holder)) continue;
    const { overflowX, overflowY, position } = getComputedStyle(holder);
    if (overflowX !== "visible" || overflowY !== "visible" || page.tagOf(holder) === "iframe")
      found.push(holder);
    if (position === "fixed") break;
  }
  return found;
}

/** Where a region lay in its container when it was drawn, from page positions: the layout is still the same then. */
function regionPlace(anchor: Anchor, container: Element): Box | null {
  if (anchor.context.kind !== "region" || anchor.rect === null || anchor.point === null) return null;
  const box = boxOf(container);
  if (box.width === 0 || box.height === 0) return null;
  const x = anchor.rect.x + anchor.point.scrollX - (box.x + scrollX);
  const y = anchor.rect.y + anchor.point.scrollY - (box.y + scrollY);
  return {
    x: x / box.width,
    y: y / box.height,
    width: anchor.rect.width / box.width,
    height: anchor.rect.height / box.height,
  };
}

/** A target's box now: the text's, the region's or the element's; null while it is not shown. */
function placeNow(anchor: Anchor, found: Found, place: Box | null): Box | null {
  if (!page.isPageRoot(found.element) && !isRendered(found.element)) return null;
  if (found.range !== null) {
    const { x, y, width, height } = found.range.getBoundingClientRect();
    return { x, y, width, height };
  }
  const box = boxOf(found.element);
  return anchor.context.kind === "region" && place !== null ? boxAtFraction(box, place) : box;
}

/** Where in the box the pin points: where the person pointed; the end of a text; else the upper right. */
function pinSpot(anchor: Anchor, box: Box, found: Found): Spot {
  if (found.range !== null) {
    const rects = found.range.getClientRects();
    const last = rects[rects.length - 1];
    return last === undefined
      ? { x: box.x + box.width, y: box.y }
      : { x: last.right, y: last.top + last.height / 2 };
  }
  if (anchor.rect === null || anchor.point === null) return { x: box.x + box.width, y: box.y };
  return atFraction(box, fractionOf(anchor.rect, anchor.point));
}
